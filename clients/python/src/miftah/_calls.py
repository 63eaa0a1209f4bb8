"""The calls of a client, each as the steps that it takes."""

import json
import re
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from . import _checks, _platform
from ._errors import MiftahError, is_passing, timed_out
from ._models import (
    ApiToken,
    AttemptStatus,
    Bearer,
    Flow,
    Introspection,
    LoginResult,
    TokenUser,
    introspection_of,
    read,
    status_of,
    time_of,
    token_of,
    token_user_of,
)
from ._steps import Call, Pause, Place, Steps, ask, ask_whole, json_of, understood, wait_of

#: The service answers a repeated exchange for 60 seconds after the first.
_ISSUE_LIMIT = 50.0
_ISSUE_CALL_LIMIT = 10.0
_MOST_TRIES = 6
_FIRST_PAUSE = 0.5
_USER_ID = re.compile("[0-9]{1,16}")


@dataclass(frozen=True)
class Kept:
    """Everything that an attempt needs to go on, in this process or in another one."""

    id: str
    flow: Flow
    expires_at: str
    token: str = field(repr=False)
    #: The `Idempotency-Key` of the exchange.
    key: str = field(repr=False)
    random: str | None = None
    random_expires_at: str | None = None
    authorization_url: str | None = None


def start(
    place: Place, *, locale: Any, national_id: Any, return_address: Any, end_user_address: Any
) -> Steps[Kept]:
    """Never repeated by itself: each start is another attempt, and by phone another prompt."""
    if not isinstance(locale, str):
        raise TypeError("locale must be ar or en")
    call = Call(
        "/start",
        "POST",
        body={
            "locale": locale,
            "national_id": _checks.national_id(national_id),
            "return_address": _checks.optional_text("return_address", return_address),
        },
        headers={"x-end-user-address": _checks.end_user_address(end_user_address)},
        bearer=place.client_key,
    )
    return ask(place, call, _started)


def _started(data: Any) -> Kept:
    own = {"flow": "mfa" if data.get("random") else "oidc", "key": _platform.random_key()}
    names = {"id": data.get("attempt_id"), "token": data.get("attempt_token")}
    return _kept({**data, **names, **own})


def _kept(members: dict[str, Any]) -> Kept:
    kept = read(Kept, members, "id", "flow", "expires_at", "token", "key")
    for time in (kept.expires_at, kept.random_expires_at or kept.expires_at):
        time_of(time)
    return kept


#: As `@miftah/client` writes them, so that a process in either language goes on with an attempt.
_EXPORTED = {
    "expires_at": "expiresAt",
    "random_expires_at": "randomExpiresAt",
    "authorization_url": "authorizationUrl",
}


def export(kept: Kept) -> str:
    members = {_EXPORTED.get(name, name): value for name, value in asdict(kept).items()}
    return json.dumps({name: value for name, value in members.items() if value is not None})


def resumed(exported: Any) -> Kept:
    members = json_of(exported) if isinstance(exported, str) else None
    known = Kept.__dataclass_fields__
    if isinstance(members, dict):
        try:
            return _kept({name: members.get(_EXPORTED.get(name, name)) for name in known})
        except (TypeError, ValueError):
            pass
    raise ValueError("No text of attempt.export()")


def status_call(kept: Kept, rest: str = "") -> Call:
    path = f"/status/{quote(kept.id, safe='')}{rest}"
    return Call(path, headers={"x-provider-attempt-token": kept.token})


def status(place: Place, kept: Kept) -> Steps[AttemptStatus]:
    return ask(place, status_call(kept), status_of)


def issue(
    place: Place, kept: Kept, *, completion_code: Any, device_name: Any, end_user_address: Any
) -> Steps[ApiToken]:
    """The same key and the same body each time: the service gives the same token again.

    So what may have been lost on the way is repeated, within the time that the service remembers.
    """
    call = Call(
        f"/token/{quote(kept.id, safe='')}",
        "POST",
        body={
            "attempt_token": kept.token,
            "completion_code": _checks.optional_text("completion_code", completion_code),
            "device_name": _checks.optional_text("device_name", device_name),
        },
        headers={
            "idempotency-key": kept.key,
            "x-end-user-address": _checks.end_user_address(end_user_address),
        },
        bearer=place.client_key,
    )
    return _issue(place, call)


