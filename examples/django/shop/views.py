"""People sign in by browser, or by phone with a number to match."""

import functools
import logging

from django.conf import settings
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST
from miftah import EVENT_STREAM, LoginResult, Miftah, MiftahError, relay_events

log = logging.getLogger(__name__)

ENDS = {
    "rejected": "You have refused.",
    "expired": "The time was over. Please try again.",
    "cancelled": "The sign-in was cancelled.",
    "number": "This national id is not right. Please check it.",
}


@functools.lru_cache
def client(base_url, client_key):
    """One for the whole process, which keeps its connections."""
    return Miftah(base_url, client_key)


def login_of(request):
    return client(settings.MIFTAH_URL, settings.MIFTAH_KEY).login(request.session)


@require_GET
def home(request):
    user = request.session.get("user")
    # What an address says anybody can write: only texts of this page are shown.
    end = request.GET.get("sign_in")
    told = end and ENDS.get(end, "You could not be signed in. Please try again.")
    return render(request, "home.html", {"user": user, "told": told})


@require_POST
def start(request):
    # A form without the field is a sign-in by browser. An empty number is refused by the service.
    person = {"national_id": request.POST["national_id"]} if "national_id" in request.POST else {}
    try:
        attempt = login_of(request).start(
            locale="en",
            return_address=f"{settings.APP_URL}/sign-in/return",
            end_user_address=request.META["REMOTE_ADDR"],
            **person,
        )
    except MiftahError as error:
        return refused(error)
    return redirect(attempt.authorization_url or "/sign-in/wait")


@require_GET
def came_back(request):
    """By browser: its address has the code that only this browser was given."""
    return finished(request, request.get_full_path())


@require_GET
def wait(request):
    """By phone: the number to choose there."""
    attempt = login_of(request).attempt()
    if attempt is None or attempt.random is None:
        return redirect("/")
    return render(request, "wait.html", {"random": attempt.random})


@require_GET
def events(request):
    """What becomes of it, for the page that waits."""
    attempt = login_of(request).attempt()
    last = request.headers.get("Last-Event-ID")
    told = attempt and relay_events(attempt, last_event_id=last)
    if told is None:
        return HttpResponse(status=204)
    return StreamingHttpResponse(told, headers=EVENT_STREAM)


@require_POST
def finish(request):
    return finished(request)


def finished(request, returned=None):
    try:
        result = login_of(request).finish(returned, end_user_address=request.META["REMOTE_ADDR"])
    except MiftahError as error:
        return refused(error)
    return ended(request, result)


def ended(request, result: LoginResult):
    if result.outcome == "pending":
        return redirect("/sign-in/wait")
    if result.token is None:
        return redirect(f"/?sign_in={result.outcome}")
    # A new id, because somebody else may know the one from before.
    request.session.cycle_key()
    request.session["user"] = {"id": result.token.user.id, "name": result.token.user.name}
    return redirect("/")


@require_POST
def cancel(request):
    login = login_of(request)
    attempt = login.attempt()
    login.forget()
    try:
        if attempt is not None:
            attempt.cancel(end_user_address=request.META["REMOTE_ADDR"])
    except MiftahError as error:
        log.warning("A cancel was refused: %s (%s)", error, error.request_id)
    return redirect("/?sign_in=cancelled")


@require_POST
def sign_out(request):
    request.session.flush()
    return redirect("/")


def refused(error: MiftahError):
    log.error("A sign-in was refused: %s %s (%s)", error, error.remedy, error.request_id)
    is_mistyped = any(one["pointer"] == "/national_id" for one in error.violations)
    known = is_mistyped or error.code == "provider.record_not_found"
    return redirect(f"/?sign_in={'number' if known else 'refused'}")
