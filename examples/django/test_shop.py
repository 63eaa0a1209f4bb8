"""Sign-ins through a real Miftah with its simulator, by the fixtures of the package."""

import os
import re

import django
import pytest
from django.test import Client, override_settings

os.environ["DJANGO_SETTINGS_MODULE"] = "shop.settings"
django.setup()

HOST = {"HTTP_HOST": "127.0.0.1:8080"}


@pytest.fixture
def browser(miftah):
    with override_settings(MIFTAH_URL=miftah.base_url):
        yield Client(**HOST)


def page(browser, path="/"):
    return browser.get(path).content.decode()


def test_signs_in_by_browser(browser, miftah):
    started = browser.post("/sign-in/start")
    returned = miftah.browser.approve(started["Location"], "siobhan")
    assert returned.startswith("http://127.0.0.1:8080/sign-in/return?")
    before = browser.cookies["sessionid"].value
    assert browser.get(returned)["Location"] == "/"
    assert "You are Siobhán Máire O&#x27;Specimen" in page(browser)
    assert browser.cookies["sessionid"].value != before


def test_signs_in_by_phone_with_the_number_that_the_page_shows(browser, phone):
    started = browser.post("/sign-in/start", {"national_id": "1000001101"})
    assert started["Location"] == "/sign-in/wait"
    [number] = re.findall(r">(\d+)</p>", page(browser, "/sign-in/wait"))
    assert browser.post("/sign-in/finish")["Location"] == "/sign-in/wait"
    assert phone.approve().random == number
    events = browser.get("/sign-in/events")
    text = b"".join(events.streaming_content).decode()
    assert '"status": "authenticated"' in text and "1000001101" not in text
    assert browser.post("/sign-in/finish")["Location"] == "/"
    assert "You are Amal Salem Nasser Alnamuthaji" in page(browser)
    assert browser.get("/sign-in/events").status_code == 204
    browser.post("/sign-out")
    assert "You are" not in page(browser)


def test_signs_nobody_in_who_refuses(browser, phone):
    browser.post("/sign-in/start", {"national_id": "1000001101"})
    phone.refuse()
    assert browser.post("/sign-in/finish")["Location"] == "/?sign_in=rejected"
    assert "You have refused." in page(browser, "/?sign_in=rejected")


def test_signs_nobody_in_who_comes_back_in_another_browser(browser, miftah):
    returned = miftah.browser.approve(browser.post("/sign-in/start")["Location"])
    other = Client(**HOST)
    assert other.get(returned)["Location"] == "/?sign_in=dropped"
    assert "You are" not in page(other)


def test_gives_up_after_five_minutes_which_pass_at_once(browser, phone, clock):
    browser.post("/sign-in/start", {"national_id": "1000001101"})
    phone.ignore()
    clock.advance("5m")
    assert browser.post("/sign-in/finish")["Location"] == "/?sign_in=expired"


def test_says_that_a_number_is_not_right(browser, miftah):
    for number in ("12345", "", "1900000021"):
        started = browser.post("/sign-in/start", {"national_id": number})
        assert started["Location"] == "/?sign_in=number"


def test_ends_what_is_cancelled(browser, miftah, phone):
    browser.post("/sign-in/start", {"national_id": "1000001101"})
    assert browser.post("/sign-in/cancel")["Location"] == "/?sign_in=cancelled"
    assert phone.prompts() == []


def test_takes_no_form_of_another_site(browser, miftah):
    careful = Client(enforce_csrf_checks=True, **HOST)
    assert careful.post("/sign-in/start").status_code == 403
