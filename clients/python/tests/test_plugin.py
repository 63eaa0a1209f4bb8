"""The fixtures: what a test does there, no other test sees."""

import base64
import hashlib
import hmac
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from miftah.testing import Clock, MiftahScope, Phone, ReceivedWebhook, Webhooks

AMAL = "1000001101"
#: What signs the webhooks of a client without receivers (docs/webhooks.md).
PUBLIC_SECRET = b"a public secret of the simulator"


@pytest.mark.parametrize("time", [1, 2])
def test_a_scope_of_its_own_for_each_test(miftah: MiftahScope, phone: Phone, time: int) -> None:
    assert phone.prompts() == []
    assert "guest" not in miftah.people
    amal = dict(miftah.people["amal"])
    miftah.put_person({**amal, "id": "guest", "national_id": "1000012201", "default": False})
    miftah.client().start(locale="en", national_id="1000012201")
    assert [one.national_id for one in phone.prompts()] == ["1000012201"]
    assert phone.refuse("guest").national_id == "1000012201"


@pytest.mark.parametrize("time", [1, 2])
def test_the_time_is_put_back(clock: Clock, time: int) -> None:
    before = clock.state()
    assert (before.frozen, before.ahead_ms, before.skew_ms) == (False, 0, 0)
    at = datetime(2031, 1, 31, 9, tzinfo=UTC)
    assert clock.freeze(at).now == at
    assert clock.skew("2m").skew_ms == 120_000


def test_an_attempt_expires_at_once(miftah: MiftahScope, phone: Phone, clock: Clock) -> None:
    attempt = miftah.client().start(locale="en", national_id=AMAL)
    phone.ignore()
    clock.advance("5m")
    miftah.wait_for(attempt, "expired")
    assert attempt.wait_for_result().status == "expired"


def test_outcomes_and_faults(miftah: MiftahScope) -> None:
    client = miftah.client()
    miftah.next("refuses")
    assert client.start(locale="en", national_id=AMAL).wait_for_result().status == "rejected"
    miftah.faults([{"operation": "mfa_request", "status": 503}])
    with pytest.raises(Exception, match=r"provider\.unavailable"):
        client.start(locale="en", national_id=AMAL)


def signature_of(hook: ReceivedWebhook) -> str:
    """As Standard Webhooks says."""
    signed = f"{hook.id}.{hook.headers['webhook-timestamp']}.".encode() + hook.body
    mac = hmac.new(PUBLIC_SECRET, signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(mac).decode()}"


@pytest.mark.parametrize("time", [1, 2])
def test_webhooks_come_once_and_signed(
    miftah: MiftahScope, phone: Phone, clock: Clock, webhooks: Webhooks, time: int
) -> None:
    approved = miftah.client().start(locale="en", national_id=AMAL)
    phone.approve()
    hook = webhooks.next()
    assert (hook.client, hook.type) == ("simulator", "attempt.authenticated")
    assert hook.data == {"attempt_id": approved.id, "status": "authenticated"}
    assert hook.headers["webhook-id"] == hook.id
    assert hook.headers["webhook-signature"] == signature_of(hook)
    refused = miftah.client().start(locale="en", national_id=AMAL)
    refused.cancel()
    assert miftah.webhooks.next().data == {
        "attempt_id": refused.id,
        "status": "rejected",
        "reason": "attempt.cancelled",
    }
    late = miftah.client().start(locale="en", national_id=AMAL)
    clock.advance("6m")
    expired = webhooks.next()
    assert (expired.type, expired.data["attempt_id"]) == ("attempt.expired", late.id)
    with pytest.raises(RuntimeError, match="No webhook has come in 0 s"):
        webhooks.next(timeout=0)


def test_webhooks_of_a_scope_and_after_a_reset(miftah: MiftahScope, webhooks: Webhooks) -> None:
    other = MiftahScope(miftah.url, "another-scope")
    other.client().start(locale="en", national_id=AMAL).cancel()
    mine = miftah.client().start(locale="en", national_id=AMAL)
    mine.cancel()
    assert webhooks.next().data["attempt_id"] == mine.id
    first = miftah.client().start(locale="en", national_id=AMAL)
    first.cancel()
    miftah.client().start(locale="en", national_id=AMAL).cancel()
    assert webhooks.next().data["attempt_id"] == first.id
    miftah.reset()
    with pytest.raises(RuntimeError, match="No webhook has come in 0 s"):
        webhooks.next(timeout=0)
    for wrong in (-1, float("nan"), 10**400):
        with pytest.raises(ValueError, match="timeout must be seconds"):
            webhooks.next(timeout=wrong)
    other.stop()


def test_what_is_wrong_is_said(miftah: MiftahScope, phone: Phone) -> None:
    client = miftah.client()
    with pytest.raises(ValueError, match="nobody is nobody: the people are amal"):
        phone.approve("nobody")
    first = client.start(locale="en", national_id=AMAL)
    other = client.start(locale="en", national_id="1000002201")
    with pytest.raises(RuntimeError, match="2 prompts wait: say which one"):
        phone.approve()
    phone.approve(other)
    with pytest.raises(RuntimeError, match=r"The attempt .* is authenticated, and not expired"):
        miftah.wait_for(other, "expired")
    with pytest.raises(ValueError, match="one by phone"):
        miftah.browser.approve(first)
    with pytest.raises(RuntimeError, match=r"PUT /simulator/faults was refused: \w+"):
        miftah.faults([{"operation": "none"}])


SUITE = """
import pytest

@pytest.mark.parametrize("time", range(4))
def test_one(miftah, phone, clock, time):
    miftah.client().start(locale="en", national_id="1000001101")
    phone.approve()
    assert clock.advance("5m").ahead_ms == 300_000
"""


def test_a_suite_of_somebody_else_with_two_workers(tmp_path: Path) -> None:
    """With settings of its own in the environment, which are not those of Miftah."""
    (tmp_path / "test_suite.py").write_text(SUITE)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmiftah_settings =\n  LOG_LEVEL=error\n")
    settings = {"DATABASE_URL": "postgres://shop", "MIFTAH_URL": "http://shop.test", "PORT": "1"}
    ran = subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2"],
        cwd=tmp_path,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
    )
    assert "4 passed" in ran.stdout, ran.stdout + ran.stderr


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "test_suite.py").write_text("def test_one(miftah):\n    pass\n")
    ran = subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={**os.environ, "MIFTAH_COMMAND": "no-such-miftah"},
        capture_output=True,
        text=True,
    )
    assert "no-such-miftah can't be started: set MIFTAH_COMMAND." in ran.stdout
