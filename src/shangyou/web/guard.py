"""Checks of every HTTP request: limits of its address, its size, its origin; and the headers of every answer."""

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shangyou.games.errors import Reason
from shangyou.web.errors import Why
from shangyou.web.live.callers import address_of, arena_of
from shangyou.web.live.sockets import same_origin
from shangyou.web.table import Code
from shangyou.web.wire.reasons import Fault

RECORDS, MOST_RECORD_BYTES, MOST_BODY_BYTES = "/api/v1/records", 1 << 20, 1 << 16
TOO_LONG = Why.body_long(n=MOST_BODY_BYTES, records=MOST_RECORD_BYTES)
ALLOWED = {"default-src": "self", "form-action": "self", "object-src": "none", "base-uri": "none", "frame-ancestors": "none"}
HEADERS = {
    "Content-Security-Policy": "; ".join(f"{what} '{whence}'" for what, whence in ALLOWED.items()),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Guard:
    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        most = MOST_RECORD_BYTES if scope["path"] == RECORDS else MOST_BODY_BYTES
        # the browser stores no answers of the API; files it does, but asks each time whether they have changed
        headers = HEADERS | {"Cache-Control": "no-store" if scope["path"].startswith("/api/") else "no-cache"}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(headers)
            await send(message)

        answer = _refusal(Request(scope), most) or self.app
        return await answer(scope, _at_most(receive, most), send_with_headers)


def _refusal(request: Request, most: int) -> JSONResponse | None:
    headers, size = request.headers, request.headers.get("content-length", "")
    if not arena_of(request).limits.requests.take(address_of(request)):
        return refuse(429, "too_many", Why.too_many_requests())
    if request.method not in ("GET", "HEAD") and not same_origin(headers.get("origin"), headers.get("host", "")):
        return refuse(403, "foreign", Why.foreign_page())
    if size.isdecimal() and int(size) > most:
        return refuse(413, "too_long", TOO_LONG)
    return None


def _at_most(receive: Receive, most: int) -> Receive:
    """A body without a content-length is counted while it arrives."""
    size = 0

    async def counted() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > most:
            raise HTTPException(413)
        return message

    return counted


def refuse(status: int, code: Code, reason: Reason | str) -> JSONResponse:
    return JSONResponse(Fault.because(code, reason).model_dump(), status)
