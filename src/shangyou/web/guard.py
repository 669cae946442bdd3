"""Checks of every HTTP request: limits of its address, its size, its origin; and the headers of every answer."""

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shangyou.web.live.arena import address_of, arena_of
from shangyou.web.live.sockets import same_origin
from shangyou.web.table import Code
from shangyou.web.wire.reasons import Fault

RECORDS, MOST_RECORD_BYTES, MOST_BODY_BYTES = "/api/v1/records", 1 << 20, 1 << 16
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
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_headers_for(scope["path"]))
            await send(message)

        answer = _refusal(Request(scope)) or self.app
        await answer(scope, _at_most(receive, _most(scope["path"])), send_with_headers)


def _headers_for(path: str) -> dict[str, str]:
    """Answers of the API are never cached; files are, but the browser asks each time whether they have changed."""
    return HEADERS | {"Cache-Control": "no-store" if path.startswith("/api/") else "no-cache"}


def _most(path: str) -> int:
    return MOST_RECORD_BYTES if path == RECORDS else MOST_BODY_BYTES


def _refusal(request: Request) -> JSONResponse | None:
    headers, most = request.headers, _most(request.url.path)
    size = headers.get("content-length", "")
    if not arena_of(request).limits.requests.take(address_of(request)):
        return refuse(429, "too_many", "too many requests from this address; wait a little")
    if request.method not in ("GET", "HEAD") and not same_origin(headers.get("origin"), headers.get("host", "")):
        return refuse(403, "foreign", "this page is not ours")
    if size.isdecimal() and int(size) > most:
        return refuse(413, "too_long", f"at most {most} bytes are taken")
    return None


def _at_most(receive: Receive, most: int) -> Receive:
    """A body without a content-length is counted while it arrives."""
    size = 0

    async def counted() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > most:
            raise HTTPException(413, f"at most {most} bytes are taken")
        return message

    return counted


def refuse(status: int, code: Code, reason: str) -> JSONResponse:
    return JSONResponse(Fault.because(code, reason).model_dump(), status)
