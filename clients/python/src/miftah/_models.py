"""What a client gives. Names are the interface's; times are `datetime` with a time zone."""

from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar, get_args, get_origin

#: `oidc`: by browser redirect. `mfa`: by a push to the person's phone.
Flow = Literal["oidc", "mfa"]
State = Literal["pending", "authenticated", "rejected", "expired", "failed"]
ProviderState = Literal["PENDING", "COMPLETED", "REJECTED", "EXPIRED", "FAILED"]

Model = TypeVar("Model")


@dataclass(frozen=True)
class User:
    """The person who has signed in. Printed, it has the id alone."""

    id: int
    national_id: str = field(repr=False)
    #: In the preferred locale.
    name: str = field(repr=False)
    arabic_name: str = field(repr=False)
    english_name: str = field(repr=False)
    preferred_locale: Literal["ar", "en"] = field(repr=False)
    #: ISO 3166-1 alpha-2.
    nationality: str = field(repr=False)
    #: `M`, `F`, or `X` where the provider does not say.
    gender: Literal["M", "F", "X"] = field(repr=False)
    assurance_level: int = field(repr=False)
    last_auth_method: Flow = field(repr=False)


@dataclass(frozen=True)
class TokenUser(User):
    """Whose token it is, and which application it was issued to."""

    client_id: str


@dataclass(frozen=True)
class AttemptStatus:
    attempt_id: str
    status: State
    provider_status: ProviderState
    #: Why the attempt ended, in its locale.
    message: str | None
    token_ready: bool
    #: In live mode without names, and with the last four digits of the number only.
    user: User | None


@dataclass(frozen=True)
class Introspection:
    """RFC 7662. A token that is not valid, or another application's, has no other member."""

    active: bool
    client_id: str | None = None
    token_type: str | None = None
    #: The `id` of the user, as text.
    sub: str | None = None
    #: The id of the token, as in the list of devices.
    jti: str | None = None
    #: `iat` on the wire.
    issued_at: datetime | None = None
    #: `exp` on the wire.
    expires_at: datetime | None = None


@dataclass(frozen=True)
class ApiToken:
    """What an attempt was exchanged for. Printed, it has no token."""

    token: str = field(repr=False)
    expires_at: datetime
    user: User


@dataclass(frozen=True)
class Bearer:
    """Whose token a caller has brought."""

    user_id: int
    client_id: str


@dataclass(frozen=True)
class LoginResult:
    """How a sign-in of a session has ended.

    `authenticated`: the person of this session is known, by `token`. `dropped`: this is no return of a
    sign-in that this session has started, and nothing has changed. The others are states of the attempt.
    """

    outcome: Literal["authenticated", "dropped", "pending", "rejected", "expired", "failed"]
    token: ApiToken | None = None


# What follows reads values that may be anything, for `understood`.


def read(model: type[Model], data: Any, *required: str) -> Model:
    """Members that are not known here are left out, and those that a service does not say are None.

    A service of a later version may have more of the texts that a `Literal` lists.
    """
    values = {one.name: data.get(one.name) for one in fields(model)}
    for one in fields(model):
        value = values[one.name]
        if not (one.name not in required if value is None else _is_of(one.type, value)):
            raise TypeError(one.name)
    return model(**values)


def _is_of(declared: Any, value: Any) -> bool:
    """Whether it is of a type that a model declares."""
    if isinstance(value, str):
        # JSON can have half of a character, which no address and no page can have.
        value.encode()
    types = (str,) if get_origin(declared) is Literal else get_args(declared) or (declared,)
    return type(value) in types


def time_of(text: Any) -> datetime:
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError("no time zone")
    return time


def status_of(data: Any) -> AttemptStatus:
    user = data.get("user")
    members = {**data, "user": None if user is None else _user_of(user)}
    return read(AttemptStatus, members, "status", "attempt_id")


def token_of(data: Any) -> ApiToken:
    members = {"token": data["token"], "expires_at": time_of(data["expires_at"])}
    return read(ApiToken, {**members, "user": _user_of(data["user"])}, "token")


def _user_of(data: Any) -> User:
    return read(User, data, "id")


def token_user_of(data: Any) -> TokenUser:
    return read(TokenUser, data, "id", "client_id")


def introspection_of(data: Any) -> Introspection:
    times = {"issued_at": _second(data.get("iat")), "expires_at": _second(data.get("exp"))}
    return read(Introspection, {**data, **times}, "active")


def _second(value: Any) -> datetime | None:
    return None if value is None else datetime.fromtimestamp(value, UTC)
