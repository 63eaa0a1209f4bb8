"""What the back end of the application under test is told."""

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .. import _checks
from ._control import Control

#: The longest wait of one request, in seconds.
_LONGEST_WAIT = 30


@dataclass(frozen=True)
class ReceivedWebhook:
    """One as the application would get it: give `headers` and `body` to its handler."""

    #: The same as the header `webhook-id`.
    id: str
    #: The id of the client.
    client: str
    #: `attempt.authenticated` and so on.
    type: str
    #: With the names of the service: `attempt_id`, `status`, `reason`, `user_id`.
    data: Mapping[str, Any]
    #: In lower case, with the signature.
    headers: Mapping[str, str]
    #: The bytes that are signed.
    body: bytes


class Webhooks:
    """Those of a scope, each once, oldest first."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self._waiting: deque[ReceivedWebhook] = deque()
        self._cursor: str | None = None

    def begin(self) -> None:
        """What happens from now on comes, also of a client without receivers. The fixture does it."""
        if self._cursor is None:
            self._ask(0)

    def next(self, timeout: float = 4) -> ReceivedWebhook:
        """The next one. `timeout` is in seconds.

        Of a client without receivers only what happens after the first call of this or of `begin` comes.
        """
        left = math.ceil(_checks.seconds("timeout", timeout))
        while not self._waiting:
            wait = min(left, _LONGEST_WAIT)
            self._ask(wait)
            left -= wait
            if left <= 0:
                break
        if self._waiting:
            return self._waiting.popleft()
        raise RuntimeError(
            f"No webhook has come in {timeout} s. One is sent when an attempt ends; of an expiry some 20 "
            'seconds after it, so clock.advance("6m") is enough. Of a client without receivers only what '
            "happens after the fixture webhooks, or the first call of webhooks.next(), comes."
        )

    def _forget(self) -> None:
        """Leaves out what was before a reset. The instance has forgotten it too."""
        self._waiting.clear()

    def _ask(self, seconds: int) -> None:
        after = {} if self._cursor is None else {"after": self._cursor}
        heard = self._control.call("GET", "/webhooks", query={**after, "timeout": str(seconds)})
        self._cursor = heard["cursor"]
        self._waiting.extend(_received(row) for row in heard["webhooks"])


def _received(row: Mapping[str, Any]) -> ReceivedWebhook:
    said = {name: row[name] for name in ("id", "client", "type", "data", "headers")}
    return ReceivedWebhook(**said, body=row["body"].encode())
