"""The WebSocket of a table: after every change the server sends all that the seat may know."""

import asyncio
import contextlib
import logging
from urllib.parse import urlsplit

import anyio
from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from shangyou.web.limits import RateLimit
from shangyou.web.live.arena import Arena, address_of, arena_of, person_of
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

NO_TABLE, FOREIGN, TOO_MANY, COME_AGAIN = 4404, 4403, 4429, 1013  # codes a closed socket gives
log = logging.getLogger(__name__)
router = APIRouter()


@router.websocket("/tables/{id}/live")
async def live_table(socket: WebSocket, id: str) -> None:
    arena, address = arena_of(socket), address_of(socket)
    await socket.accept()
    if not same_origin(socket.headers.get("origin"), socket.headers.get("host", "")):
        return await _turn_away(socket, FOREIGN, Refused("foreign", "this page is not ours"))
    with arena.limits.socket(address) as allowed:
        if not (arena.limits.requests.take(address) and allowed):
            return await _turn_away(socket, TOO_MANY, Refused("too_many", "too many tables are open from this address"))
        try:
            live, listener = await arena.listen(id, await person_of(socket))
        except Refused as refused:
            return await _turn_away(socket, NO_TABLE, refused)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_send, socket, listener, tasks.cancel_scope)
                await _receive(arena, socket, live, listener)
                tasks.cancel_scope.cancel()
        finally:
            arena.hang_up(live, listener)


def same_origin(origin: str | None, host: str) -> bool:
    """A browser always sends the origin of a page; a program that sends none has no cookie of a browser."""
    return origin is None or urlsplit(origin).netloc == host


async def _turn_away(socket: WebSocket, code: int, refused: Refused) -> None:
    await socket.send_text(RefusedOut.because(refused.code, str(refused)).model_dump_json())
    await socket.close(code)


async def _send(socket: WebSocket, listener: Listener, both: anyio.CancelScope) -> None:
    """Send until one side closes the socket, then stop receiving too."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the other side is gone
        while (text := await listener.queue.get()) is not None:
            await socket.send_text(text)
        await socket.close(COME_AGAIN)
    both.cancel()


async def _receive(arena: Arena, socket: WebSocket, live: LiveTable, listener: Listener) -> None:
    limit = RateLimit(arena.settings.messages)
    while (message := await socket.receive())["type"] == "websocket.receive":
        if not limit.take():
            await asyncio.sleep(1)  # who floods waits; their seat's turn is not touched
        answer = await _answer(arena, live, listener, message.get("text") or message.get("bytes") or "")
        if answer is not None:
            await listener.queue.put(answer.model_dump_json())


async def _answer(arena: Arena, live: LiveTable, listener: Listener, text: str | bytes) -> Answer | None:
    try:
        return await _carry_out(arena, live, live.table.seat_of(listener.person), read_message(text))
    except Refused as refused:
        return RefusedOut.because(refused.code, str(refused))
    except Exception:
        log.exception("message failed")
        return RefusedOut.because("failed", "something went wrong here; the game is as it was")


async def _carry_out(arena: Arena, live: LiveTable, seat: int | None, message: Message) -> Answer | None:
    """What a message asks for; actions are answered by the new state, which everybody gets."""
    match message:
        case Ping():
            return Pong()
        case HintRequest(version=version):
            return await arena.hint(live, seat, version)
        case LeaveRequest():
            await arena.leave(live, seat)
        case AgreeRequest(hints=hints):
            await arena.agree(live, seat, hints)
        case FillRequest():
            await arena.fill(live, seat)
        case RematchRequest():
            await arena.rematch(live, seat)
        case PhraseRequest(phrase=phrase):
            arena.say(live, seat, phrase)
        case BidRequest(version=version, points=points):
            await arena.act(live, seat, version, lambda table, ms: table.bid(points, ms))
        case PlayRequest(version=version, play=int(row)):
            await arena.act(live, seat, version, lambda table, ms: table.play(row, ms))
        case PlayRequest(version=version, cards=names):
            await arena.act(live, seat, version, lambda table, ms: table.put(" ".join(names or ()), ms))
    return None
