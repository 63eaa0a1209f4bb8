"""The cases of client/promises.json, which `@miftah/client` runs too, for both clients."""

import asyncio
import json
import pickle
import pprint
import traceback
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from datetime import datetime
from typing import Any

import httpx
import miftah
import pytest
from miftah import _calls, _platform
from scripted import BASE_URL, PHONE, TABLE, Clock, Script

CASES = [pytest.param(one, id=f"{one['promise']} {one['call']}: {one['name']}") for one in TABLE["cases"]]
CLIENT_KEY = "mfk_test_simulator"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for name in ("now", "sleep", "sleep_async"):
        monkeypatch.setattr(_platform, name, getattr(clock, name))
    return clock


@pytest.mark.parametrize("one", CASES)
def test_for_blocking_code(one: dict[str, Any], clock: Clock) -> None:
    def call(script: Script, session: dict[str, Any]) -> Any:
        client = miftah.Miftah(BASE_URL, CLIENT_KEY, http=httpx.Client(transport=script))
        return made(one, client, session, miftah.relay_events, miftah.Miftah)

    check(one, clock, call)


@pytest.mark.parametrize("one", CASES)
def test_for_asyncio(one: dict[str, Any], clock: Clock) -> None:
    def call(script: Script, session: dict[str, Any]) -> Any:
        http = httpx.AsyncClient(transport=script)
        client = miftah.AsyncMiftah(BASE_URL, CLIENT_KEY, http=http)
        result = made(one, client, session, miftah.relay_events_async, miftah.AsyncMiftah)
        return asyncio.run(whole(result))

    check(one, clock, call)


async def whole(result: Any) -> Any:
    if hasattr(result, "__aiter__"):
        return [part async for part in result]
    return await result if asyncio.iscoroutine(result) else result


class Busy(dict[str, Any]):
    """A session in which another tab begins a sign-in while one is finished."""

    def get(self, name: str, default: Any = None) -> Any:
        before = super().get(name, default)
        self[name] = json.dumps({**PHONE, "id": "another"})
        return before


def test_c_15_what_a_session_has_started_since_is_left(clock: Clock) -> None:
    for name in ("Miftah", "AsyncMiftah"):
        session = Busy(miftah_attempt=json.dumps(PHONE))
        script = Script([{"to": "POST /token/ID", "token": True}], clock)
        http = httpx.Client(transport=script) if name == "Miftah" else httpx.AsyncClient(transport=script)
        login = getattr(miftah, name)(BASE_URL, http=http).login(session)
        result = asyncio.run(whole(login.finish()))
        assert result.outcome == "authenticated"
        assert json.loads(session["miftah_attempt"])["id"] == "another"


def test_c_13_what_is_inside_has_no_secret_either() -> None:
    attempt = miftah.Miftah(BASE_URL, CLIENT_KEY).resume(json.dumps(PHONE))
    shown = repr([attempt._kept, attempt._place, _calls.status_call(attempt._kept)])
    assert [one for one in (PHONE["token"], PHONE["key"], CLIENT_KEY) if one in shown] == []
    with pytest.raises(TypeError, match=r"keep what attempt.export\(\) gives"):
        pickle.dumps(attempt)


def test_c_14_a_failure_goes_through_pickle() -> None:
    error = miftah.MiftahError("attempt.pending", "A sentence.", status=409, retry_after=2)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), vars(again)) == (str(error), vars(error))


#: Answers of the service, and the members without which one is of no service.
ANSWERS: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "start": (
        "POST /start",
        {
            "attempt_id": PHONE["id"],
            "attempt_token": PHONE["token"],
            "expires_at": PHONE["expiresAt"],
            "random": PHONE["random"],
            "random_expires_at": PHONE["randomExpiresAt"],
            "authorization_url": None,
        },
        ("attempt_id", "attempt_token", "expires_at"),
    ),
    "status": (
        "GET /status/ID",
        {
            "attempt_id": PHONE["id"],
            "status": "authenticated",
            "provider_status": "COMPLETED",
            "message": None,
            "token_ready": True,
            "user": TABLE["user"],
        },
        ("attempt_id", "status"),
    ),
    "issue_token": (
        "POST /token/ID",
        {"token": TABLE["token"], "expires_at": PHONE["expiresAt"], "user": TABLE["user"]},
        ("token", "expires_at", "user"),
    ),
    "user": ("GET /user", {**TABLE["user"], "client_id": "shop"}, ("id", "client_id")),
    "introspect": (
        "POST /introspect",
        {"active": True, "client_id": "shop", "token_type": "Bearer", "sub": "1", "jti": "a", "iat": 1},
        ("active",),
    ),
}
WRONG: list[Any] = [5.5, "\ud800", [], {}, [["a", 1]], {"id": None}]
WRONG_SECONDS: list[Any] = [-1e308, 10**30, float("nan"), "a", [], {}]
MISSING = object()


