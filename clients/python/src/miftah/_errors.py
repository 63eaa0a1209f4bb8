"""The failures of calls."""

import errno
from collections.abc import Mapping
from typing import Any

_REMEDIES = {
    "client.network": "Is the service up? Check base_url, http(s) and network.",
    "client.timeout": "Is the service up? Wait longer.",
}


class MiftahError(Exception):
    """Every failure of a call.

    `code` is one of the service's catalogue, or `client.network` (no answer of a service) or
    `client.timeout`. `status` is that of HTTP, 0 without an answer. `detail` is a sentence for people
    in the language that was asked for, `remedy` says what can be done about it, `request_id` is for
    the operator of the service, and `retry_after` is in seconds. `violations` of `validation.failed`
    names each wrong member, and `problem` is all that the service says.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        status: int = 0,
        remedy: str | None = None,
        request_id: str | None = None,
        retry_after: int | None = None,
        problem: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.status = status
        self.remedy = remedy
        self.request_id = request_id
        self.retry_after = retry_after
        self.problem = problem

    @property
    def violations(self) -> list[dict[str, str]]:
        found = (self.problem or {}).get("violations")
        return found if isinstance(found, list) else []

    def __reduce__(self) -> tuple[Any, ...]:
        # By itself an exception is made anew with its sentence alone.
        return (_remade, (dict(self.__dict__),))


def _remade(members: dict[str, Any]) -> MiftahError:
    return MiftahError(**members)


def own_failure(code: str, detail: str, *, status: int = 0, retry_after: int | None = None) -> MiftahError:
    remedy = _REMEDIES.get(code)
    return MiftahError(code, detail, status=status, remedy=remedy, retry_after=retry_after)


def timed_out() -> MiftahError:
    return own_failure("client.timeout", "No answer in time.")


def unreached(what: str, error: BaseException) -> MiftahError:
    """The error itself is left behind: it may quote a header, and its frames have the tokens."""
    name = _reason_in(error)
    return own_failure("client.network", f"{what}{f' ({name})' if name else ''}.")


def _reason_in(error: BaseException | None) -> str | None:
    while error is not None:
        if isinstance(error, OSError) and error.errno in errno.errorcode:
            return errno.errorcode[error.errno]
        error = error.__cause__ or error.__context__
    return None


def is_passing(failure: MiftahError) -> bool:
    """Whether the same call can succeed a little later."""
    return failure.code in _REMEDIES or failure.status in (408, 429) or failure.status >= 500
