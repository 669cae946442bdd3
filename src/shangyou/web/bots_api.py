"""HTTP: a person's bots and their tokens, the bots that are connected, challenges, the schema of the sockets."""

import json
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from shangyou.web.api import KnownPerson, MaybePerson, TheArena, check_new, welcome
from shangyou.web.errors import Why
from shangyou.web.live.bots import Bots, bots_of
from shangyou.web.live.callers import address_of, player_of
from shangyou.web.storage import bot_tokens
from shangyou.web.storage.people import Person
from shangyou.web.table import Refused
from shangyou.web.wire.answers import SeatTaken
from shangyou.web.wire.bots import BotMade, BotOut, MyBot, NewBot, NewChallenge, Revoked
from shangyou.web.wire.requests import Number
from shangyou.web.wire.socket_schema import socket_schema

SCHEMA = "application/schema+json"
router = APIRouter()
TheBots = Annotated[Bots, Depends(bots_of)]


@router.get("/me/bots")
async def list_my_bots(arena: TheArena, bots: TheBots, person: KnownPerson) -> list[MyBot]:
    """My bots, the oldest first; their tokens are not stored."""
    rows = await arena.storage.run(bot_tokens.bots_of, person)
    return [MyBot(online=row.bot in bots.online, **row._mapping) for row in rows]


@router.post("/me/bots")
async def make_bot(body: NewBot, request: Request, response: Response, arena: TheArena, person: MaybePerson) -> BotMade:
    """A new bot of mine, with the token it connects with, which is shown this once."""
    await check_new(request, arena)
    person = person or await welcome(request, response, arena)
    bot, token = await arena.storage.run(bot_tokens.add_bot, person, body.name)
    return BotMade(bot=bot.id, name=bot.nickname, token=token)


@router.delete("/me/bots/{bot}")
async def revoke_my_bot(bot: Number, arena: TheArena, bots: TheBots, person: KnownPerson) -> Revoked:
    """Make its token worthless and close its connections. What it played stays under its name."""
    if not await arena.storage.run(bot_tokens.revoke_bot, person, bot):
        raise Refused("no_bot", Why.no_such_bot())
    bots.shut_out(bot)
    return Revoked(revoked=bot)


@router.get("/bots")
async def list_bots(bots: TheBots) -> list[BotOut]:
    """The bots that are connected and can be challenged, with what they play."""
    return bots.listed()


@router.post("/challenges")
async def challenge_bots(
    body: NewChallenge, request: Request, response: Response, arena: TheArena, bots: TheBots,
    player: Annotated[Person | None, Depends(player_of)],
) -> SeatTaken:  # fmt: skip
    """A table with bots in some seats, once all of them accept; they have 15 seconds. Bots may challenge bots."""
    await check_new(request, arena)
    game = await arena.rules.load(body.game, body.rules, address_of(request))
    return await bots.challenge(player or await welcome(request, response, arena), body, game)


@router.get(
    "/sockets.schema.json", response_class=Response, responses={200: {"content": {SCHEMA: {"schema": {"type": "string"}}}}}
)
async def show_socket_schema() -> Response:
    """JSON Schema of every message on the WebSockets of tables and bots."""
    return Response(json.dumps(socket_schema(), indent=1), media_type=SCHEMA)
