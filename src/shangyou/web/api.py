"""HTTP: games and agents, who I am, tables, positions."""

from __future__ import annotations

import secrets
from dataclasses import fields, replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response
from fastapi import Request as HttpRequest
from pydantic import Field

from shangyou import games
from shangyou.engines import position, reference
from shangyou.engines.reference import State
from shangyou.games import BadInput, Game
from shangyou.records.record import states
from shangyou.web.live.arena import COOKIE, Arena
from shangyou.web.live.inference import adviser, check_listed, listed
from shangyou.web.live.live_tables import new_id
from shangyou.web.storage import archive, table_store
from shangyou.web.storage.people import Person, add_person, change_person, clean_nickname, find_person
from shangyou.web.storage.table_store import load_game
from shangyou.web.tables import table_value as rules_of_table
from shangyou.web.tables.table_value import Action, ActionKind, Refused, Seat, SeatKind, Table
from shangyou.web.wire.answers import (
    AgentOut,
    GameOut,
    HealthOut,
    MeOut,
    Range,
    RuleOut,
    SeatTaken,
    Sitter,
    SuggestOut,
    TableOut,
)
from shangyou.web.wire.messages import PlayOut, Request, legal_plays, suggestions_out

YEAR = 365 * 24 * 3600
ME, OPEN = "me", "open"
router = APIRouter()

GameName = Annotated[str, Field(max_length=32)]
RulesText = Annotated[str, Field(max_length=400)]
AgentName = Annotated[str, Field(max_length=120)]
Text = Annotated[str, Field(max_length=2000)]


def arena_of(request: HttpRequest) -> Arena:
    arena: Arena = request.app.state.arena
    return arena


TheArena = Annotated[Arena, Depends(arena_of)]


async def person_of(request: HttpRequest, arena: TheArena) -> Person | None:
    token = request.cookies.get(COOKIE)
    return await arena.storage.ask(find_person, token) if token else None


async def known_person_of(person: Annotated[Person | None, Depends(person_of)]) -> Person:
    if person is None:
        raise Refused("nobody", "who are you? POST /api/v1/me first")
    return person


MaybePerson = Annotated[Person | None, Depends(person_of)]
KnownPerson = Annotated[Person, Depends(known_person_of)]


# -- games, agents, health --------------------------------------------------------------------------------------------


@router.get("/games")
async def list_games(arena: TheArena) -> list[GameOut]:
    """The games, with the fields of their rules and what each may be."""
    return await arena.thinking.run(lambda: [_describe(games.load(name)) for name in games.names()])


def _describe(game: Game) -> GameOut:
    return GameOut(
        name=game.name,
        seats=game.seats,
        plays=len(game.table),
        suits=game.deck.suited,
        public_size=game.public_size,
        patterns=[family for family in game.table.family_counts if family != "pass"],
        table=game.table.hash,
        rules=[_rule(field) for field in fields(game.rules)],
    )


def _rule(field: Any) -> RuleOut:
    """A long range by its ends, a few choices one by one."""
    options = field.metadata["options"]
    long = isinstance(options, range) and len(options) > 32
    shown = Range.model_validate({"from": options[0], "to": options[-1]}) if long else list(options)
    return RuleOut(name=field.name, default=field.default, help=field.metadata["help"], options=shown)


@router.get("/agents")
async def list_agents(arena: TheArena, game: GameName, rules: RulesText = "") -> list[AgentOut]:
    """Who plays a game under these rules."""
    found = await arena.thinking.run(lambda: listed(load_game(game, rules)))
    return [AgentOut(**agent._asdict()) for agent in found]


@router.get("/health")
async def health(arena: TheArena) -> HealthOut:
    """Up, and the database answers."""
    running = await arena.storage.ask(table_store.count_tables)
    return HealthOut(tables=running, in_memory=len(arena.tables.live), database=arena.storage.engine.dialect.name)


# -- me ---------------------------------------------------------------------------------------------------------------


class Me(Request):
    nickname: Annotated[str, Field(max_length=100)] | None = None
    keep: bool | None = None


