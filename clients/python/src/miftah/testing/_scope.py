"""What a test has of an instance for itself."""

from typing import Any

from .._attempt import AnyAttempt
from .._client import AsyncMiftah, Miftah
from ._control import Control
from ._people import Browser, Clock, People, Phone
from ._webhooks import Webhooks

#: The public key of the simulator's own client.
CLIENT_KEY = "mfk_test_simulator"


class MiftahScope:
    """A scope of an instance: its prompts, people, outcomes and faults do not exist for another one."""

    def __init__(self, url: str, scope: str) -> None:
        #: The origin of the instance.
        self.url = url
        #: Its name. An OpenID client is `f"demo-web@{miftah.scope}"` in it.
        self.scope = scope
        #: The address to give to the application.
        self.base_url = f"{url}/scopes/{scope}/api/v1"
        self._control = Control(url, scope)
        self._of_instance = Control(url)
        self.phone = Phone(self._control, self._people)
        self.browser = Browser(self._control, self.base_url, self._people)
        self.clock = Clock(self._of_instance)
        self.webhooks = Webhooks(self._control)
        self._clients: list[Miftah] = []

    def client(self, client_key: str | None = CLIENT_KEY) -> Miftah:
        """It is closed at the end of the test."""
        client = Miftah(self.base_url, client_key)
        self._clients.append(client)
        return client

    def async_client(self, client_key: str | None = CLIENT_KEY) -> AsyncMiftah:
        return AsyncMiftah(self.base_url, client_key)

    @property
    def people(self) -> People:
        """The invented people by id, as `GET /simulator/people` has them."""
        return self._people()

    def put_person(self, person: dict[str, Any]) -> None:
        """Adds or changes one, in the form of `people`."""
        self._control.call("PUT", f"/people/{person['id']}", person)

    def next(self, outcome: str, after: int | None = None) -> None:
        """Chooses what happens in the next attempt, by the key of an outcome."""
        timed = {} if after is None else {"after": after}
        self._control.call("POST", "/next", {"outcome": outcome, **timed})

    def faults(self, rules: list[dict[str, Any]]) -> None:
        """Sets the faults of the provider, in the place of all others."""
        self._control.call("PUT", "/faults", {"faults": rules})

    def next_id_token(self, flaw: str) -> None:
        """The next ID token for an OpenID client of this test is wrong, such as `expired`, once."""
        self._control.call("POST", "/openid/next", {"id_token": flaw})

    def rotate_openid_keys(self) -> None:
        """Signs ID tokens with the next keys, for all who use the instance."""
        self._control.call("POST", "/openid/keys/rotate", {})

    def wait_for(self, attempt: AnyAttempt | str, state: str, timeout: int = 4) -> None:
        """Returns when the attempt is `authenticated`, `rejected`, `expired` or `failed`."""
        attempt_id = attempt.id if isinstance(attempt, AnyAttempt) else attempt
        query = {"until": state, "attempt_id": attempt_id, "timeout": str(timeout)}
        seen = self._control.call("GET", "/wait", query=query)
        if not seen["reached"]:
            raise RuntimeError(f"The attempt {attempt_id} is {seen['status']}, and not {state}.")

    def reset(self) -> None:
        """Everything is as at the beginning, and nothing waits. Attempts and tokens stay."""
        self._control.call("POST", "/reset")
        self.webhooks._forget()

    def stop(self) -> None:
        """Leaves nothing behind. The instance goes on."""
        for client in self._clients:
            client.close()
        self.reset()
        if self.clock.is_moved:
            self.clock.reset()
        self._control.close()
        self._of_instance.close()

    def _people(self) -> People:
        return {row["id"]: row for row in self._control.call("GET", "/people")}
