"""People sign in by browser, or by phone with a number to match."""

import html
import logging
import os
import secrets
from urllib.parse import parse_qsl

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from miftah import EVENT_STREAM, AsyncMiftah, MiftahError, relay_events_async

log = logging.getLogger(__name__)

ENDS = {
    "rejected": "You have refused.",
    "expired": "The time was over. Please try again.",
    "cancelled": "The sign-in was cancelled.",
    "number": "This national id is not right. Please check it.",
}
HOME = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title><h1>Shop</h1>{told}"""
FORMS = """<form method="post" action="/sign-in/start"><button>Sign in</button></form>
<form method="post" action="/sign-in/start">
<label>National id <input name="national_id" inputmode="numeric" required></label>
<button>Sign in by phone</button></form>"""
OUT = '<form method="post" action="/sign-out"><button>Sign out</button></form>'
WAIT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in by phone</title>
<h1>Choose this number on your phone</h1><p id="number" role="status">{random}</p>
<form id="finish" method="post" action="/sign-in/finish"><button>I have chosen it</button></form>
<form method="post" action="/sign-in/cancel"><button>Cancel</button></form>
<script>
  const events = new EventSource('/sign-in/events');
  const finish = () => document.getElementById('finish').submit();
  events.addEventListener('status', ({{ data }}) => {{
    if (JSON.parse(data).status === 'pending') return;
    events.close();
    finish();
  }});
  events.addEventListener('failure', finish);
</script>"""


class Sessions:
    """By the id in the cookie. Use the store of your sessions: it has to be at the server, because a
    session has the secrets of a sign-in, and not in the cookie, as that of Starlette's middleware is.
    """

    def __init__(self, is_secure: bool) -> None:
        self._all: dict[str, dict] = {}
        self._is_secure = is_secure

    def of(self, request: Request) -> dict:
        return self._all.get(request.cookies.get("session", ""), {})

    def begin(self, request: Request, response: Response, session: dict) -> None:
        """With a new id, because somebody else may know the one from before."""
        self.end(request)
        session_id = secrets.token_urlsafe()
        self._all[session_id] = session
        response.set_cookie("session", session_id, httponly=True, samesite="lax", secure=self._is_secure)

    def end(self, request: Request) -> None:
        self._all.pop(request.cookies.get("session", ""), None)


def create_app(miftah: AsyncMiftah, app_url: str) -> FastAPI:
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    sessions = Sessions(app_url.startswith("https:"))

    async def form_of(request: Request) -> dict[str, str]:
        """Only of a page of this application: by a form elsewhere another site could begin a sign-in."""
        if request.headers.get("origin") != app_url:
            raise HTTPException(403, f"Open {app_url} in the place of this address.")
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > 4096:
                raise HTTPException(413)
        return dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True))

    @app.get("/")
    async def home(request: Request) -> HTMLResponse:
        user = sessions.of(request).get("user")
        # What an address says anybody can write: only texts of this page are shown.
        end = request.query_params.get("sign_in")
        alert = ENDS.get(end, "You could not be signed in. Please try again.") if end else ""
        told = f'<p role="alert">{alert}</p>' if alert else ""
        shown = f"<p>You are {html.escape(user)}</p>{OUT}" if user else FORMS
        return HTMLResponse(HOME.format(told=told) + shown)

    @app.post("/sign-in/start")
    async def start(request: Request) -> Response:
        form = await form_of(request)
        # A form without the field is a sign-in by browser. An empty number is refused by the service.
        person = {"national_id": form["national_id"]} if "national_id" in form else {}
        session: dict = {}
        try:
            attempt = await miftah.login(session).start(
                locale="en",
                return_address=f"{app_url}/sign-in/return",
                end_user_address=request.client.host,
                **person,
            )
        except MiftahError as error:
            return refused(error)
        response = RedirectResponse(attempt.authorization_url or "/sign-in/wait", 303)
        sessions.begin(request, response, session)
        return response

    @app.get("/sign-in/return")
    async def came_back(request: Request) -> Response:
        """By browser: its address has the code that only this browser was given."""
        return await finished(request, str(request.url))

    @app.get("/sign-in/wait")
    async def wait(request: Request) -> Response:
        """By phone: the number to choose there."""
        attempt = miftah.login(sessions.of(request)).attempt()
        if attempt is None or attempt.random is None:
            return RedirectResponse("/", 303)
        return HTMLResponse(WAIT.format(random=html.escape(attempt.random)))

    @app.get("/sign-in/events")
    async def events(request: Request) -> Response:
        """What becomes of it, for the page that waits."""
        attempt = miftah.login(sessions.of(request)).attempt()
        last = request.headers.get("last-event-id")
        told = attempt and relay_events_async(attempt, last_event_id=last)
        return StreamingResponse(told, headers=EVENT_STREAM) if told else Response(status_code=204)

    @app.post("/sign-in/finish")
    async def finish(request: Request) -> Response:
        await form_of(request)
        return await finished(request)

    async def finished(request: Request, returned: "str | None" = None) -> Response:
        login = miftah.login(sessions.of(request))
        try:
            result = await login.finish(returned, end_user_address=request.client.host)
        except MiftahError as error:
            return refused(error)
        if result.outcome == "pending":
            return RedirectResponse("/sign-in/wait", 303)
        if result.token is None:
            return RedirectResponse(f"/?sign_in={result.outcome}", 303)
        response = RedirectResponse("/", 303)
        sessions.begin(request, response, {"user": result.token.user.name})
        return response

    @app.post("/sign-in/cancel")
    async def cancel(request: Request) -> Response:
        await form_of(request)
        login = miftah.login(sessions.of(request))
        attempt = login.attempt()
        login.forget()
        try:
            if attempt is not None:
                await attempt.cancel(end_user_address=request.client.host)
        except MiftahError as error:
            log.warning("A cancel was refused: %s (%s)", error, error.request_id)
        return RedirectResponse("/?sign_in=cancelled", 303)

    @app.post("/sign-out")
    async def sign_out(request: Request) -> Response:
        await form_of(request)
        sessions.end(request)
        return RedirectResponse("/", 303)

    return app


def refused(error: MiftahError) -> Response:
    log.error("A sign-in was refused: %s %s (%s)", error, error.remedy, error.request_id)
    is_mistyped = any(one["pointer"] == "/national_id" for one in error.violations)
    known = is_mistyped or error.code == "provider.record_not_found"
    return RedirectResponse(f"/?sign_in={'number' if known else 'refused'}", 303)


def from_environment() -> FastAPI:
    """`uvicorn --factory app:from_environment --port 8080 --no-access-log`"""
    url = os.environ.get("MIFTAH_URL", "http://127.0.0.1:3000/api/v1")
    miftah = AsyncMiftah(url, os.environ.get("MIFTAH_KEY", "mfk_test_simulator"))
    return create_app(miftah, os.environ.get("APP_URL", "http://127.0.0.1:8080"))