@router.get("/me")
async def get_me(person: MaybePerson) -> MeOut:
    """My nickname, and whether my finished games may be given to others to learn from."""
    if person is None:
        return MeOut(known=False, nickname="", keep=True)
    return MeOut(known=True, nickname=person.nickname, keep=person.keep)


@router.post("/me")
async def set_me(body: Me, request: HttpRequest, response: Response, arena: TheArena, person: MaybePerson) -> MeOut:
    """Change them. Who has no cookie yet gets one."""
    person = person or await _welcome(request, response, arena)
    nickname = person.nickname if body.nickname is None else clean_nickname(body.nickname)
    person = replace(person, nickname=nickname, keep=person.keep if body.keep is None else body.keep)
    await arena.storage.ask(change_person, person)
    return await get_me(person)


async def _welcome(request: HttpRequest, response: Response, arena: Arena) -> Person:
    check_new(request, arena)
    person, token = await arena.storage.ask(add_person)
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, token, max_age=YEAR, httponly=True, samesite="strict", secure=secure)
    return person


def check_new(request: HttpRequest, arena: Arena) -> None:
    """People, tables and records are kept for long: few at a time from one address."""
    if not arena.limits.table(request.client.host if request.client else ""):
        raise Refused("too_many", "too much that is new from this address; wait a little")


# -- tables -----------------------------------------------------------------------------------------------------------


class From(Request):
    replay: Annotated[str, Field(max_length=32)]
    turn: Annotated[int, Field(ge=0, le=10_000)]


class NewTable(Request):
    game: GameName
    rules: RulesText = ""
    seats: Annotated[list[AgentName], Field(max_length=8)]
    hints: bool = True
    pace: Annotated[int, Field(ge=0, le=10_000)] = 700
    seed: Annotated[int, Field(ge=0, lt=1 << 63)] | None = None
    same_deal: Annotated[str, Field(max_length=32)] | None = None
    begin: Annotated[From | None, Field(alias="from")] = None

    @property
    def knows_cards(self) -> bool:
        return self.seed is not None or self.same_deal is not None or self.begin is not None


@router.post("/tables")
async def open_table(
    body: NewTable, request: HttpRequest, response: Response, arena: TheArena, person: MaybePerson
) -> SeatTaken:
    """Open a table and sit down. `same_deal` is a finished game to get the cards of, `from` one to go on from."""
    game = await arena.thinking.run(lambda: _check_wishes(body))
    first, done = await _beginning(arena, body, game)
    check_new(request, arena)
    person = person or await _welcome(request, response, arena)
    seats = tuple(_seat(name, person) for name in body.seats)
    table = Table(new_id("t"), first, seats, body.hints, body.pace, rated=not body.knows_cards)
    for action in done:
        table = rules_of_table.again(table, action)
    if table.state.over:
        raise BadInput("the game is over there; an earlier turn is needed")
    await arena.tables.open(table, first, given=body.same_deal is not None or body.begin is not None)
    return SeatTaken(table=table.id, seat=body.seats.index(ME))


def _check_wishes(body: NewTable) -> Game:
    game = load_game(body.game, body.rules)
    if len(body.seats) != game.seats or body.seats.count(ME) != 1:
        raise BadInput(f"{game.name} has {game.seats} seats, and one of them is {ME!r}: {body.seats}")
    if body.knows_cards and OPEN in body.seats:
        raise BadInput("with a friend at the table the cards must be new to both")
    if sum(wish is not None for wish in (body.seed, body.same_deal, body.begin)) > 1:
        raise BadInput("only one of seed, same_deal and from says what the cards are")
    for name in body.seats:
        if name not in (ME, OPEN):
            check_listed(name, game)
    return game


async def _beginning(arena: Arena, body: NewTable, game: Game) -> tuple[State, list[Action]]:
    """The deal, and what was done already."""
    seed = secrets.randbelow(1 << 63) if body.seed is None else body.seed
    replay = body.same_deal or (body.begin.replay if body.begin else None)
    if replay is None:
        return reference.deal(game, seed), []
    kept = await arena.storage.ask(archive.find_game, replay)
    if kept is None:
        raise Refused("no_replay", "there is no such game")
    if kept.record.game.name != game.name:
        raise BadInput(f"that was a game of {kept.record.game.name}, not of {game.name}")
    first = reference.start(game, game.make_deal(kept.record.deal.hands, kept.record.deal.public, kept.record.deal.first), seed)
    return first, _done(kept, body.begin.turn, game) if body.begin else []


