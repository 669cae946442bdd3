"""The stream of a bot, a WebSocket: challenges and tables go out, what it plays and whether it accepts comes in."""

from fastapi import APIRouter, WebSocket

from shangyou.web.errors import Why
from shangyou.web.live.bots import OnlineBot, bots_of, declared
from shangyou.web.live.callers import arena_of, player_of
from shangyou.web.live.sockets import NOBODY, admitted, talk, turn_away
from shangyou.web.table import Refused
from shangyou.web.wire.bots import BOT_MESSAGE, Accept, BotMessage, Declare, Decline
from shangyou.web.wire.messages import Pong
from shangyou.web.wire.reasons import Answer
from shangyou.web.wire.requests import Ping, read_request

router = APIRouter()


@router.websocket("/bots/stream")
async def stream(socket: WebSocket) -> None:
    async with admitted(socket) as allowed:
        if allowed:
            await _connect(socket)


async def _connect(socket: WebSocket) -> None:
    bots = bots_of(socket)
    try:
        person = await player_of(socket)
        if person is None or not person.bot:
            raise Refused("nobody", Why.stream_for_bots())
    except Refused as refused:
        return await turn_away(socket, NOBODY, refused)
    bot = await bots.connect(person)

    async def answer(text: str | bytes) -> Answer | None:
        return _carry_out(bot, read_request(BOT_MESSAGE, text))

    try:
        await talk(arena_of(socket), socket, bot.listener, answer)
    finally:
        bots.disconnect(bot)


def _carry_out(bot: OnlineBot, message: BotMessage) -> Answer | None:
    match message:
        case Ping():
            return Pong()
        case Declare(games=offers):
            answer = declared(offers)
            bot.plays = tuple(answer.plays)
            return answer
        case Accept(challenge=challenge):
            bot.answer(challenge, None)
        case Decline(challenge=challenge, reason=reason):
            bot.answer(challenge, reason or Why.bot_unwilling())
    return None
