"""The WebSocket of a table: after every change the server sends all that the seat may know."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from shangyou.games import BadInput
from shangyou.web.errors import Why
from shangyou.web.limits import RateLimit
from shangyou.web.live.arena import Arena
from shangyou.web.live.callers import address_of, arena_of, player_of
from shangyou.web.live.live_table import Listener, LiveTable
from shangyou.web.table import Refused
from shangyou.web.wire.messages import Pong, RefusedOut
from shangyou.web.wire.reasons import Answer
from shangyou.web.wire.requests import (
    AgreeRequest,
    BidRequest,
    FillRequest,
    HintRequest,
    LeaveRequest,
    Message,
    PhraseRequest,
    Ping,
    PlayRequest,
    RematchRequest,
    read_message,
)

NO_TABLE, FOREIGN, NOBODY, TOO_MANY = 4404, 4403, 4401, 4429  # codes a closed socket gives; a dropped listener has its own
Answering = Callable[[str | bytes], Awaitable[Answer | None]]  # what a message is answered by, or a `BadInput` why not
log = logging.getLogger(__name__)
router = APIRouter()


@router.websocket("/tables/{id}/live")
async def live_table(socket: WebSocket, id: str) -> None:
    async with admitted(socket) as allowed:
        if allowed:
            await _sit(socket, id)


async def _sit(socket: WebSocket, id: str) -> None:
    arena = arena_of(socket)
    try:
        live, listener = await arena.listen(id, await player_of(socket))
    except Refused as refused:
        return await turn_away(socket, NOBODY if refused.code == "nobody" else NO_TABLE, refused)

    async def answer(text: str | bytes) -> Answer | None:
        return await _carry_out(arena, live, listener, read_message(text))

    try:
        await talk(arena, socket, listener, answer)
    finally:
        arena.hang_up(live, listener)


@asynccontextmanager
async def admitted(socket: WebSocket) -> AsyncIterator[bool]:
    """Accept a socket; whether it may stay. One of a foreign page, or too many from an address, are closed with a reason."""
    arena, address = arena_of(socket), address_of(socket)
    await socket.accept()
    with arena.limits.socket(address) as allowed:
        own = same_origin(socket.headers.get("origin"), socket.headers.get("host", ""))
        allowed = own and arena.limits.requests.take(address) and allowed
        if not own:
            await turn_away(socket, FOREIGN, Refused("foreign", Why.foreign_page()))
        elif not allowed:
            await turn_away(socket, TOO_MANY, Refused("too_many", Why.too_many_sockets()))
        yield allowed


def same_origin(origin: str | None, host: str) -> bool:
    """A browser always sends the origin of a page; a program that sends none has no cookie of a browser."""
    return origin is None or origin.partition("://")[2] == host


async def turn_away(socket: WebSocket, code: int, refused: Refused) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the other side is gone
        await socket.send_text(RefusedOut.because(refused.code, refused.reason).model_dump_json())
        await socket.close(code)


async def talk(arena: Arena, socket: WebSocket, listener: Listener, answer: Answering) -> None:
    """Send what waits for the listener, and answer what comes in, until one side closes the socket."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_send, socket, listener, tasks.cancel_scope)
        await _receive(arena, socket, listener, answer)
        tasks.cancel_scope.cancel()


async def _send(socket: WebSocket, listener: Listener, both: anyio.CancelScope) -> None:
    """Send until one side closes the socket, then stop receiving too."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the other side is gone
        while (text := await listener.queue.get()) is not None:
            await socket.send_text(text)
        await socket.close(listener.closes_with)
    both.cancel()


async def _receive(arena: Arena, socket: WebSocket, listener: Listener, answer: Answering) -> None:
    limit = RateLimit(arena.settings.messages)
    while (message := await socket.receive())["type"] == "websocket.receive":
        if not limit.take():
            await asyncio.sleep(1)  # who floods waits; their seat's turn is not touched
        sent = await _answer_or_refuse(answer, message.get("text") or message.get("bytes") or "")
        if sent is not None:
            await listener.queue.put(sent.model_dump_json())


async def _answer_or_refuse(answer: Answering, text: str | bytes) -> Answer | None:
    try:
        return await answer(text)
    except BadInput as error:
        return RefusedOut.because(error.code if isinstance(error, Refused) else "bad_input", error.reason)
    except Exception:
        log.exception("message failed")
        return RefusedOut.because("failed", Why.server_failed())


async def _carry_out(arena: Arena, live: LiveTable, listener: Listener, message: Message) -> Answer | None:
    """What a message asks for; actions are answered by the new state, which everybody gets."""
    person = listener.person
    match message:
        case Ping():
            return Pong()
        case HintRequest(version=version, think=False):
            return await arena.hints.hint(live, listener.person, version)
        case HintRequest(version=version):
            return await arena.hints.think(live, listener, version)
        case LeaveRequest():
            await arena.leave(live, person)
        case AgreeRequest(hints=hints):
            await arena.agree(live, person, hints)
        case FillRequest():
            await arena.fill(live, person)
        case RematchRequest():
            await arena.rematch(live, person)
        case PhraseRequest(phrase=phrase):
            await arena.say(live, person, phrase)
        case BidRequest(version=version, points=points):
            await arena.act(live, person, version, lambda table, ms: table.bid(points, ms))
        case PlayRequest(version=version, play=int(row)):
            await arena.act(live, person, version, lambda table, ms: table.play(row, ms))
        case PlayRequest(version=version, cards=names):
            await arena.act(live, person, version, lambda table, ms: table.put(" ".join(names or ()), ms))
    return None
