"""The rules for a back end that signs people in."""

from collections.abc import MutableMapping
from typing import Any

from . import _calls, _checks
from ._attempt import AsyncAttempt, Attempt
from ._drive import AsyncDrive, Drive
from ._models import LoginResult
from ._steps import Place

#: What the session of one browser is, such as `request.session` of Django.
Session = MutableMapping[str, Any]

_MEMBER = "miftah_attempt"


class _AnyLogin:
    """The attempt that a session has started and not finished. Its secrets stay in the session."""

    def __init__(self, place: Place, session: Session) -> None:
        if not all(hasattr(session, name) for name in ("get", "__setitem__", "pop")):
            raise TypeError("session must be a mapping, such as request.session")
        self._place = place
        self._session = session

    def forget(self) -> None:
        """Drops what this session has started: for a sign-out."""
        self._session.pop(_MEMBER, None)

    def _kept(self) -> _calls.Kept | None:
        text = self._session.get(_MEMBER)
        return None if text is None else _calls.resumed(text)

    def _keep(self, attempt: Attempt | AsyncAttempt) -> None:
        self._session[_MEMBER] = attempt.export()

    def _ended(self, kept: _calls.Kept, result: LoginResult) -> LoginResult:
        """Not what the session has started in the meantime, as in another tab."""
        now = self._kept()
        is_over = result.outcome not in ("dropped", "pending")
        if is_over and now is not None and now.id == kept.id:
            self.forget()
        return result


class Login(_AnyLogin):
    """Signs the browser of one session in. Give the session a new id after each sign-in: an id that the
    browser came with may be known to somebody who has put it there.
    """

    def __init__(self, place: Place, session: Session, drive: Drive) -> None:
        super().__init__(place, session)
        self._drive = drive

    def start(
        self,
        *,
        locale: str,
        national_id: str | _checks.Unset = _checks.UNSET,
        return_address: str | None = None,
        end_user_address: str | None = None,
    ) -> Attempt:
        """Starts an attempt for this session, in place of one that it has not finished."""
        steps = _calls.start(
            self._place,
            locale=locale,
            national_id=national_id,
            return_address=return_address,
            end_user_address=end_user_address,
        )
        attempt = Attempt(self._place, self._drive.run(steps), self._drive)
        self._keep(attempt)
        return attempt

    def attempt(self) -> Attempt | None:
        """The attempt that this session has started and not finished."""
        kept = self._kept()
        return None if kept is None else Attempt(self._place, kept, self._drive)

    def finish(
        self,
        returned: str | None = None,
        *,
        device_name: str | None = None,
        end_user_address: str | None = None,
    ) -> LoginResult:
        """Finishes the attempt of this session.

        `returned` is the address that this browser came back to, or its path and query; by phone there
        is none. A browser has to bring back the code that only the browser of the person is given, so a
        link that was passed on signs in nobody.
        """
        kept = self._kept()
        if kept is None:
            return LoginResult("dropped")
        steps = _calls.finish(
            self._place,
            kept,
            returned=returned,
            device_name=device_name,
            end_user_address=end_user_address,
        )
        return self._ended(kept, self._drive.run(steps))


class AsyncLogin(_AnyLogin):
    """As `Login`, for asyncio."""

    def __init__(self, place: Place, session: Session, drive: AsyncDrive) -> None:
        super().__init__(place, session)
        self._drive = drive

    async def start(
        self,
        *,
        locale: str,
        national_id: str | _checks.Unset = _checks.UNSET,
        return_address: str | None = None,
        end_user_address: str | None = None,
    ) -> AsyncAttempt:
        steps = _calls.start(
            self._place,
            locale=locale,
            national_id=national_id,
            return_address=return_address,
            end_user_address=end_user_address,
        )
        attempt = AsyncAttempt(self._place, await self._drive.run(steps), self._drive)
        self._keep(attempt)
        return attempt

    def attempt(self) -> AsyncAttempt | None:
        kept = self._kept()
        return None if kept is None else AsyncAttempt(self._place, kept, self._drive)

    async def finish(
        self,
        returned: str | None = None,
        *,
        device_name: str | None = None,
        end_user_address: str | None = None,
    ) -> LoginResult:
        kept = self._kept()
        if kept is None:
            return LoginResult("dropped")
        steps = _calls.finish(
            self._place,
            kept,
            returned=returned,
            device_name=device_name,
            end_user_address=end_user_address,
        )
        return self._ended(kept, await self._drive.run(steps))
