"""What people do: on the phone, on the sign-in page, and with the time."""

import html
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx

from .._attempt import AnyAttempt
from ._control import Control

#: How long a decision waits for its prompt.
_WAIT_SECONDS = 4
_ATTEMPT_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_NATIONAL_ID = re.compile(r"[0-9]{10}")

People = Mapping[str, Mapping[str, Any]]
Which = AnyAttempt | str | None


@dataclass(frozen=True)
class Prompt:
    """A request that a person sees on the phone."""

    id: str
    attempt_id: str
    national_id: str
    #: The number that the application shows, and the person has to choose.
    random: str


class Phone:
    """What people do on their phones.

    `which` is an attempt, its id, a national id or the id of a person; without it the one prompt that
    waits. If it is not there yet, it is waited for, up to four seconds.
    """

    def __init__(self, control: Control, people: Callable[[], People]) -> None:
        self._control = control
        self._people = people

    def prompts(self) -> list[Prompt]:
        """What waits for an answer, oldest first."""
        rows = self._control.call("GET", "/prompts")
        return [_prompt(row) for row in rows if row["kind"] == "push"]

    def approve(self, which: Which = None) -> Prompt:
        return self._decide(which, "approve")

    def refuse(self, which: Which = None) -> Prompt:
        return self._decide(which, "refuse")

    def not_me(self, which: Which = None) -> Prompt:
        """Says that somebody else has asked."""
        return self._decide(which, "not_me")

    def wrong_number(self, which: Which = None) -> Prompt:
        """Chooses another number than the application shows."""
        return self._decide(which, "wrong_number")

    def ignore(self, which: Which = None) -> Prompt:
        """Never answers: the prompt expires."""
        return self._decide(which, "ignore")

    def _decide(self, which: Which, decision: str) -> Prompt:
        prompt = self._find(which)
        self._control.call("POST", f"/prompts/{prompt.id}/decision", {"decision": decision})
        return prompt

    def _find(self, which: Which) -> Prompt:
        query = _query(which, self._people)
        wait = {"until": "prompt", "kind": "push", "timeout": str(_WAIT_SECONDS), **query}
        found = self._control.call("GET", "/wait", query=wait)["prompt"]
        waiting = self.prompts()
        listed = ", ".join(f"{one.national_id} (attempt {one.attempt_id})" for one in waiting)
        if found is None:
            raise RuntimeError(
                f"No such prompt waits after {_WAIT_SECONDS} seconds. These wait: {listed or 'none'}."
            )
        meant = [one for one in waiting if query.get("national_id", one.national_id) == one.national_id]
        if "attempt_id" not in query and len(meant) > 1:
            raise RuntimeError(f"{len(meant)} prompts wait: say which one. These wait: {listed}.")
        return _prompt(found)


def _query(which: Which, people: Callable[[], People]) -> dict[str, str]:
    """The query of `GET /simulator/wait` that asks for it."""
    if which is None:
        return {}
    text = which.id if isinstance(which, AnyAttempt) else which
    if not isinstance(text, str):
        raise TypeError("which must be an attempt, its id, a national id or the id of a person")
    if _ATTEMPT_ID.fullmatch(text):
        return {"attempt_id": text.lower()}
    if _NATIONAL_ID.fullmatch(text):
        return {"national_id": text}
    known = people()
    if text not in known:
        raise ValueError(f"{text} is nobody: the people are {', '.join(known)}")
    return {"national_id": known[text]["national_id"]}


def _prompt(row: Mapping[str, Any]) -> Prompt:
    return Prompt(row["id"], row["request_id"], row["national_id"], row["random"])


@dataclass(frozen=True)
class ClockState:
    now: datetime
    frozen: bool
    #: From the clock of the machine; negative: behind.
    ahead_ms: int
    #: How far the provider's clock is ahead of the service's; negative: behind.
    skew_ms: int


