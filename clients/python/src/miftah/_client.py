"""The clients of one service."""

from typing import Any, Self

import httpx

from . import _calls, _checks
from ._attempt import AsyncAttempt, Attempt
from ._drive import LIMITS, AsyncDrive, Drive
from ._login import AsyncLogin, Login, Session
from ._models import Bearer, Introspection, TokenUser


class Miftah:
    """A client of one service, for blocking code. Threads may share it.

    `base_url` is the address of the API, as `https://sign-in.example/api/v1`; `client_key` that of a
    confidential client; `http` an own client of httpx, with proxies or certificates of its own.
    """

    def __init__(
        self,
        base_url: str,
        client_key: str | None = None,
        *,
        http: httpx.Client | None = None,
    ) -> None:
        self._place = _checks.place_of(base_url, client_key)
        self._owned = httpx.Client(limits=LIMITS) if http is None else None
        self._drive = Drive(http or self._owned or httpx.Client())

    def start(
        self,
        *,
        locale: str,
        national_id: str | _checks.Unset = _checks.UNSET,
        return_address: str | None = None,
        end_user_address: str | None = None,
    ) -> Attempt:
        """Starts a sign-in: with `national_id`, ten digits, by phone, and without it by browser.

        None is neither: where a field of a form was forgotten, somebody else could sign in by the
        browser. Never repeated by itself: each start is another attempt, and by phone another prompt.
        `return_address` is one of the client's own, by default its first; `end_user_address` the IP
        address where the person's request came from, for the limits of the service.
        """
        steps = _calls.start(
            self._place,
            locale=locale,
            national_id=national_id,
            return_address=return_address,
            end_user_address=end_user_address,
        )
        return Attempt(self._place, self._drive.run(steps), self._drive)

    def resume(self, exported: str) -> Attempt:
        """The attempt of which `attempt.export()` gave this, in this process or in another one."""
        return Attempt(self._place, _calls.resumed(exported), self._drive)

    def user(self, token: str) -> TokenUser:
        """Whose token it is. Any application's token is answered: compare `client_id`."""
        return self._drive.run(_calls.user(self._place, token))

    def introspect(self, token: str) -> Introspection:
        """Whether a token is valid and was issued to this client. Needs the client key."""
        return self._drive.run(_calls.introspect(self._place, token))

    def revoke(self, token: str) -> None:
        """Ends a token."""
        self._drive.run(_calls.revoke(self._place, token))

    def accept(self, token: str, *, client_id: str | None = None) -> Bearer:
        """Whose token a caller has brought, if it is valid and of the own application.

        `client_id` names the client whose tokens are accepted, where the back end is another one, or
        has no key. Any other token is `MiftahError` `token.invalid`.
        """
        return self._drive.run(_calls.accept(self._place, token, client_id=client_id))

    def login(self, session: Session) -> Login:
        """The rules for the browser of this session, such as `request.session`."""
        return Login(self._place, session, self._drive)

    def close(self) -> None:
        if self._owned is not None:
            self._owned.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Miftah({self._place.base!r})"


class AsyncMiftah:
    """A client of one service, for asyncio. Its calls are those of `Miftah`."""

    def __init__(
        self,
        base_url: str,
        client_key: str | None = None,
        *,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._place = _checks.place_of(base_url, client_key)
        self._owned = httpx.AsyncClient(limits=LIMITS) if http is None else None
        self._drive = AsyncDrive(http or self._owned or httpx.AsyncClient())

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
        return AsyncAttempt(self._place, await self._drive.run(steps), self._drive)

    def resume(self, exported: str) -> AsyncAttempt:
        return AsyncAttempt(self._place, _calls.resumed(exported), self._drive)

    async def user(self, token: str) -> TokenUser:
        return await self._drive.run(_calls.user(self._place, token))

    async def introspect(self, token: str) -> Introspection:
        return await self._drive.run(_calls.introspect(self._place, token))

    async def revoke(self, token: str) -> None:
        await self._drive.run(_calls.revoke(self._place, token))

    async def accept(self, token: str, *, client_id: str | None = None) -> Bearer:
        return await self._drive.run(_calls.accept(self._place, token, client_id=client_id))

    def login(self, session: Session) -> AsyncLogin:
        return AsyncLogin(self._place, session, self._drive)

    async def aclose(self) -> None:
        if self._owned is not None:
            await self._owned.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"AsyncMiftah({self._place.base!r})"
