"""The server as a FastAPI application: the API, live tables, the page; start and clean stop. `create_app(Settings())`."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html import escape
from pathlib import Path, PurePosixPath

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from shangyou import games
from shangyou.games import BadInput
from shangyou.games.errors import Reason
from shangyou.web import (
    api,
    archive_api,
    bots_api,
    daily_api,
    lobby_api,
    match_api,
    me_api,
    puzzles_api,
    ratings_api,
    reviews_api,
)
from shangyou.web.errors import Why
from shangyou.web.guard import TOO_LONG, Guard, refuse
from shangyou.web.live import bot_sockets, sockets
from shangyou.web.live.arena import Arena
from shangyou.web.live.bots import Bots
from shangyou.web.live.following import follow
from shangyou.web.live.inference import listed
from shangyou.web.proxies import BehindProxy, Proxies
from shangyou.web.settings import Settings
from shangyou.web.table import Code, Refused
from shangyou.web.wire.answers import FAULTS
from shangyou.web.wire.requests import explain

STATIC = Path(__file__).parent / "static"
ROOT = "/api/v1"
OPENAPI = f"{ROOT}/openapi.json"
STATUS_OF = {
    "no_table": 404, "no_match": 404, "no_daily": 404, "no_replay": 404, "no_device": 404, "no_bot": 404, "nobody": 401,
    "not_seated": 403, "wrong_code": 403, "not_for_bots": 403, "full": 409, "declined": 409,
    "too_many": 429, "too_many_records": 409,
}  # fmt: skip
OF_STATUS: dict[int, tuple[Code, Reason]] = {
    404: ("not_found", Why.nothing_here()),
    405: ("no_method", Why.method_wrong()),
    413: ("too_long", TOO_LONG),
}
ROUTERS = (
    api, me_api, archive_api, reviews_api, lobby_api, match_api, daily_api, puzzles_api, ratings_api, bots_api, sockets,
    bot_sockets,
)  # fmt: skip
log = logging.getLogger(__name__)


def create_app(settings: Settings, arena: Arena | None = None) -> FastAPI:
    """The arena is opened with the server, unless one is given that is open already."""
    app = FastAPI(title="shangyou arena", version="1", openapi_url=OPENAPI, docs_url=None, redoc_url=None, lifespan=_alive)
    app.state.settings, app.state.arena = settings, arena
    app.add_middleware(Guard)
    app.add_middleware(GZipMiddleware)
    app.add_middleware(BehindProxy, proxies=Proxies(settings.proxies))
    for kind in (BadInput, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, _explain)
    for module in ROUTERS:
        app.include_router(module.router, prefix=ROOT, responses=FAULTS)
    app.add_api_route("/docs", _list_routes, include_in_schema=False)
    app.mount("/", Page(directory=STATIC, html=True))
    return app


@asynccontextmanager
async def _alive(app: FastAPI) -> AsyncIterator[None]:
    app.state.arena = arena = app.state.arena or Arena(app.state.settings)
    app.state.bots = Bots(arena)
    tasks = (*(asyncio.create_task(work) for work in (_warm_up(arena), arena.sweep(), follow(arena))),)
    log.info("started", extra={"database": arena.storage.engine.dialect.name})
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await arena.stop()
        log.info("stopped")


async def _warm_up(arena: Arena) -> None:
    """Build what the first request would wait for: the tables of plays and the list of models."""
    for name in games.names():
        game = await arena.rules.load(name)
        await arena.inference.open(lambda game=game: listed(game))  # type: ignore[misc]


class Page(StaticFiles):
    """Files of the page; an address that names no file gets the page itself."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        try:
            return await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404 or PurePosixPath(path).suffix or path.startswith("api"):
                raise
            return await super().get_response("index.html", scope)


async def _explain(_: Request, error: Exception) -> JSONResponse:
    """Every error as a `Fault` with its HTTP status."""
    if isinstance(error, BadInput):
        code: Code = error.code if isinstance(error, Refused) else "bad_input"
        return refuse(STATUS_OF.get(code, 400), code, error.reason)
    if isinstance(error, RequestValidationError):
        return refuse(422, "malformed", Why.malformed(error=explain(error.errors())))
    if isinstance(error, HTTPException):
        code, reason = OF_STATUS.get(error.status_code) or ("malformed", Why.malformed(error=error.detail))
        return refuse(error.status_code, code, reason)
    log.error("request failed", exc_info=error)
    return refuse(500, "failed", Why.server_failed())


async def _list_routes(request: Request) -> HTMLResponse:
    """The routes as a page without scripts: FastAPI's own page loads some from elsewhere, which our headers forbid."""
    spec = request.app.openapi()
    rows = "".join(
        f"<tr><td>{method.upper()}</td><td><code>{escape(path)}</code></td><td>{escape(route.get('description', ''))}</td></tr>"
        for path, methods in spec["paths"].items()
        for method, route in methods.items()
    )
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>shangyou API</title>'
    note = f'<p>Types of all fields: <a href="{OPENAPI}">{OPENAPI}</a> (OpenAPI).</p>'
    return HTMLResponse(f"{head}<h1>shangyou API</h1>{note}<table>{rows}</table></html>")
