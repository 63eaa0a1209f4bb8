"""A sign-in that was started."""

from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from typing import Any

from . import _calls, _checks, _follow
from ._drive import AsyncDrive, Drive
from ._models import ApiToken, AttemptStatus, Flow, time_of
from ._steps import Place, Steps


class AnyAttempt:
    """What an attempt is, for blocking code and for asyncio. Printed, it has no secret."""

    __slots__ = ("_kept", "_place")

    def __init__(self, place: Place, kept: _calls.Kept) -> None:
        self._place = place
        self._kept = kept

    @property
    def id(self) -> str:
        return self._kept.id

    @property
    def flow(self) -> Flow:
        return self._kept.flow

    @property
    def token(self) -> str:
        """Proves who started the attempt. Keep it in the session of the browser that started."""
        return self._kept.token

    @property
    def expires_at(self) -> datetime:
        """By the clock of the service."""
        return time_of(self._kept.expires_at)

    @property
    def authorization_url(self) -> str | None:
        """By browser: send the browser here."""
        return self._kept.authorization_url

    @property
    def random(self) -> str | None:
        """By phone: show it as text, with its leading zeros."""
        return self._kept.random

    @property
    def random_expires_at(self) -> datetime | None:
        """By phone: when the push ends, which can be before the attempt does."""
        kept = self._kept
        return None if kept.random is None else time_of(kept.random_expires_at or kept.expires_at)

    def export(self) -> str:
        """A secret text with everything to go on with in another process, by `resume`."""
        return _calls.export(self._kept)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(id={self.id!r}, flow={self.flow!r}, expires_at={self.expires_at})"

    def __reduce__(self) -> Any:
        raise TypeError("An attempt has secrets: keep what attempt.export() gives")


class Attempt(AnyAttempt):
    """For blocking code."""

    __slots__ = ("_drive",)

    def __init__(self, place: Place, kept: _calls.Kept, drive: Drive) -> None:
        super().__init__(place, kept)
        self._drive = drive

    def status(self) -> AttemptStatus:
        return self._drive.run(_calls.status(self._place, self._kept))

    def wait_for_result(self, *, timeout: float = _follow.WAIT_LIMIT) -> AttemptStatus:
        """Returns when the person has decided or cannot decide any more.

        It is a stream of events; where streams do not come through a long poll; and where nothing may
        wait a poll. `timeout` is in seconds, by default longer than an attempt lives.
        """
        limit = _checks.seconds("timeout", timeout)
        return self._drive.run(_follow.follow(self._place, self._kept, limit))

    def issue_token(
        self,
        *,
        completion_code: str | None = None,
        device_name: str | None = None,
        end_user_address: str | None = None,
    ) -> ApiToken:
        """Exchanges the attempt. May be called again: there is one token, however often it is asked."""
        steps = _calls.issue(
            self._place,
            self._kept,
            completion_code=completion_code,
            device_name=device_name,
            end_user_address=end_user_address,
        )
        return self._drive.run(steps)

    def cancel(self, *, end_user_address: str | None = None) -> None:
        """Ends the attempt: nobody can approve or exchange it any more. May be called again."""
        self._drive.run(_calls.cancel(self._place, self._kept, end_user_address=end_user_address))


class AsyncAttempt(AnyAttempt):
    """For asyncio. Its calls are those of `Attempt`; a wait ends with its task."""

    __slots__ = ("_drive",)

    def __init__(self, place: Place, kept: _calls.Kept, drive: AsyncDrive) -> None:
        super().__init__(place, kept)
        self._drive = drive

    async def status(self) -> AttemptStatus:
        return await self._drive.run(_calls.status(self._place, self._kept))

    async def wait_for_result(self, *, timeout: float = _follow.WAIT_LIMIT) -> AttemptStatus:
        limit = _checks.seconds("timeout", timeout)
        return await self._drive.run(_follow.follow(self._place, self._kept, limit))

    async def issue_token(
        self,
        *,
        completion_code: str | None = None,
        device_name: str | None = None,
        end_user_address: str | None = None,
    ) -> ApiToken:
        steps = _calls.issue(
            self._place,
            self._kept,
            completion_code=completion_code,
            device_name=device_name,
            end_user_address=end_user_address,
        )
        return await self._drive.run(steps)

    async def cancel(self, *, end_user_address: str | None = None) -> None:
        steps = _calls.cancel(self._place, self._kept, end_user_address=end_user_address)
        await self._drive.run(steps)


def relay_events(attempt: Attempt, *, last_event_id: str | None = None) -> Iterator[bytes] | None:
    """Tells a page of the session that has started the attempt how it goes, as server-sent events.

    It is the body of an answer with `EVENT_STREAM` as its headers. The data of `status` has `attemptId`,
    `status`, `message` and `date` (the header `Date` of the service), and neither token nor person. None
    when the page has been told the end: answer 204, or `EventSource` connects again and again.
    """
    if not isinstance(attempt, Attempt):
        raise TypeError("attempt must be an Attempt")
    steps = _relay(attempt, last_event_id)
    return None if steps is None else attempt._drive.each(steps)


def relay_events_async(
    attempt: AsyncAttempt, *, last_event_id: str | None = None
) -> AsyncIterator[bytes] | None:
    """As `relay_events`, for asyncio."""
    if not isinstance(attempt, AsyncAttempt):
        raise TypeError("attempt must be an AsyncAttempt")
    steps = _relay(attempt, last_event_id)
    return None if steps is None else attempt._drive.each(steps)


#: The headers of the answer that `relay_events` is the body of.
EVENT_STREAM = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
}


def _relay(attempt: Attempt | AsyncAttempt, last_event_id: str | None) -> Steps[None] | None:
    if last_event_id == _follow.ENDED:
        return None
    return _follow.relay(attempt._place, attempt._kept)
