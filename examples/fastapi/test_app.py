"""Sign-ins through a real Miftah with its simulator, by the fixtures of the package."""

import re
import socket
import threading

import httpx
import pytest
import uvicorn
from app import create_app


@pytest.fixture
def app_url(miftah):
    """The application behind a real server, on a port of its own."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        app = create_app(miftah.async_client(), url)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        yield url
        server.should_exit = True
        thread.join()


@pytest.fixture
def browser(app_url):
    # It posts forms as a page of the application does.
    with httpx.Client(base_url=app_url, headers={"origin": app_url}) as one:
        yield one


def led_to(response):
    assert response.status_code == 303
    return response.headers["location"]


def test_signs_in_by_browser(app_url, browser, miftah):
    started = led_to(browser.post("/sign-in/start"))
    returned = miftah.browser.approve(started, "siobhan")
    assert returned.startswith(f"{app_url}/sign-in/return?")
    before = browser.cookies["session"]
    assert led_to(browser.get(returned)) == "/"
    assert "You are Siobhán Máire O&#x27;Specimen" in browser.get("/").text
    assert browser.cookies["session"] != before


def test_signs_in_by_phone_with_the_number_that_the_page_shows(browser, phone):
    started = browser.post("/sign-in/start", data={"national_id": "1000001101"})
    assert led_to(started) == "/sign-in/wait"
    [number] = re.findall(r">(\d+)</p>", browser.get("/sign-in/wait").text)
    assert led_to(browser.post("/sign-in/finish")) == "/sign-in/wait"
    assert phone.approve().random == number
    events = browser.get("/sign-in/events").text
    assert '"status": "authenticated"' in events and "1000001101" not in events
    assert led_to(browser.post("/sign-in/finish")) == "/"
    assert "You are Amal Salem Nasser Alnamuthaji" in browser.get("/").text
    assert browser.get("/sign-in/events").status_code == 204
    browser.post("/sign-out")
    assert "You are" not in browser.get("/").text


def test_signs_nobody_in_who_refuses(browser, phone):
    browser.post("/sign-in/start", data={"national_id": "1000001101"})
    phone.refuse()
    assert led_to(browser.post("/sign-in/finish")) == "/?sign_in=rejected"
    assert "You have refused." in browser.get("/?sign_in=rejected").text


def test_signs_nobody_in_who_comes_back_in_another_browser(browser, miftah):
    returned = miftah.browser.approve(led_to(browser.post("/sign-in/start")))
    browser.cookies.clear()
    assert led_to(browser.get(returned)) == "/?sign_in=dropped"
    assert "You are" not in browser.get("/").text


def test_gives_up_after_five_minutes_which_pass_at_once(browser, phone, clock):
    browser.post("/sign-in/start", data={"national_id": "1000001101"})
    phone.ignore()
    clock.advance("5m")
    assert led_to(browser.post("/sign-in/finish")) == "/?sign_in=expired"


def test_says_that_a_number_is_not_right(browser, miftah):
    for number in ("12345", "", "1900000021"):
        started = browser.post("/sign-in/start", data={"national_id": number})
        assert led_to(started) == "/?sign_in=number"


def test_ends_what_is_cancelled(browser, phone):
    browser.post("/sign-in/start", data={"national_id": "1000001101"})
    assert led_to(browser.post("/sign-in/cancel")) == "/?sign_in=cancelled"
    assert phone.prompts() == []


def test_takes_no_form_of_another_site(browser, miftah):
    other = {"origin": "http://elsewhere.test"}
    assert browser.post("/sign-in/start", headers=other).status_code == 403
