"""A service that answers as client/promises.json says, and a clock in which time passes at once."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx

TABLE = json.loads(
    (Path(__file__).resolve().parents[3] / "client" / "promises.json").read_text(encoding="utf-8")
)
BASE_URL = "http://sign-in.test/api/v1"
PHONE = TABLE["attempts"]["mfa"]


class Clock:
    """In the place of `miftah._platform`."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.seconds += seconds

    async def sleep_async(self, seconds: float) -> None:
        self.sleep(seconds)


class Script(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Takes requests in the order of the answers, and no other."""

    def __init__(self, answers: list[dict[str, Any]], clock: Clock) -> None:
        self.left = [one for answer in answers for one in [answer] * answer.get("times", 1)]
        self.unexpected: list[str] = []
        self.open = 0
        self._clock = clock

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._answer(request, request.read())

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return self._answer(request, await request.aread())

    def _answer(self, request: httpx.Request, body: bytes) -> httpx.Response:
        for value in request.headers.values():
            if "\n" in value:
                raise httpx.LocalProtocolError(f"Illegal header value {value!r}", request=request)
        asked = f"{request.method} {str(request.url)[len(BASE_URL) :].replace(PHONE['id'], 'ID')}"
        if not self.left or self.left[0]["to"] != asked:
            self.unexpected.append(asked)
            raise AssertionError(f"unexpected: {asked}")
        answer = self.left.pop(0)
        wanted = answer.get("with", {})
        for name, value in wanted.get("headers", {}).items():
            assert request.headers[name] == value
        if "body" in wanted:
            assert json.loads(body) == wanted["body"]
        if answer.get("lost"):
            raise httpx.ReadError("lost", request=request) from ConnectionResetError(104, "reset")
        if answer.get("silent"):
            raise self.silence(request)
        is_stream = "events" in answer
        kind = "text/event-stream; charset=utf-8" if is_stream else "application/json"
        created = 201 if "token" in answer or "started" in answer else 200
        self.open += 1
        return httpx.Response(
            answer.get("status", created),
            headers={"content-type": kind, **answer.get("headers", {})},
            stream=Body(self, request, _text(answer), answer.get("then", "stays" if is_stream else "ends")),
        )

    def silence(self, request: httpx.Request) -> httpx.ReadTimeout:
        self._clock.sleep(request.extensions["timeout"]["read"])
        return httpx.ReadTimeout("silence", request=request)


class Body(httpx.SyncByteStream, httpx.AsyncByteStream):
    def __init__(self, script: Script, request: httpx.Request, text: str, then: str) -> None:
        self._script = script
        self._request = request
        self._text = text
        self._then = then
        self._is_open = True

    def __iter__(self) -> Iterator[bytes]:
        yield self._text.encode()
        if self._then == "breaks":
            raise httpx.RemoteProtocolError("broken", request=self._request)
        if self._then == "stays":
            raise self._script.silence(self._request)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self:
            yield part

    def close(self) -> None:
        self._script.open -= self._is_open
        self._is_open = False

    async def aclose(self) -> None:
        self.close()


def _text(answer: dict[str, Any]) -> str:
    if "text" in answer:
        return str(answer["text"])
    if "events" in answer:
        return "".join(f"event: status\ndata: {json.dumps(_status(one))}\n\n" for one in answer["events"])
    body = _body(answer)
    return "" if body is None else json.dumps(body)


def _body(answer: dict[str, Any]) -> Any:
    if "state" in answer:
        return {"data": _status(answer["state"])}
    if "user" in answer:
        return {"data": {**TABLE["user"], **answer["user"]}}
    if "started" in answer:
        started = {"attempt_id": PHONE["id"], "attempt_token": PHONE["token"]}
        return {"data": {**started, "expires_at": PHONE["expiresAt"], **answer["started"]}}
    if "token" in answer:
        data = {"token": TABLE["token"], "token_type": "Bearer", "user": TABLE["user"]}
        return {"data": {**data, "expires_at": "2026-03-02T09:01:10+00:00"}}
    if "problem" in answer:
        sentence = {"detail": "A sentence.", "message": "A sentence.", "request_id": "r"}
        return {"type": f"{BASE_URL}/errors", **sentence, **answer["problem"]}
    return answer.get("body")


def _status(state: str) -> dict[str, Any]:
    told = {"provider_status": "PENDING", "message": None, "token_ready": False, "user": None}
    return {"attempt_id": PHONE["id"], "status": state, **told}
