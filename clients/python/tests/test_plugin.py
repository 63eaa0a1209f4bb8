"""The fixtures: what a test does there, no other test sees."""

import base64
import hashlib
import hmac
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest
from miftah.testing import Clock, Instance, MiftahScope, Phone, ReceivedWebhook, Webhooks

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


def test_the_code_flow_of_an_openid_client() -> None:
    instance = Instance({"OPENID": "on"})
    miftah = MiftahScope(instance.url, "codes")
    client_id = f"demo-web@{miftah.scope}"
    redirect_uri = "http://127.0.0.1:4000/cb"
    verifier = "a-verifier-of-this-test-of-which-only-the-hash-is-sent"
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
    asked = {
        "client_id": client_id,
        "redirect_uri": redirect_uri,
        "response_type": "code",
        "scope": "openid profile",
        "state": "of-this-test",
        "code_challenge": challenge.rstrip(b"=").decode(),
        "code_challenge_method": "S256",
    }

    def address(**other: str) -> str:
        return f"{miftah.url}/openid/authorize?{urlencode({**asked, **other})}"

    back = urlsplit(miftah.browser.approve(address(), "siobhan"))
    assert f"{back.scheme}://{back.netloc}{back.path}" == redirect_uri
    brought = parse_qs(back.query)
    assert brought["state"] == ["of-this-test"]
    exchange = {
        "grant_type": "authorization_code",
        "code": brought["code"][0],
        "redirect_uri": redirect_uri,
        "code_verifier": verifier,
    }
    proof = (client_id, "mfk_test_demo_web")
    miftah.next_id_token("wrong_audience")
    miftah.rotate_openid_keys()
    tokens = httpx.post(f"{miftah.url}/openid/token", data=exchange, auth=proof).json()
    payload = tokens["id_token"].split(".")[1]
    assert json.loads(base64.urlsafe_b64decode(payload + "=="))["aud"] == "another-client"
    bearer = {"authorization": f"Bearer {tokens['access_token']}"}
    claims = httpx.get(f"{miftah.url}/openid/userinfo", headers=bearer).json()
    assert claims["name"] == miftah.people["siobhan"]["english_name"]["full"]
    refused = parse_qs(urlsplit(miftah.browser.refuse(address())).query)
    assert refused["error"] == ["access_denied"]
    unknown = r'ends the sign-in \(400\): no client has the id "demoweb@codes"; there'
    with pytest.raises(RuntimeError, match=unknown):
        miftah.browser.approve(address(client_id="demoweb@codes"))
    with pytest.raises(ValueError, match=r"scope default: the client of this test is demo-web@codes\.$"):
        miftah.browser.approve(address(client_id="demo-web"))
    miftah.stop()
    instance.stop()


def test_a_page_that_ends_a_sign_in_says_why(miftah: MiftahScope) -> None:
    request = f"{miftah.url}/openid/authorize?client_id=demo-web@{miftah.scope}"
    with pytest.raises(RuntimeError, match=r"ends the sign-in \(404\): .* The OpenID Provider is off here"):
        miftah.browser.approve(request)
    attempt = miftah.client().start(locale="en")
    miftah.browser.refuse(attempt)
    with pytest.raises(RuntimeError, match=r"/callback ends the sign-in \(4\d\d\): [A-Z].+\.$"):
        miftah.browser.approve(attempt)


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
