"""Does what the steps of a call ask for: one driver for blocking code, one for asyncio."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from typing import Any, TypeVar

import httpx

from . import _platform
from ._errors import MiftahError, own_failure, timed_out, unreached
from ._steps import Answer, Ask, Hear, Open, Pause, Step, Steps, Tell

Result = TypeVar("Result")
Outcome = Answer | str | None | MiftahError

_LONGEST_ANSWER = 1024 * 1024
_USER_AGENT = "miftah-python"
#: A wait holds its connection for minutes.
LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=20)
#: What httpx and the encoding of headers fail with.
_FAULTS = (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, UnicodeError)


def _request(http: httpx.Client | httpx.AsyncClient, step: Ask | Open) -> httpx.Request:
    call = step.call
    limit = step.limit if isinstance(step, Ask) else step.first
    headers = {
        "accept": "application/json" if isinstance(step, Ask) else "text/event-stream",
        "user-agent": _USER_AGENT,
        "authorization": None if call.bearer is None else f"Bearer {call.bearer}",
        **({} if isinstance(step, Ask) else {"accept-encoding": "identity"}),
        **call.headers,
    }
    return http.build_request(
        call.method,
        step.place.base + call.path,
        headers={name: value for name, value in headers.items() if value is not None},
        json=None
        if call.body is None
        else {name: value for name, value in call.body.items() if value is not None},
        timeout=httpx.Timeout(limit),
    )


def _answer(response: httpx.Response, text: str) -> Answer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    url = response.url.copy_with(query=None)
    return Answer(response.status_code, str(url), headers, text)


def _is_stream(step: Step, response: httpx.Response) -> bool:
    """Whether its text comes in parts, of which none may be late."""
    if not isinstance(step, Open) or not response.is_success:
        return False
    # httpx looks it up when the text begins. Where it did not, a silent stream would be opened again.
    response.request.extensions.get("timeout", {})["read"] = step.silence
    return True


def _fault(step: Step, error: BaseException) -> MiftahError:
    """Not raised here: the error would be its context, and may quote a header with a token."""
    if isinstance(error, httpx.TimeoutException):
        return timed_out()
    if isinstance(step, (Ask, Open)):
        return unreached(f"{step.place.origin} was not reached", error)
    return unreached("The connection broke", error)


class _Text:
    """The text of an answer, within limits."""

    def __init__(self, limit: float) -> None:
        self._deadline = _platform.now() + limit
        self._parts: list[str] = []
        self._length = 0

    def add(self, part: str) -> MiftahError | None:
        self._parts.append(part)
        self._length += len(part)
        if _platform.now() > self._deadline:
            return timed_out()
        return own_failure("client.network", "Endless answer.") if self._length > _LONGEST_ANSWER else None

    def __str__(self) -> str:
        return "".join(self._parts)


def _after(steps: Generator[Step, Any, Result], outcome: Outcome) -> Step:
    return steps.throw(outcome) if isinstance(outcome, MiftahError) else steps.send(outcome)


class Drive:
    """For blocking code."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    def run(self, steps: Steps[Result]) -> Result:
        told = self.each(steps)
        while True:
            try:
                next(told)
            except StopIteration as end:
                result: Result = end.value
                return result

    def each(self, steps: Steps[Result]) -> Generator[bytes, None, Result]:
        """Gives what the steps tell on their way."""
        line = _Line(self.http)
        try:
            step = next(steps)
            while True:
                if isinstance(step, Tell):
                    yield step.data
                    step = next(steps)
                else:
                    step = _after(steps, line.do(step))
        except StopIteration as end:
            result: Result = end.value
            return result
        finally:
            line.close()


class _Line:
    """The requests of one call, and its stream."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http
        self._stream: httpx.Response | None = None
        self._texts: Iterator[str] = iter(())

    def do(self, step: Step) -> Outcome:
        try:
            if isinstance(step, (Ask, Open)):
                return self._send(step)
            if isinstance(step, Hear):
                return next(self._texts, None)
            if isinstance(step, Pause):
                _platform.sleep(step.seconds)
            return None
        except _FAULTS as error:
            return _fault(step, error)

    def _send(self, step: Ask | Open) -> Outcome:
        self.close()
        request = _request(self._http, step)
        response = self._http.send(request, stream=True, follow_redirects=False)
        self._stream = response
        if _is_stream(step, response):
            self._texts = response.iter_text()
            return _answer(response, "")
        text = _Text(step.limit if isinstance(step, Ask) else step.first)
        failure: MiftahError | None = None
        for part in _with_fault(response.iter_text()):
            failure = part if isinstance(part, MiftahError) else text.add(part)
            if failure is not None:
                break
        self.close()
        return failure or _answer(response, str(text))

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()
        self._stream = None


def _with_fault(texts: Iterator[str]) -> Iterator[str | MiftahError]:
    try:
        yield from texts
    except httpx.TimeoutException:
        yield timed_out()
    except _FAULTS as error:
        yield unreached("The connection broke", error)


class AsyncDrive:
    """For asyncio."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    async def run(self, steps: Steps[Result]) -> Result:
        line = _AsyncLine(self.http)
        try:
            step = next(steps)
            while True:
                step = _after(steps, None if isinstance(step, Tell) else await line.do(step))
        except StopIteration as end:
            result: Result = end.value
            return result
        finally:
            await line.close()

    async def each(self, steps: Steps[None]) -> AsyncGenerator[bytes, None]:
        """Gives what the steps tell on their way."""
        line = _AsyncLine(self.http)
        try:
            step = next(steps, None)
            while step is not None:
                if isinstance(step, Tell):
                    yield step.data
                    step = next(steps, None)
                    continue
                outcome = await line.do(step)
                try:
                    step = _after(steps, outcome)
                except StopIteration:
                    return
        finally:
            await line.close()


class _AsyncLine:
    """As `_Line`."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self._stream: httpx.Response | None = None
        self._texts: AsyncIterator[str] | None = None

    async def do(self, step: Step) -> Outcome:
        try:
            if isinstance(step, (Ask, Open)):
                return await self._send(step)
            if isinstance(step, Hear) and self._texts is not None:
                return await anext(self._texts, None)
            if isinstance(step, Pause):
                await _platform.sleep_async(step.seconds)
            return None
        except _FAULTS as error:
            return _fault(step, error)

    async def _send(self, step: Ask | Open) -> Outcome:
        await self.close()
        request = _request(self._http, step)
        response = await self._http.send(request, stream=True, follow_redirects=False)
        self._stream = response
        if _is_stream(step, response):
            self._texts = response.aiter_text()
            return _answer(response, "")
        text = _Text(step.limit if isinstance(step, Ask) else step.first)
        failure: MiftahError | None = None
        async for part in _with_fault_async(response.aiter_text()):
            failure = part if isinstance(part, MiftahError) else text.add(part)
            if failure is not None:
                break
        await self.close()
        return failure or _answer(response, str(text))

    async def close(self) -> None:
        if self._stream is not None:
            await self._stream.aclose()
        self._stream = None


async def _with_fault_async(texts: AsyncIterator[str]) -> AsyncIterator[str | MiftahError]:
    try:
        async for text in texts:
            yield text
    except httpx.TimeoutException:
        yield timed_out()
    except _FAULTS as error:
        yield unreached("The connection broke", error)
