"""The fixtures: what a test does there, no other test sees."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from miftah.testing import Clock, MiftahScope, Phone

AMAL = "1000001101"


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
