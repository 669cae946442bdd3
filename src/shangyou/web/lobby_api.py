"""HTTP: finding other people: public tables, quick match, the games I play now."""

from fastapi import APIRouter, Request, Response

from shangyou import games
from shangyou.engines import reference
from shangyou.games import Game
from shangyou.web.api import KnownPerson, MaybePerson, TheArena, check_new, welcome
from shangyou.web.clock import STANDARD
from shangyou.web.live.arena import Arena, new_id, new_seed
from shangyou.web.storage import table_store
from shangyou.web.storage.people import Person
from shangyou.web.table import OPEN, Refused, Seat, Table
from shangyou.web.wire.answers import MyTable, PublicTable, SeatTaken
from shangyou.web.wire.requests import GameName, QuickMatch

MOST_PUBLIC = 50
router = APIRouter()


@router.get("/tables")
async def list_public_tables(arena: TheArena, person: MaybePerson, game: GameName = "") -> list[PublicTable]:
    """Public tables with a free seat, of one game or of all."""
    found = [table for table in await arena.waiting() if game in ("", table.game.name)]
    return [PublicTable.of(table, person.id if person else None) for table in found[:MOST_PUBLIC]]


@router.post("/quick")
async def quick_match(
    body: QuickMatch, request: Request, response: Response, arena: TheArena, person: MaybePerson
) -> SeatTaken:
    """Join a public table of people that waits under standard rules, or open one. Who waits already keeps waiting."""
    rules = games.rules_of(body.game).standard[-1]
    game = await arena.inference.run(lambda: games.load_text(body.game, rules))
    person = person or await welcome(request, response, arena)
    async with arena.storage.one_at_a_time("quick match"):
        return await _join_waiting(arena, game, person) or await _open_waiting(arena, game, person, request)


async def _join_waiting(arena: Arena, game: Game, person: Person) -> SeatTaken | None:
    found = [table for table in await arena.waiting() if table.game.name == game.name and _is_quick(table)]
    for table in sorted(found, key=lambda table: table.seat_of(person.id) is None):  # where I wait comes first
        try:
            return SeatTaken(table=table.id, seat=await arena.join(table.id, person))
        except Refused:  # somebody was faster, by the list of public tables
            continue
    return None


def _is_quick(table: Table) -> bool:
    """Whether a table is what a quick match opens: people only, standard rules, no hints."""
    people = all(seat.kind != "agent" for seat in table.seats)
    return people and not table.hints and table.game.rules.is_standard


async def _open_waiting(arena: Arena, game: Game, person: Person, request: Request) -> SeatTaken:
    await check_new(request, arena)
    first = reference.deal(game, new_seed())
    seats = (Seat("person", person.nickname, person.id), *[OPEN] * (game.seats - 1))
    table = Table(new_id("t"), first, seats, hints=False, listed=True, clock=STANDARD)
    await arena.open(table, first, store_deal=False)
    return SeatTaken(table=table.id, seat=0)


@router.get("/me/tables")
async def my_tables(arena: TheArena, person: KnownPerson) -> list[MyTable]:
    """The tables at which I play or wait, latest first."""
    ids = await arena.storage.run(table_store.tables_of, person)
    found = [((await arena.find(id)).table) for id in ids]
    return [MyTable.of(table, seat) for table in found if (seat := table.seat_of(person.id)) is not None]