class Clock:
    """One clock for expiry, tokens, limits and delays. It belongs to the instance, not to a scope."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self.is_moved = False

    def advance(self, by: str) -> ClockState:
        """By `"5m"`, `"90s"`, `"250ms"`, `"12h"` or `"30d"`."""
        return self._move({"advance": by})

    def freeze(self, at: datetime | str = "now") -> ClockState:
        """Stops the time, now or at a moment with its zone."""
        return self._move({"freeze": at.isoformat() if isinstance(at, datetime) else at})

    def skew(self, by: str) -> ClockState:
        """Puts the provider ahead: by `"2m"`, or `"-2m"`."""
        return self._move({"skew": by})

    def reset(self) -> ClockState:
        """Back to the time of the machine, which goes on."""
        state = self._move({"reset": True})
        self.is_moved = False
        return state

    def state(self) -> ClockState:
        return _clock_state(self._control.call("GET", "/clock"))

    def _move(self, body: dict[str, Any]) -> ClockState:
        self.is_moved = True
        return _clock_state(self._control.call("POST", "/clock", body))


def _clock_state(row: Mapping[str, Any]) -> ClockState:
    now = datetime.fromisoformat(row["now"])
    return ClockState(now, row["frozen"], row["ahead_ms"], row["skew_ms"])


#: More pages and redirects than any sign-in has.
_MOST_STEPS = 15
_FORM = re.compile(r'<form[^>]* action="([^"]*)"')
_HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')
_REFRESH = re.compile(r"0;url=(.+)")


#: Where the service is an OpenID Provider.
_OPENID = "/openid/"
#: What a page says about itself, for a developer first.
_REASONS = [re.compile(f'<p[^<>]* class="{name}"[^<>]*>(.*?)</p>') for name in ("notice", "told", "lead")]
_TAG = re.compile(r"<[^<>]*>")


class Browser:
    """What people do on the sign-in page, without a browser.

    `attempt` is one by browser, its id, its address, or the address of an OpenID request. Each gives the
    address where a browser would be sent back to, with what it brings.
    """

    def __init__(self, control: Control, base_url: str, people: Callable[[], People]) -> None:
        self._control = control
        self._base_url = base_url
        self._people = people

    def approve(self, attempt: AnyAttempt | str, person: str | None = None) -> str:
        return self._sign_in(attempt, "approve", person)

    def refuse(self, attempt: AnyAttempt | str) -> str:
        return self._sign_in(attempt, "refuse", None)

    def _sign_in(self, attempt: AnyAttempt | str, decision: str, person: str | None) -> str:
        people = self._people()
        chosen = person or next(key for key, row in people.items() if row.get("default"))
        if chosen not in people:
            raise ValueError(f"{chosen} is nobody: the people are {', '.join(people)}")
        with httpx.Client(trust_env=False) as http:
            return self._follow(http, self._address(attempt), {"person": chosen, "decision": decision})

    def _follow(self, http: httpx.Client, address: str, choice: dict[str, str]) -> str:
        answer = http.get(address)
        for _ in range(_MOST_STEPS):
            location = _led_to(answer)
            if location is not None and self._is_return(location, address):
                return location
            if location is not None:
                self._require_here(location)
                answer = http.get(location)
            else:
                answer = self._press(http, answer, choice)
        raise RuntimeError(f"The sign-in has not come to its end after {_MOST_STEPS} pages.")

    def _press(self, http: httpx.Client, page: httpx.Response, choice: dict[str, str]) -> httpx.Response:
        form = _FORM.search(page.text)
        if form is None:
            raise RuntimeError(_end_of(page))
        fields = {name: html.unescape(value) for name, value in _HIDDEN.findall(page.text)}
        if 'data-testid="approve"' in page.text:
            fields.update(choice)
        target = urljoin(str(page.url), html.unescape(form[1]))
        self._require_here(target)
        origin = f"{page.url.scheme}://{page.url.netloc.decode()}"
        return http.post(target, data=fields, headers={"origin": origin})

    def _is_return(self, location: str, asked: str) -> bool:
        """Whether it is the application's: with the attempt, or of an OpenID client a code or an error."""
        parts = urlsplit(location)
        brought = {**parse_qs(parts.query), **parse_qs(parts.fragment)}
        if not urlsplit(asked).path.startswith(_OPENID):
            return "attempt_id" in brought
        is_here = f"{parts.scheme}://{parts.netloc}" == self._control.origin
        is_own = is_here and parts.path.startswith(_OPENID)
        return not is_own and ("code" in brought or "error" in brought)

    def _address(self, attempt: AnyAttempt | str) -> str:
        text = attempt.authorization_url if isinstance(attempt, AnyAttempt) else attempt
        if text is None:
            raise ValueError("This attempt is one by phone, for phone.approve().")
        if _ATTEMPT_ID.fullmatch(text):
            return f"{self._base_url}/callback?state={text}"
        self._require_here(text)
        self._require_scope(text)
        return text

    def _require_scope(self, address: str) -> None:
        """People, outcomes and faults are those of the scope that the id of an OpenID client names."""
        parts = urlsplit(address)
        named = parse_qs(parts.query).get("client_id", [""])[0]
        if not parts.path.startswith(_OPENID) or not named:
            return
        client, _, scope = named.partition("@")
        own = self._control.scope
        if (scope or "default") != (own or "default"):
            raise ValueError(
                f"The request of {named} is of the scope {scope or 'default'}: "
                f"the client of this test is {client}@{own}."
            )

    def _require_here(self, address: str) -> None:
        parts = urlsplit(address)
        if f"{parts.scheme}://{parts.netloc}" != self._control.origin:
            raise ValueError(f"The sign-in leads to {parts.netloc}, which is not this Miftah.")


def _led_to(answer: httpx.Response) -> str | None:
    refresh = _REFRESH.fullmatch(answer.headers.get("refresh", ""))
    location = answer.headers.get("location") or (refresh and refresh[1])
    return urljoin(str(answer.url), location) if location else None


def _end_of(page: httpx.Response) -> str:
    """That the sign-in has ended on this page, with its reason."""
    begin = f"The page {page.url.copy_with(query=None)}"
    reason = _reason_of(page.text)
    if not reason:
        return f"{begin} has nothing to decide ({page.status_code})."
    return f"{begin} ends the sign-in ({page.status_code}): {reason}"


def _reason_of(text: str) -> str:
    if text.startswith("{"):
        problem = json.loads(text)
        return str(problem.get("detail", ""))
    found = next((match for pattern in _REASONS if (match := pattern.search(text))), None)
    return "" if found is None else html.unescape(_TAG.sub("", found[1]))
