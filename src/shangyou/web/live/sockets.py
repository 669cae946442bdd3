"""The live table: one WebSocket, on which the server says all that the seat may know after every change."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from urllib.parse import urlsplit

import anyio
from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from shangyou.web.limits import Bucket
from shangyou.web.live.arena import COOKIE, Arena
from shangyou.web.live.live_tables import Listener, Live
from shangyou.web.storage.people import Person, find_person
from shangyou.web.tables import table_value as rules_of_table
from shangyou.web.tables.table_value import Refused
from shangyou.web.wire.messages import (
    Answer,
    BidRequest,
    HintRequest,
    LeaveRequest,
    Message,
    Ping,
    Pong,
    RefusedOut,
    read_message,
)

NO_TABLE, FOREIGN, TOO_MANY = 4404, 4403, 4429  # codes a closed socket gives
log = logging.getLogger(__name__)
router = APIRouter()


@router.websocket("/tables/{id}/live")
async def live_table(socket: WebSocket, id: str) -> None:
    arena: Arena = socket.app.state.arena
    address = socket.client.host if socket.client else ""
    await socket.accept()
    if not same_origin(socket.headers.get("origin"), socket.headers.get("host", "")):
        return await _turn_away(socket, FOREIGN, Refused("foreign", "this page is not ours"))
    if not (arena.limits.request(address) and arena.limits.enter(address)):
        return await _turn_away(socket, TOO_MANY, Refused("too_many", "too many tables are open from this address"))
    try:
        person = await _who(arena, socket)
        live, listener = await arena.tables.listen(id, person)
    except Refused as refused:
        arena.limits.leave(address)
        return await _turn_away(socket, NO_TABLE, refused)
    try:
        await _serve(arena, socket, live, listener)
    finally:
        arena.limits.leave(address)
        arena.tables.hang_up(live, listener)


def same_origin(origin: str | None, host: str) -> bool:
    """A browser always says where a page is from; what says nothing is no browser, and has no cookie of one."""
    return origin is None or urlsplit(origin).netloc == host


async def _who(arena: Arena, socket: WebSocket) -> Person | None:
    token = socket.cookies.get(COOKIE)
    return await arena.storage.ask(find_person, token) if token else None


async def _turn_away(socket: WebSocket, code: int, refused: Refused) -> None:
    await socket.send_text(RefusedOut.because(refused.code, str(refused)).model_dump_json())
    await socket.close(code)


async def _serve(arena: Arena, socket: WebSocket, live: Live, listener: Listener) -> None:
    """Talk until one side hangs up."""
    async with anyio.create_task_group() as talking:

        async def send() -> None:
            await _send(socket, listener)
            talking.cancel_scope.cancel()

        talking.start_soon(send)
        await _receive(arena, socket, live, listener)
        talking.cancel_scope.cancel()


async def _send(socket: WebSocket, listener: Listener) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the other side is gone
        while not listener.lost:
            text = await listener.waiting.get()
            if text is None:
                break
            await socket.send_text(text)
        await socket.close(1013 if listener.lost else 1001)


async def _receive(arena: Arena, socket: WebSocket, live: Live, listener: Listener) -> None:
    bucket = Bucket(arena.settings.messages)
    while (message := await socket.receive())["type"] == "websocket.receive":
        if not bucket.take():
            await asyncio.sleep(1)  # who floods waits; their seat's turn is not touched
        answer = await _answer(arena, live, listener, message.get("text") or message.get("bytes") or "")
        if answer is not None:
            await listener.waiting.put(answer.model_dump_json())


async def _answer(arena: Arena, live: Live, listener: Listener, text: str | bytes) -> Answer | None:
    try:
        return await _do(arena, live, listener, read_message(text))
    except Refused as refused:
        return RefusedOut.because(refused.code, str(refused))
    except Exception:
        log.exception("message failed")
        return RefusedOut.because("failed", "something went wrong here; the game is as it was")


async def _do(arena: Arena, live: Live, listener: Listener, message: Message) -> Answer | None:
    """What a message asks for; actions are answered by the new state, which everybody gets."""
    seat = live.table.seat_of(listener.person)
    if isinstance(message, Ping):
        return Pong()
    if isinstance(message, HintRequest):
        return await arena.tables.hint(live, seat, message.version)
    if isinstance(message, LeaveRequest):
        await arena.tables.leave(live, seat)
        return None
    if isinstance(message, BidRequest):
        points = message.points
        await arena.tables.act(live, seat, message.version, lambda table, ms: rules_of_table.bid(table, points, ms))
        return None
    row, names = message.play, message.cards
    if row is not None:
        await arena.tables.act(live, seat, message.version, lambda table, ms: rules_of_table.play(table, row, ms))
    else:
        text = " ".join(names or ())
        await arena.tables.act(live, seat, message.version, lambda table, ms: rules_of_table.put_named(table, text, ms))
    return None
