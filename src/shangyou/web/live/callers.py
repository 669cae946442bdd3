"""Who sends a request or opens a socket: the arena it is for, the person or bot, the address it is counted for."""

from starlette.requests import HTTPConnection

from shangyou.web.errors import Why
from shangyou.web.limits import group_of
from shangyou.web.live.arena import Arena
from shangyou.web.storage.bot_tokens import find_bot
from shangyou.web.storage.people import Person, find_person
from shangyou.web.table import Refused

COOKIE = "shangyou"


def arena_of(connection: HTTPConnection) -> Arena:
    arena: Arena = connection.app.state.arena
    return arena


async def person_of(connection: HTTPConnection) -> Person | None:
    """Who the cookie belongs to. A bot may ask only where `player_of` is."""
    if token_of_bot(connection) is not None:
        raise Refused("not_for_bots", Why.not_for_bots())
    token = connection.cookies.get(COOKIE)
    return await arena_of(connection).storage.run(find_person, token) if token else None


async def player_of(connection: HTTPConnection) -> Person | None:
    """The bot whose token was sent, else who the cookie belongs to."""
    token = token_of_bot(connection)
    if token is None:
        return await person_of(connection)
    bot = await arena_of(connection).storage.run(find_bot, token)
    if bot is None:
        raise Refused("nobody", Why.token_unknown())
    return bot


def token_of_bot(connection: HTTPConnection) -> str | None:
    """Of a header `Authorization: Bearer TOKEN`."""
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def address_of(connection: HTTPConnection) -> str:
    """The address a request is counted for."""
    return group_of(connection.client.host) if connection.client else ""
