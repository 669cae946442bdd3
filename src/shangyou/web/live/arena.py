"""The parts of the server, which every request can reach, and who sends a request."""

from dataclasses import dataclass

from starlette.requests import HTTPConnection

from shangyou.web.limits import Limits
from shangyou.web.live.inference import InferencePool
from shangyou.web.live.live_tables import LiveTables
from shangyou.web.settings import Settings
from shangyou.web.storage.database import Storage
from shangyou.web.storage.people import Person, find_person

COOKIE = "shangyou"


@dataclass(frozen=True, slots=True)
class Arena:
    settings: Settings
    storage: Storage
    inference: InferencePool
    tables: LiveTables
    limits: Limits


def arena_of(connection: HTTPConnection) -> Arena:
    arena: Arena = connection.app.state.arena
    return arena


async def person_of(connection: HTTPConnection) -> Person | None:
    """Who the cookie belongs to."""
    token = connection.cookies.get(COOKIE)
    return await arena_of(connection).storage.run(find_person, token) if token else None


def address_of(connection: HTTPConnection) -> str:
    return connection.client.host if connection.client else ""
