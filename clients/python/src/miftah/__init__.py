"""What a Python application calls a Miftah service with."""

from ._attempt import EVENT_STREAM, AsyncAttempt, Attempt, relay_events, relay_events_async
from ._client import AsyncMiftah, Miftah
from ._errors import MiftahError
from ._login import AsyncLogin, Login
from ._models import (
    ApiToken,
    AttemptStatus,
    Bearer,
    Flow,
    Introspection,
    LoginResult,
    TokenUser,
    User,
)

__all__ = [
    "EVENT_STREAM",
    "ApiToken",
    "AsyncAttempt",
    "AsyncLogin",
    "AsyncMiftah",
    "Attempt",
    "AttemptStatus",
    "Bearer",
    "Flow",
    "Introspection",
    "Login",
    "LoginResult",
    "Miftah",
    "MiftahError",
    "TokenUser",
    "User",
    "relay_events",
    "relay_events_async",
]