def _done(kept: archive.KeptGame, turn: int, game: Game) -> list[Action]:
    """The bids and the first turns of a kept game."""
    if kept.record.game.rules != game.rules:
        raise BadInput(f"that game was played under {kept.record.game.rules}")
    if turn > len(kept.record.turns):
        raise BadInput(f"that game has {len(kept.record.turns)} turns, not {turn}")
    *_, end = states(kept.record)
    bids = [Action(0, ActionKind.BID, points) for points in kept.record.bids]
    return bids + [Action(one.seat, ActionKind.PLAY, one.play, one.cards) for one in end.history[:turn]]


def _seat(name: str, person: Person) -> Seat:
    if name == ME:
        return Seat(SeatKind.PERSON, person.nickname, person.id)
    return Seat(SeatKind.OPEN) if name == OPEN else Seat(SeatKind.AGENT, name)


@router.get("/tables/{id}")
async def get_table(id: str, arena: TheArena, person: MaybePerson) -> TableOut:
    """Who sits there, and which seat is mine."""
    table = (await arena.tables.find(id)).table
    return TableOut(
        table=table.id,
        game=table.game.name,
        rules=str(table.game.rules),
        status=table.status,
        seats=[Sitter(name=seat.name, kind=seat.kind.value) for seat in table.seats],
        seat=table.seat_of(person.id if person else None),
        hints=table.hints,
        pace=table.pace,
        replay=table.replay or None,
    )


@router.post("/tables/{id}/join")
async def join_table(id: str, request: HttpRequest, response: Response, arena: TheArena, person: MaybePerson) -> SeatTaken:
    """Take an open seat; who sits there already keeps theirs."""
    await arena.tables.find(id)
    person = person or await _welcome(request, response, arena)
    table, seat = await arena.tables.join(id, person)
    return SeatTaken(table=table.id, seat=seat)


# -- positions --------------------------------------------------------------------------------------------------------


class Position(Request):
    """A position as a person tells it; seats are counted from me, who am 0."""

    game: GameName
    rules: RulesText = ""
    hand: Text
    played: Annotated[list[Text], Field(default_factory=list, max_length=8)]
    last: Text = ""
    last_by: int | None = None
    left: Annotated[list[int], Field(default_factory=list, max_length=8)]
    role: Annotated[str, Field(max_length=20)] = ""
    public: Text = ""
    history: Text = ""
    first: int | None = None

    def view(self) -> reference.View:
        told = {"played": self.played, "last": self.last, "last_by": self.last_by, "left": self.left, "role": self.role}
        more = {"public": self.public, "history": self.history, "first": self.first}
        return position.position(load_game(self.game, self.rules), self.hand, **told, **more)  # type: ignore[arg-type]


class Wish(Position):
    agent: AgentName = ""
    top: Annotated[int, Field(ge=1, le=100)] = 10


@router.post("/legal")
async def list_legal(body: Position, arena: TheArena) -> list[PlayOut]:
    """The plays a position allows."""

    def work() -> list[PlayOut]:
        seen = body.view()
        return legal_plays(seen.game, seen.hand, position.legal(seen).tolist())

    return await arena.thinking.run(work)


@router.post("/suggest")
async def suggest_plays(body: Wish, arena: TheArena) -> SuggestOut:
    """The plays a position allows, best first."""
    seen, name = await arena.thinking.run(lambda: _seen_by(body))
    found = await arena.thinking.suggest(name, seen)
    shown = suggestions_out(seen, found[: body.top])
    return SuggestOut(agent=name, legal=len(found), suggestions=shown, unseen=seen.game.deck.counts(seen.unseen))


def _seen_by(wish: Wish) -> tuple[reference.View, str]:
    seen = wish.view()
    if wish.agent:
        check_listed(wish.agent, seen.game)
    return seen, wish.agent or adviser(seen.game)
