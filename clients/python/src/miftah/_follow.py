"""Follows an attempt to its end."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from . import _platform
from ._calls import Kept, status_call
from ._errors import MiftahError, is_passing, own_failure, timed_out
from ._models import AttemptStatus, status_of
from ._steps import (
    Answer,
    Hear,
    Open,
    Pause,
    Place,
    Seen,
    Steps,
    Tell,
    ask_whole,
    foreign,
    require_success,
    understood,
    wait_of,
)

#: An attempt lives five minutes, and its end is told within seconds.
WAIT_LIMIT = 360.0
#: The service sends its first event at once: a proxy that keeps it back keeps all of them.
_FIRST_EVENT = 5.0
#: The service sends something every 15 seconds.
_SILENCE = 20.0
#: As long as the service lets a poll wait, and the way of the answer.
_LONG_POLL = "?wait=25"
_LONG_POLL_LIMIT = 35.0
_SHORT_POLL_LIMIT = 10.0
#: Two questions are never closer than this.
_POLL = 2.0
_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 5.0
#: A stream that broke as often without an event is not tried again.
_MOST_BROKEN_STREAMS = 2
#: A wait is over when less than this is left of its time.
_OVER = 0.001
#: How much later than its time a wait may end.
_LATE = 1.0
#: Characters of one event; a status has some hundreds.
_LONGEST_EVENT = 64 * 1024
_HEARTBEAT = Tell(b":\n\n")


@dataclass
class _Course:
    """How it has gone until now. The counts are of failures in a row."""

    place: Place
    kept: Kept
    deadline: float
    seen: Seen | None
    may_stream: bool = True
    failures: int = 0
    broken_streams: int = 0

    def left(self) -> float:
        return self.deadline - _platform.now()


def follow(place: Place, kept: Kept, limit: float, seen: Seen | None = None) -> Steps[AttemptStatus]:
    """By a stream of events; where streams do not come through, by long poll; and where nothing may
    wait, by asking every two seconds. What can pass is waited for. `seen` makes what is told of each
    status.
    """
    course = _Course(place, kept, _platform.now() + limit, seen)
    while True:
        if course.left() < _OVER:
            raise timed_out()
        began = _platform.now()
        is_stream = course.may_stream and course.failures == 0
        try:
            status = yield from (_streamed(course) if is_stream else _polled(course))
        except MiftahError as failure:
            if course.left() < _OVER:
                raise timed_out() from None
            if is_stream and _ends_streams(course, failure):
                continue
            if not is_passing(failure):
                raise
            course.failures += 1
            longer = min(_FIRST_PAUSE * 2.0**course.failures, _LONGEST_PAUSE)
            pause = wait_of(failure, longer)
        else:
            if status is None:
                continue
            if status.status != "pending":
                return status
            pause = max(began + _POLL - _platform.now(), 0)
            # The service is being stopped: its clients shall not come back together.
            pause += _platform.spread(_POLL) if is_stream else 0
        yield Pause(min(pause, max(course.left(), 0)))


def _ends_streams(course: _Course, failure: MiftahError) -> bool:
    if not _has_no_streams(failure):
        course.broken_streams += 1
        if course.broken_streams < _MOST_BROKEN_STREAMS:
            return False
    course.may_stream = False
    return True


def _has_no_streams(failure: MiftahError) -> bool:
    """Nothing came in time, there is no place, or the service or a proxy has no streams."""
    if failure.code in ("client.timeout", "stream.limit_reached"):
        return True
    return not failure.code.startswith("attempt.") and failure.status in (200, 204, 404, 405, 406, 501)


def _streamed(course: _Course) -> Steps[AttemptStatus | None]:
    """The last status before the stream has ended. None where its silences could be longer than the
    time that is left, so that another one has to be opened: a limit is that of the whole stream.
    """
    silence = min(_SILENCE, course.left())
    call = status_call(course.kept, "/events")
    answer: Answer = yield Open(course.place, call, min(_FIRST_EVENT, course.left()), silence)
    require_success(answer)
    if not answer.headers.get("content-type", "").startswith("text/event-stream"):
        raise foreign(answer)
    events = _Events()
    last: AttemptStatus | None = None
    while True:
        text: str | None = yield Hear()
        if text is None:
            break
        for data in events.read(text):
            last = understood(replace(answer, text=data), status_of)
            yield from _tell(course, last, answer)
            course.broken_streams = 0
            if last.status != "pending":
                return last
        if course.seen is not None and last is not None:
            yield _HEARTBEAT
        if course.left() < silence - _LATE:
            return None
    if last is None:
        raise foreign()
    return last


def _polled(course: _Course) -> Steps[AttemptStatus]:
    is_long = course.failures == 0
    limit = min(_LONG_POLL_LIMIT if is_long else _SHORT_POLL_LIMIT, course.left())
    call = status_call(course.kept, _LONG_POLL if is_long else "")
    answer = yield from ask_whole(course.place, call, limit)
    status = understood(answer, lambda said: status_of(said["data"]))
    yield from _tell(course, status, answer)
    return status


def _tell(course: _Course, status: AttemptStatus, answer: Answer) -> Steps[None]:
    course.failures = 0
    if course.seen is not None:
        yield course.seen(status, answer.headers.get("date"))


class _Events:
    """The data of server-sent events, from the texts that a connection brings."""

    def __init__(self) -> None:
        self._rest = ""

    def read(self, text: str) -> Iterator[str]:
        *blocks, self._rest = re.split(r"\r?\n\r?\n", self._rest + text)
        if len(self._rest) > _LONGEST_EVENT:
            raise own_failure("client.network", "Endless event.")
        for block in blocks:
            lines = [line[5:] for line in re.split(r"\r?\n", block) if line.startswith("data:")]
            # A block without data is a sign of life.
            if lines:
                yield "\n".join(lines)


_RETRY_MS = 2_000
#: The id of an event, as the service has it: `1` while the attempt is pending, `2` after it.
ENDED = "2"


def relay(place: Place, kept: Kept) -> Steps[None]:
    """Tells a page of the session that has started the attempt how it goes, for `EventSource`. The data
    of `status` has neither token nor person. When the attempt can't be followed, the last event is
    `failure`.
    """
    yield Tell(f"retry: {_RETRY_MS}\n\n".encode())
    try:
        yield from follow(place, kept, WAIT_LIMIT, _event_of)
    except MiftahError as failure:
        yield _event("failure", ENDED, {"code": failure.code, "detail": failure.detail})


def _event_of(status: AttemptStatus, date: str | None) -> Tell:
    told = {"attemptId": status.attempt_id, "status": status.status}
    data = {**told, "message": status.message, "date": date}
    return _event("status", "1" if status.status == "pending" else ENDED, data)


def _event(name: str, event_id: str, data: Any) -> Tell:
    return Tell(f"event: {name}\nid: {event_id}\ndata: {json.dumps(data)}\n\n".encode())
