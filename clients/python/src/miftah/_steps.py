"""What a call consists of, without the network.

A call is a generator that yields what is to be done next and is sent its result, so that it is written
once for both clients. `_drive.py` does what it yields: it sends requests, waits and reads streams.
"""

import json
import re
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from . import _platform
from ._errors import MiftahError, own_failure

Result = TypeVar("Result")

#: Longer than the service waits for its provider at a start.
CALL_LIMIT = 30.0
#: Clients that were told the same time do not come back together.
_SPREAD = 0.5


@dataclass(frozen=True)
class Place:
    """Where the service is, and as whom it is asked."""

    #: Without a slash at its end.
    base: str
    origin: str
    client_key: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Call:
    """A request. Members and headers that are None are not sent."""

    #: Below the base address.
    path: str
    method: str = "GET"
    body: Mapping[str, str | None] | None = field(default=None, repr=False)
    headers: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    #: For `Authorization: Bearer`.
    bearer: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Answer:
    status: int
    url: str
    headers: Mapping[str, str] = field(repr=False)
    text: str = field(repr=False)


@dataclass(frozen=True)
class Ask:
    """Send a request. The result is its whole answer."""

    place: Place
    call: Call
    limit: float = CALL_LIMIT


@dataclass(frozen=True)
class Open:
    """Open a stream, in the place of one that is open. The result is its answer: without the text, where
    it is a success.
    """

    place: Place
    call: Call
    #: Seconds until the answer begins, and then the longest silence.
    first: float
    silence: float


@dataclass(frozen=True)
class Hear:
    """Read on in the stream that is open. The result is a text, or None at its end."""


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Tell:
    """Give the caller something, where the caller takes more than the result."""

    data: bytes


Step = Ask | Open | Hear | Pause | Tell
Steps = Generator[Step, Any, Result]
Seen = Callable[[Any, str | None], Tell]
#: Of JSON that may be anything.
Reader = Callable[[Any], Result]

_UNREADABLE = (TypeError, ValueError, KeyError, AttributeError, OverflowError, OSError)


def ask(place: Place, call: Call, reader: Reader[Result], limit: float = CALL_LIMIT) -> Steps[Result]:
    """What the reader makes of the member `data` of an answer."""
    answer = yield from ask_whole(place, call, limit=limit)
    return understood(answer, lambda said: reader(said["data"]))


def ask_whole(place: Place, call: Call, limit: float = CALL_LIMIT) -> Steps[Answer]:
    answer: Answer = yield Ask(place, call, limit)
    require_success(answer)
    if answer.text and json_of(answer.text) is None:
        raise foreign(answer)
    return answer


def understood(answer: Answer, reader: Reader[Result]) -> Result:
    """What the reader makes of the JSON of an answer. A reader fails as Python does where a member is
    missing or of another type, and that tells every other answer from one of the service.
    """
    try:
        return reader(json_of(answer.text))
    except _UNREADABLE:
        # Not raised here: that error would be the context, and its frames have what was read.
        pass
    raise foreign()


def require_success(answer: Answer) -> None:
    if not 200 <= answer.status < 300:
        raise _failure_of(answer)


def _failure_of(answer: Answer) -> MiftahError:
    problem = json_of(answer.text)
    code = _text_of(problem, "code")
    if code is None:
        return foreign(answer)
    return MiftahError(
        code,
        _text_of(problem, "detail") or code,
        status=answer.status,
        remedy=_text_of(problem, "remedy"),
        request_id=_text_of(problem, "request_id"),
        retry_after=_seconds_of(answer),
        problem=problem,
    )


def foreign(answer: Answer | None = None) -> MiftahError:
    """Something between here and the service has answered, or the address is of something else."""
    what = "The answer" if answer is None else answer.url
    return own_failure(
        "client.network",
        f"{what} is of no Miftah service.",
        status=0 if answer is None else answer.status,
        retry_after=None if answer is None else _seconds_of(answer),
    )


def _seconds_of(answer: Answer) -> int | None:
    """`Retry-After` in seconds. Its other form is a time, which this side has no clock for."""
    text = answer.headers.get("retry-after", "")
    return int(text) if re.fullmatch(r"[0-9]{1,5}", text) else None


def _text_of(value: Any, member: str) -> str | None:
    found = value.get(member) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def json_of(text: str) -> Any:
    """None for a text that is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def wait_of(failure: MiftahError, seconds: float) -> float:
    """How long to wait before the same call: as the service says, or about so many seconds."""
    if failure.retry_after is None:
        return _platform.spread(seconds)
    return failure.retry_after + _platform.spread(_SPREAD)