def _issue(place: Place, call: Call) -> Steps[ApiToken]:
    deadline = _platform.now() + _ISSUE_LIMIT
    tried = 0
    while True:
        left = deadline - _platform.now()
        if left <= 0:
            raise timed_out()
        tried += 1
        try:
            limit = min(_ISSUE_CALL_LIMIT, left)
            return (yield from ask(place, call, token_of, limit))
        except MiftahError as failure:
            if tried == _MOST_TRIES or not _is_repeated(failure):
                raise
            pause = wait_of(failure, _FIRST_PAUSE * 2.0 ** (tried - 1))
        yield Pause(min(pause, max(deadline - _platform.now(), 0)))


def _is_repeated(failure: MiftahError) -> bool:
    """The answer was lost, or the service cannot say now whether it has issued a token."""
    return failure.status == 503 or (failure.code.startswith("client.") and is_passing(failure))


def cancel(place: Place, kept: Kept, *, end_user_address: Any) -> Steps[None]:
    call = Call(
        f"/attempts/{quote(kept.id, safe='')}",
        "DELETE",
        headers={
            "x-provider-attempt-token": kept.token,
            "x-end-user-address": _checks.end_user_address(end_user_address),
        },
        bearer=place.client_key,
    )
    return _send(place, call)


def _send(place: Place, call: Call) -> Steps[None]:
    yield from ask_whole(place, call)


def user(place: Place, token: Any) -> Steps[TokenUser]:
    return ask(place, Call("/user", bearer=_checks.text("token", token)), token_user_of)


def introspect(place: Place, token: Any) -> Steps[Introspection]:
    body = {"token": _checks.text("token", token)}
    return _introspect(place, Call("/introspect", "POST", body=body, bearer=place.client_key))


def _introspect(place: Place, call: Call) -> Steps[Introspection]:
    answer = yield from ask_whole(place, call)
    return understood(answer, introspection_of)


def revoke(place: Place, token: Any) -> Steps[None]:
    return _send(place, Call("/token", "DELETE", bearer=_checks.text("token", token)))


def accept(place: Place, token: Any, *, client_id: Any) -> Steps[Bearer]:
    """Whose token it is, if it is valid and of the own application."""
    _checks.text("token", token)
    return _accept(place, token, _checks.optional_text("client_id", client_id))


def _accept(place: Place, token: str, own: str | None) -> Steps[Bearer]:
    if own is None:
        found = yield from introspect(place, token)
        if found.active and found.client_id is not None and _USER_ID.fullmatch(found.sub or ""):
            return Bearer(int(found.sub or 0), found.client_id)
    else:
        whose = yield from user(place, token)
        if whose.client_id == own:
            return Bearer(whose.id, whose.client_id)
    detail = "The token is not valid for this application."
    raise MiftahError("token.invalid", detail, status=401)


def finish(
    place: Place, kept: Kept, *, returned: Any, device_name: Any, end_user_address: Any
) -> Steps[LoginResult]:
    """What the sign-in of a session has come to.

    A browser has to bring back the code that only the browser of the person is given, so a link that
    was passed on signs in nobody.
    """
    text = _checks.optional_text("returned", returned)
    members = {} if kept.flow == "mfa" else _members_of(text or "")
    code = members.get("completion_code")
    steps = issue(
        place,
        kept,
        completion_code=code,
        device_name=device_name,
        end_user_address=end_user_address,
    )
    if kept.flow == "mfa":
        return _exchanged(steps)
    if members.get("attempt_id") != kept.id:
        return _dropped()
    # What the address says about a failure anybody can write: only the status is believed.
    return _exchanged(steps) if code is not None else _told(place, kept)


def _exchanged(steps: Steps[ApiToken]) -> Steps[LoginResult]:
    try:
        return LoginResult("authenticated", (yield from steps))
    except MiftahError as failure:
        for outcome in ("pending", "rejected", "expired", "failed"):
            if failure.code == f"attempt.{outcome}":
                return LoginResult(outcome)  # type: ignore[arg-type]
        if failure.code == "attempt.cancelled":
            return LoginResult("rejected")
        raise


def _told(place: Place, kept: Kept) -> Steps[LoginResult]:
    state = (yield from status(place, kept)).status
    return LoginResult("dropped" if state == "authenticated" else state)


def _dropped() -> Steps[LoginResult]:
    yield from ()
    return LoginResult("dropped")


def _members_of(returned: str) -> dict[str, str]:
    """What the service adds to the return address is in its query, or after the `#`."""
    parts = urlsplit(returned)
    for part in (parts.query, parts.fragment.rpartition("?")[2]):
        if "attempt_id=" in part:
            return {name: values[0] for name, values in parse_qs(part, True).items()}
    return {}
