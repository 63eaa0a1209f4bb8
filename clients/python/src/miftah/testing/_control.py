"""The control API of one instance."""

from typing import Any

import httpx

#: Longer than the longest wait of the API.
_LIMIT = 40.0


class Control:
    """As one scope of the instance, which does not see the others."""

    def __init__(self, origin: str, scope: str | None = None) -> None:
        self.origin = origin
        self.scope = scope
        headers = {} if scope is None else {"x-miftah-scope": scope}
        self._http = httpx.Client(headers=headers, timeout=_LIMIT, trust_env=False)

    def call(self, method: str, path: str, body: Any = None, query: dict[str, str] | None = None) -> Any:
        """The `data` of the answer."""
        address = f"{self.origin}/simulator{path}"
        try:
            answer = self._http.request(method, address, json=body, params=query or {})
        except httpx.HTTPError as error:
            raise RuntimeError(f"No Miftah answers at {self.origin}.") from error
        said = answer.json() if "json" in answer.headers.get("content-type", "") else {}
        if not answer.is_success:
            reason = f"{said.get('code', answer.status_code)}: {said.get('message', '')}"
            advice = " ".join([reason, said.get("remedy", "")]).strip()
            raise RuntimeError(f"{method} /simulator{path} was refused: {advice}")
        return said.get("data")

    def close(self) -> None:
        self._http.close()
