"""The application under test: a sign-in by phone, with the standard library alone."""

import json
import urllib.request


def call(url, body=None, headers=None):
    """Sends JSON, or asks, and gives the data of the answer."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **(headers or {})}
    with urllib.request.urlopen(urllib.request.Request(url, data, headers)) as answer:
        return json.load(answer)["data"]


def login_by_phone(base_url, national_id, show):
    """Signs a person in. `show` gets the number to choose on the phone."""
    attempt = call(f"{base_url}/start", {"locale": "en", "national_id": national_id})
    show(attempt["random"])
    id, token = attempt["attempt_id"], attempt["attempt_token"]
    status = "pending"
    while status == "pending":
        url = f"{base_url}/status/{id}?wait=25"
        status = call(url, headers={"X-Provider-Attempt-Token": token})["status"]
    if status != "authenticated":
        return f"Not signed in: {status}"
    user = call(f"{base_url}/token/{id}", {"attempt_token": token})["user"]
    return f"Welcome, {user['english_name']}"
