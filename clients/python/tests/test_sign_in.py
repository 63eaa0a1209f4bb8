"""Sign-ins at a real Miftah with its simulator, through the fixtures."""

import asyncio
import dataclasses
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, timedelta
from typing import Any

import httpx
import pytest
from miftah import (
    ApiToken,
    AsyncMiftah,
    AttemptStatus,
    Introspection,
    Miftah,
    MiftahError,
    TokenUser,
    User,
    relay_events,
)
from miftah.testing import Clock, MiftahScope, Phone

AMAL = "1000001101"
REFUSES = "1900000010"


def test_by_phone(miftah: MiftahScope, phone: Phone) -> None:
    with miftah.client() as client, ThreadPoolExecutor() as others:
        attempt = client.start(locale="en", national_id=AMAL, end_user_address="192.0.2.1")
        waited = others.submit(attempt.wait_for_result)
        assert phone.approve(attempt).random == attempt.random
        assert waited.result().status == "authenticated"
        token = attempt.issue_token(device_name="My phone")
        assert client.user(token.token) == TokenUser(**dataclasses.asdict(token.user), client_id="simulator")
        assert client.introspect(token.token).sub == str(token.user.id)
        assert client.accept(token.token).client_id == "simulator"
        assert token.expires_at.utcoffset() == timedelta(0)
        client.revoke(token.token)
        assert not client.introspect(token.token).active


def test_by_browser(miftah: MiftahScope) -> None:
    session: dict[str, str] = {}
    with miftah.client() as client:
        login = client.login(session)
        attempt = login.start(locale="ar")
        returned = miftah.browser.approve(attempt, "siobhan")
        result = client.login(session).finish(returned)
        assert result.outcome == "authenticated" and result.token is not None
        assert result.token.user.english_name == "Siobhán Máire O'Specimen"
        assert (session, login.attempt()) == ({}, None)
        other = login.start(locale="ar")
        assert login.finish(miftah.browser.refuse(other.id)).outcome == "rejected"


def test_with_asyncio(miftah: MiftahScope, phone: Phone) -> None:
    async def sign_in() -> ApiToken:
        async with miftah.async_client() as client:
            attempt = await client.start(locale="en", national_id=AMAL)
            waited = asyncio.create_task(attempt.wait_for_result())
            await asyncio.to_thread(phone.approve)
            assert (await waited).status == "authenticated"
            return await attempt.issue_token()

    assert asyncio.run(sign_in()).user.national_id == AMAL


def test_a_task_that_is_cancelled_ends_its_wait(miftah: MiftahScope) -> None:
    async def wait() -> str:
        async with miftah.async_client() as client:
            attempt = await client.start(locale="en", national_id=AMAL)
            waited = asyncio.create_task(attempt.wait_for_result())
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.shield(waited), 0.2)
            waited.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waited
            return (await attempt.status()).status

    assert asyncio.run(wait()) == "pending"


def test_a_wait_ends_after_its_time(miftah: MiftahScope) -> None:
    attempt = miftah.client().start(locale="en", national_id=AMAL)
    with pytest.raises(MiftahError) as failed:
        attempt.wait_for_result(timeout=0.2)
    assert failed.value.code == "client.timeout"


def test_c_4_there_is_one_token_in_several_processes(miftah: MiftahScope, phone: Phone) -> None:
    client = miftah.client()
    attempt = client.start(locale="en", national_id=AMAL)
    phone.approve()
    attempt.wait_for_result()
    program = (
        "import sys, miftah; attempt = miftah.Miftah(sys.argv[1]).resume(sys.stdin.read()); "
        "print(attempt.issue_token().token)"
    )
    command = [sys.executable, "-c", program, miftah.base_url]
    other = subprocess.run(command, input=attempt.export(), capture_output=True, text=True, check=True)
    assert other.stdout.strip() == Miftah(miftah.base_url).resume(attempt.export()).issue_token().token


RENAMED = {"iat": "issued_at", "exp": "expires_at"}


@pytest.mark.parametrize("model", [User, TokenUser, AttemptStatus, Introspection, ApiToken])
def test_c_12_the_types_have_the_members_of_the_service(miftah: MiftahScope, model: type) -> None:
    document = httpx.get(f"{miftah.url}/openapi.json").json()
    found = next(titled(document, model.__name__))
    parts = [found, *found.get("anyOf", [])]
    served = {RENAMED.get(name, name) for part in parts for name in part.get("properties", {})}
    # The type of a token is always Bearer.
    left_out = {"token_type"} if model is ApiToken else set()
    assert served - left_out == {field.name for field in dataclasses.fields(model)}


def titled(value: Any, title: str) -> Iterator[dict[str, Any]]:
    """The schemas of this title, wherever the document has them."""
    if isinstance(value, dict) and value.get("title") == title:
        yield value
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for member in members:
        yield from titled(member, title)


def test_c_14_what_the_service_says(miftah: MiftahScope) -> None:
    with pytest.raises(MiftahError) as failed:
        miftah.client().start(locale="en", national_id="12345")
    error = failed.value
    assert (error.code, error.status) == ("validation.failed", 422)
    assert [one["pointer"] for one in error.violations] == ["/national_id"]
    assert error.request_id and error.remedy and "12345" not in repr(vars(error))
    assert str(error).count(error.detail) == 1


def test_c_14_where_nobody_listens() -> None:
    client = Miftah("http://me:word@127.0.0.1:9/api/v1?key=word")
    with pytest.raises(MiftahError) as failed:
        client.start(locale="en")
    assert failed.value.detail == "http://127.0.0.1:9 was not reached (ECONNREFUSED)."
    assert failed.value.remedy == "Is the service up? Check base_url, http(s) and network."

    async def start() -> None:
        async with AsyncMiftah("http://127.0.0.1:9/api/v1") as other:
            await other.start(locale="en")

    with pytest.raises(MiftahError) as failed:
        asyncio.run(start())
    assert failed.value.detail == "http://127.0.0.1:9 was not reached (ECONNREFUSED)."


def test_c_17_a_page_is_told(miftah: MiftahScope, phone: Phone) -> None:
    attempt = miftah.client().start(locale="en", national_id=AMAL)
    told = relay_events(attempt)
    assert told is not None
    assert [next(told), next(told)][1].startswith(b"event: status\nid: 1\n")
    phone.approve()
    text = b"".join(told).decode()
    assert '"status": "authenticated"' in text and "GMT" in text
    assert AMAL not in text and attempt.token not in text


def test_c_25_times_are_those_of_the_service(miftah: MiftahScope, clock: Clock) -> None:
    now = clock.advance("30d").now
    attempt = miftah.client().start(locale="en", national_id=AMAL)
    left = attempt.expires_at - now.astimezone(UTC)
    assert timedelta(minutes=4) < left < timedelta(minutes=6)


def test_c_27_a_cancel_ends_the_wait(miftah: MiftahScope) -> None:
    with ThreadPoolExecutor() as others:
        attempt = miftah.client().start(locale="en", national_id=AMAL)
        waited = others.submit(attempt.wait_for_result)
        attempt.cancel()
        attempt.cancel()
        assert waited.result().status == "rejected"