def changed(data: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    rest = {one: other for one, other in data.items() if one != name}
    return rest if value is MISSING else {**rest, name: value}


@pytest.mark.parametrize("kind", ["Miftah", "AsyncMiftah"])
@pytest.mark.parametrize("called", ANSWERS)
def test_c_14_an_answer_of_another_form_is_of_no_service(called: str, kind: str, clock: Clock) -> None:
    to, data, required = ANSWERS[called]
    # Both read by the same steps.
    is_short = kind == "AsyncMiftah"
    wrong, wrong_seconds = (WRONG[:1], WRONG_SECONDS[:1]) if is_short else (WRONG, WRONG_SECONDS)
    options = {"start": {"locale": "en"}, "user": {"token": "a"}, "introspect": {"token": "a"}}

    def result(body: Any) -> Any:
        answer = {"to": to, "text": json.dumps(body), "times": 6}
        script = Script([answer], clock)
        http = httpx.Client(transport=script) if kind == "Miftah" else httpx.AsyncClient(transport=script)
        client = getattr(miftah, kind)(BASE_URL, CLIENT_KEY, http=http)
        one = {"call": called, "with": options.get(called, {})}
        try:
            return asyncio.run(whole(made(one, client, {}, None, None)))
        except miftah.MiftahError as failure:
            return failure

    def is_foreign(body: Any) -> bool:
        found = result(body)
        hidden = [TABLE["token"], PHONE["token"], TABLE["user"]["national_id"]]
        is_shown = is_short and isinstance(found, Exception)
        shown = printed(None, found) if is_shown else repr(found)
        assert [secret for secret in hidden if secret in shown] == []
        if not isinstance(found, Exception):
            return False
        assert found.code == "client.network"
        return True

    whole_body = (lambda said: said) if called == "introspect" else (lambda said: {"data": said})
    assert not is_foreign(whole_body(data))
    for body in (None, 7, "a", [], {}, {"data": None}, {"data": "a"}, {"data": [data]}, [{"data": data}]):
        assert is_foreign(body), body
    for name in data:
        for value in wrong_seconds if name == "iat" else wrong:
            assert is_foreign(whole_body(changed(data, name, value))), (name, value)
        for value in (None, MISSING):
            assert is_foreign(whole_body(changed(data, name, value))) == (name in required), name
    for name in TABLE["user"] if "user" in data else ():
        for value in wrong:
            person = changed(TABLE["user"], name, value)
            assert is_foreign(whole_body({**data, "user": person})), (name, value)


def made(one: dict[str, Any], client: Any, session: dict[str, Any], relay: Any, create: Any) -> Any:
    """Makes the call of a case."""
    options = dict(one.get("with", {}))
    attempt = client.resume(exported_for(one))
    calls: dict[str, Callable[..., Any]] = {
        "create": create,
        "resume": client.resume,
        "start": client.start,
        "status": attempt.status,
        "wait_for_result": attempt.wait_for_result,
        "issue_token": attempt.issue_token,
        "cancel": attempt.cancel,
        "user": client.user,
        "introspect": client.introspect,
        "revoke": client.revoke,
        "accept": client.accept,
        "finish": client.login(session).finish,
        "relay": lambda **more: relay(attempt, **more),
    }
    return calls[one["call"]](**options)


def exported_for(one: dict[str, Any]) -> str:
    kept = TABLE["attempts"]["oidc" if one.get("flow") == "oidc" else "mfa"]
    return json.dumps({**kept, **({"expiresAt": one["expiresAt"]} if "expiresAt" in one else {})})


def check(one: dict[str, Any], clock: Clock, call: Callable[[Script, dict[str, Any]], Any]) -> None:
    script = Script(one.get("answers", []), clock)
    session = {} if one.get("flow") == "none" else {"miftah_attempt": exported_for(one)}
    before = clock.now()
    for _ in range(one.get("times", 1)):
        value, error = None, None
        try:
            value = call(script, session)
            if one["call"] == "relay" and value is not None:
                value = b"".join(value).decode()
        except (miftah.MiftahError, TypeError, ValueError) as caught:
            error = caught
        holds(one, value, error)
    least, most = one.get("seconds", (0, 1e9))
    assert least <= clock.now() - before <= most
    assert (script.unexpected, script.left) == ([], [])
    if "leaves" in one:
        assert bool(session) == one["leaves"]
    # However a call ends, it leaves no connection (C-11).
    assert script.open == 0


def holds(one: dict[str, Any], value: Any, error: BaseException | None) -> None:
    if "misuse" in one:
        assert isinstance(error, (TypeError, ValueError))
        assert one["misuse"] in str(error)
    elif "fails" in one:
        assert isinstance(error, miftah.MiftahError), error
        assert {name: getattr(error, name) for name in one["fails"]} == one["fails"]
    else:
        assert error is None, error
    for name, wanted in one.get("gives", {}).items():
        assert found(getattr(value, name)) == wanted
    if "tells" in one:
        assert value is None if one["tells"] is None else all(part in value for part in one["tells"])
    if "hides" in one:
        shown = str(value) if one["call"] == "relay" else printed(value, error)
        assert [secret for secret in one["hides"] if secret in shown] == []


def found(value: Any) -> Any:
    """As the service writes it."""
    if isinstance(value, datetime):
        return value.isoformat()
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def printed(value: Any, error: BaseException | None) -> str:
    """Everything that a log could make of a result, with the values of a traceback."""
    told = [repr(value), str(value), pprint.pformat(value)]
    if error is not None:
        trace = traceback.TracebackException.from_exception(error, capture_locals=True)
        # These frames have the table, or what the caller has given.
        given = ("test_promises.py", "_client.py", "_attempt.py", "_login.py")
        for frame in trace.stack:
            frame.locals = None if frame.filename.endswith(given) else frame.locals
        assert error.__context__ is None or isinstance(error.__context__, miftah.MiftahError)
        told += ["".join(trace.format()), repr(error), repr(vars(error))]
    return "\n".join(told)
