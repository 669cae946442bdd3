"""HTTP: games and agents, who I am, tables, positions."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from shangyou import games
from shangyou.engines import position, reference
from shangyou.engines.reference import State
from shangyou.games import BadInput, Game
from shangyou.records import Record
from shangyou.records.errors import check_game
from shangyou.web.clock import Clock
from shangyou.web.errors import Why
from shangyou.web.live.arena import Arena, new_id, new_seed
from shangyou.web.live.callers import COOKIE, address_of, arena_of, person_of
from shangyou.web.live.inference import adviser, check_listed, listed
from shangyou.web.storage import archive, table_store
from shangyou.web.storage.archive import StoredGame
from shangyou.web.storage.people import Person, add_person, change_person, clean_nickname, device_name
from shangyou.web.table import Refused, Seat, Table
from shangyou.web.wire.answers import AgentOut, GameOut, HealthOut, MeOut, SeatTaken, SuggestOut, TableOut
from shangyou.web.wire.play_answers import PlayOut, legal_plays, suggestions_out
from shangyou.web.wire.requests import GameName, Id, Join, Me, NewTable, Position, RulesText, Wish

YEAR = 365 * 24 * 3600
ME, OPEN = "me", "open"
router = APIRouter()

TheArena = Annotated[Arena, Depends(arena_of)]
MaybePerson = Annotated[Person | None, Depends(person_of)]


async def known_person_of(person: MaybePerson) -> Person:
    if person is None:
        raise Refused("nobody", Why.not_known())
    return person


KnownPerson = Annotated[Person, Depends(known_person_of)]


# -- games, agents, health --------------------------------------------------------------------------------------------


@router.get("/games")
async def list_games(arena: TheArena) -> list[GameOut]:
    """The games, with the fields of their rules and what each may be."""
    return [GameOut.of(await arena.rules.load(name)) for name in games.names()]


@router.get("/games/{game}")
async def get_game(request: Request, arena: TheArena, game: Annotated[GameName, Path()], rules: RulesText = "") -> GameOut:
    """A game under these rules."""
    return GameOut.of(await arena.rules.load(game, rules, address_of(request)))


@router.get("/agents")
async def list_agents(request: Request, arena: TheArena, game: GameName, rules: RulesText = "") -> list[AgentOut]:
    """Who plays a game under these rules."""
    found = await arena.rules.load(game, rules, address_of(request))
    return await arena.inference.open(lambda: listed(found))


@router.get("/health")
async def health(arena: TheArena) -> HealthOut:
    """Up, and the database answers."""
    running = await arena.storage.run(table_store.count_tables)
    database, processes = arena.storage.engine.dialect.name, len(arena.peers.alive)
    return HealthOut(tables=running, in_memory=len(arena.live), database=database, processes=processes)


# -- me ---------------------------------------------------------------------------------------------------------------


@router.get("/me")
async def get_me(person: MaybePerson) -> MeOut:
    """My nickname, and whether my finished games may be given to others to learn from."""
    shown = person or Person(0)
    return MeOut(known=person is not None, nickname=shown.nickname, keep=shown.keep)


@router.post("/me")
async def set_me(body: Me, request: Request, response: Response, arena: TheArena, person: MaybePerson) -> MeOut:
    """Change them. Who has no cookie yet gets one."""
    person = person or await welcome(request, response, arena)
    nickname = person.nickname if body.nickname is None else clean_nickname(body.nickname)
    person = replace(person, nickname=nickname, keep=person.keep if body.keep is None else body.keep)
    await arena.storage.run(change_person, person)
    return await get_me(person)


async def welcome(request: Request, response: Response, arena: Arena) -> Person:
    await check_new(request, arena)
    person, token = await arena.storage.run(add_person, device_of(request))
    give_cookie(request, response, token)
    return person


def device_of(request: Request) -> str:
    return device_name(request.headers.get("user-agent", ""))


def give_cookie(request: Request, response: Response, token: str) -> None:
    secure = request.scope["scheme"] == "https"
    response.set_cookie(COOKIE, token, max_age=YEAR, httponly=True, samesite="strict", secure=secure)


async def check_new(request: Request, arena: Arena) -> None:
    """People, tables and records stay in the database: few at a time from one address."""
    if not await arena.take("tables", address_of(request)):
        raise Refused("too_many", Why.too_many_new())


# -- tables -----------------------------------------------------------------------------------------------------------


@router.post("/tables")
async def open_table(body: NewTable, request: Request, response: Response, arena: TheArena, person: MaybePerson) -> SeatTaken:
    """Open a table and sit down. `same_deal` is a finished game to get the cards of, `from` one to go on from."""
    game = await arena.rules.load(body.game, body.rules, address_of(request))
    await arena.inference.open(lambda: _check_new_table(body, game))
    first, record = await _first_state(arena, body, game)
    await check_new(request, arena)
    person = person or await welcome(request, response, arena)
    seats = tuple(_seat(name, person, body.hints) for name in body.seats)
    clock = Clock(**body.clock.model_dump()) if body.clock else None
    table = Table(new_id("t"), first, seats, body.hints, body.pace, not body.known_cards, listed=body.listed, clock=clock)
    if record and body.begin:
        for points in record.bids:
            table = table.bid(points)
        for _, cards in record.turns[: body.begin.turn]:
            table = table.put(cards)
    if table.state.over:
        raise BadInput(Why.earlier_turn())
    await arena.open(table, first, store_deal=record is not None)
    return SeatTaken(table=table.id, seat=body.seats.index(ME))


def _check_new_table(body: NewTable, game: Game) -> None:
    if len(body.seats) != game.seats or body.seats.count(ME) != 1:
        raise BadInput(Why.seats_and_me(game=game.name, seats=game.seats, given=body.seats))
    if body.known_cards and OPEN in body.seats:
        raise BadInput(Why.new_cards())
    if body.known_cards > 1:
        raise BadInput(Why.one_of_three())
    if body.listed and (OPEN not in body.seats or body.clock is None):
        raise Refused("no_clock", Why.no_clock())
    for name in body.seats:
        if name not in (ME, OPEN):
            check_listed(name, game)


async def _first_state(arena: Arena, body: NewTable, game: Game) -> tuple[State, Record | None]:
    """The state after the deal, and the finished game it is taken from, if one is named."""
    seed = new_seed() if body.seed is None else body.seed
    id = body.same_deal or (body.begin.replay if body.begin else None)
    if id is None:
        return reference.deal(game, seed), None
    record = (await find_game(arena, id)).record
    check_game(game, record.game.name)
    deal = game.make_deal(record.deal.hands, record.deal.public, record.deal.first)
    if body.begin and record.game.rules != game.rules:
        raise BadInput(Why.other_rules(rules=str(record.game.rules)))
    if body.begin and body.begin.turn > len(record.turns):
        raise BadInput(Why.turns_number(turns=len(record.turns), turn=body.begin.turn))
    return reference.start(game, deal, seed), record


async def find_game(arena: Arena, id: str) -> StoredGame:
    stored = await arena.storage.run(archive.find_game, id)
    if stored is None:
        raise Refused("no_replay", Why.no_replay())
    await arena.rules.run(lambda: stored.record)  # read here, once
    return stored


def _seat(name: str, person: Person, hints: bool) -> Seat:
    if name == ME:
        return Seat("person", person.nickname, person.id, hints)
    return Seat("open") if name == OPEN else Seat("agent", name)


@router.get("/tables/{id}")
async def get_table(id: Id, arena: TheArena, person: MaybePerson) -> TableOut:
    """Who sits there, and which seat is mine."""
    return TableOut.of((await arena.visit(id, person)).table, person.id if person else None)


@router.post("/tables/{id}/join")
async def join_table(
    id: Id, request: Request, response: Response, arena: TheArena, person: MaybePerson, body: Join | None = None
) -> SeatTaken:
    """Take an open seat; who sits there already keeps theirs. Hints are allowed only if everybody agrees to them."""
    await arena.visit(id, person)
    person = person or await welcome(request, response, arena)
    return SeatTaken(table=id, seat=await arena.join(id, person, body.hints if body else False))


# -- positions --------------------------------------------------------------------------------------------------------


@router.post("/legal")
async def list_legal(body: Position, request: Request, arena: TheArena) -> list[PlayOut]:
    """The plays a position allows."""
    game = await arena.rules.load(body.game, body.rules, address_of(request))
    view = await arena.inference.run(lambda: body.view(game))
    return await arena.inference.run(lambda: legal_plays(view, position.legal(view)))


@router.post("/suggest")
async def suggest_plays(body: Wish, request: Request, arena: TheArena) -> SuggestOut:
    """The plays a position allows, best first."""
    game = await arena.rules.load(body.game, body.rules, address_of(request))
    view = await arena.inference.run(lambda: body.view(game))
    name = await arena.inference.run(lambda: check_listed(body.agent or adviser(view.game), view.game))
    ranked = await arena.inference.suggest(name, view)
    shown = suggestions_out(view, ranked[: body.top])
    return SuggestOut(agent=name, legal=len(ranked), suggestions=shown, unseen=view.game.deck.counts(view.unseen))
