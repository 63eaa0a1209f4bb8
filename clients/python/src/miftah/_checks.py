"""Wrong use is an error before anything is sent, and shows no value: it may be a secret."""

import re
import sys
from typing import Any

from ._steps import Place

_ADDRESS = re.compile(r"[\[\da-fA-F]*[.:][!-~]+")
_KEY = re.compile(r"mfk_[!-~]+")
_BASE = re.compile(r"(?i:https?)://\S+")


class Unset:
    """A value that was not given, where None is one that was."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET = Unset()


def place_of(base_url: Any, client_key: Any) -> Place:
    # Here, because a wrong address is one that it refuses.
    import httpx

    url = None
    if isinstance(base_url, str) and _BASE.fullmatch(base_url):
        try:
            url = httpx.URL(base_url)
        except (httpx.InvalidURL, ValueError):
            url = None
    if url is None or not url.host:
        given = "" if base_url else f", not {base_url!r}"
        raise _error(
            base_url,
            f"base_url must begin with http:// or https://, as http://127.0.0.1:3000/api/v1{given}",
        )
    port = "" if url.port is None else f":{url.port}"
    host = f"[{url.host}]" if ":" in url.host else url.host
    origin = f"{url.scheme}://{host}{port}"
    return Place(origin + url.path.rstrip("/"), origin, _key(client_key))


def _key(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, str) and _KEY.fullmatch(value):
        return value
    empty = ", not empty" if value == "" else ""
    must = "mfk_… in ASCII without white space (.strip()) or Bearer"
    raise _error(value, f"client_key must be {must}{empty}")


def end_user_address(value: Any) -> str | None:
    """As the service reads one. A list, or `unknown`, comes from the header of a proxy."""
    if value is None:
        return None
    if isinstance(value, str) and _ADDRESS.fullmatch(value):
        return value
    empty = ", not empty" if value == "" else ""
    raise _error(value, f"end_user_address must be an IP address{empty}")


def text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    raise TypeError(f"{name} must be a text")


def optional_text(name: str, value: Any) -> str | None:
    return None if value is None else text(name, value)


def national_id(value: Any) -> str | None:
    """None is refused: a field that a form has lost would begin a sign-in by the browser, of anybody."""
    if value is UNSET:
        return None
    if isinstance(value, str):
        return value
    raise TypeError("national_id must be a text, or left out")


def seconds(name: str, value: Any) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and 0 <= value <= sys.float_info.max:
        return float(value)
    raise _error(value, f"{name} must be seconds, as a number")


def _error(value: Any, message: str) -> Exception:
    """A text or a number may be of the right type, so it is a ValueError; anything else is a TypeError."""
    return ValueError(message) if isinstance(value, (str, int, float)) else TypeError(message)
