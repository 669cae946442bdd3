"""The answers of the HTTP API, field by field; OpenAPI lists all of them."""

import dataclasses
from collections import Counter
from datetime import datetime
from typing import Any, Literal, Self

from pydantic import Field

from shangyou.engines import position
from shangyou.games import Game
from shangyou.records import Result
from shangyou.web.daily import closes_at
from shangyou.web.storage.database import now
from shangyou.web.table import SeatKind, Status, Table
from shangyou.web.wire.play_answers import CardNames, PlayOut, SuggestionOut, card_names
from shangyou.web.wire.reasons import Answer, Fault

Choice = bool | int | str

FAULTS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Fault, "description": "What was asked for cannot be done; the answer says why."},
    "5XX": {"model": Fault, "description": "Something went wrong here."},
}

# -- games, agents, health, me ----------------------------------------------------------------------------------------


class Range(Answer):
    """Whole numbers, both ends included."""

    lowest: int = Field(alias="from")
    highest: int = Field(alias="to")


class RuleOut(Answer):
    name: str
    default: Choice
    help: str
    options: list[Choice] | Range

    @classmethod
    def of(cls, field: Any) -> Self:
        """A field of the rules: a long range by its ends, a few choices one by one."""
        options = field.metadata["options"]
        long = isinstance(options, range) and len(options) > 32
        shown = Range.model_validate({"from": options[0], "to": options[-1]}) if long else list(options)
        return cls(name=field.name, default=field.default, help=field.metadata["help"], options=shown)


class GameOut(Answer):
    name: str
    seats: int
    plays: int  # rows of its table of plays
    suits: bool  # whether they matter
    sides: tuple[int, ...]  # [S] who plays together, by number; by the default landlord
    places_paid: bool  # every place is worth more than the next
    roles: tuple[str, ...]  # [S] where the deal names a landlord: landlord, after, before; else empty
    bids: tuple[int, ...]  # what the first seat may bid; empty without bidding
    team_rules: str | None  # rules of a duplicate match unless said otherwise; none where there is none
    pack: dict[str, int]  # each kind of card by its name, low to high, and how many of it there are
    public_size: int  # cards that everybody sees in the end, doudizhu's three
    patterns: list[str]
    table: str  # hash of the table of plays
    rules: list[RuleOut]
    usual: dict[str, Choice]  # the rules the lobby offers first, where they differ from the defaults

    @classmethod
    def of(cls, game: Game) -> Self:
        return cls(
            name=game.name,
            seats=game.seats,
            plays=len(game.table),
            roles=position.roles(game),
            bids=game.allowed_bids(()) if game.has_bidding else (),
            team_rules=game.rules.team_rules,
            pack=Counter(card_names(game.deck, game.deck.full)),
            public_size=game.public_size,
            patterns=[family for family in game.table.family_counts if family != "pass"],
            table=game.table.hash,
            rules=[RuleOut.of(field) for field in dataclasses.fields(game.rules)],
            usual=game.rules.parse(game.rules.standard[-1]).changes(),
            **game_fields(game, game.first_landlord()),
        )


def game_fields(game: Game, landlord: int) -> dict[str, Any]:
    """What whoever draws a game must know of its rules."""
    return {"suits": game.deck.suited, "sides": game.sides(landlord), "places_paid": bool(game.place_points)}


class AgentOut(Answer):
    name: str
    version: str
    strongest: bool


class HealthOut(Answer):
    status: Literal["up"] = "up"
    tables: int  # that run
    in_memory: int
    database: str
    processes: int  # that serve this database and live, this one among them


class DeviceOut(Answer):
    device: int
    name: str  # browser and system
    this: bool  # the one that asks
    signed_in_at: datetime
    seen_at: datetime  # within ten minutes


class CodeOut(Answer):
    """A recovery code. It is shown this once."""

    code: str


class Recovered(CodeOut):
    """This device is now one of a person; the code was used, the next one is `code`."""

    nickname: str


class Strength(Answer):
    """My finished games in one role."""

    game: str
    role: str  # landlord or peasant; empty in games without a landlord
    games: int
    wins: int
    win_rate: float
    win_interval: tuple[float, float]  # 95%
    points: float  # a game


class SentRecord(Answer):
    replay: str
    game: str
    name: str
    sent_at: datetime


class ProfileOut(Answer):
    nickname: str
    has_code: bool  # there is a recovery code
    devices: list[DeviceOut]
    strength: list[Strength]
    records: list[SentRecord]  # by me, latest first


class MeOut(Answer):
    known: bool
    nickname: str
    keep: bool  # finished games may be given to others to learn from


# -- tables, positions ------------------------------------------------------------------------------------------------


class SeatTaken(Answer):
    table: str
    seat: int


class Sitter(Answer):
    name: str
    kind: SeatKind


class ClockOut(Answer):
    """Seconds for each bid or play, and for the whole game beyond those."""

    move: int
    reserve: int


class PublicTable(Answer):
    """A table that waits for players, open to everybody."""

    table: str
    game: str
    rules: str
    rated: bool
    hints: bool
    clock: ClockOut | None
    seats: list[Sitter]
    mine: bool  # I sit there

    @classmethod
    def of(cls, table: Table, person: int | None) -> Self:
        fields = table_fields(table, None) | {"mine": table.seat_of(person) is not None}
        return cls(seats=sitters(table), **{name: fields[name] for name in cls.model_fields if name in fields})


class MyTable(Answer):
    """A game I play that is not over."""

    table: str
    game: str
    status: Status
    seats: list[Sitter]
    my_turn: bool
    clock: ClockOut | None
    match: str | None
    daily: str | None

    @classmethod
    def of(cls, table: Table, seat: int) -> Self:
        fields = table_fields(table, seat) | {"my_turn": table.running and table.state.turn == seat}
        return cls(seats=sitters(table), **{name: fields[name] for name in cls.model_fields if name in fields})


class TableOut(Answer):
    table: str
    game: str
    rules: str
    status: Status
    seats: list[Sitter]
    seat: int | None  # mine
    hints: bool
    listed: bool
    clock: ClockOut | None
    rated: bool  # changes ratings
    pace: int  # ms
    match: str | None  # the duplicate match this is a deal of
    daily: str | None  # the day whose deal this is
    replay: str | None

    @classmethod
    def of(cls, table: Table, person: int | None) -> Self:
        replay = None if hides_cards(table) else table.replay or None
        return cls(seats=sitters(table), replay=replay, **table_fields(table, table.seat_of(person)))


def hides_cards(table: Table) -> bool:
    """Whether others may still play the deal of this table, so that its cards are not shown after the end either."""
    return bool(table.daily) and closes_at(table.daily) > now()


def sitters(table: Table) -> list[Sitter]:
    return [Sitter(name=seat.name, kind=seat.kind) for seat in table.seats]


def table_fields(table: Table, seat: int | None) -> dict[str, Any]:
    """What the answer and the message about a table both contain."""
    rules = {"game": table.game.name, "rules": str(table.game.rules), "hints": table.hints, "pace": table.pace}
    clock = ClockOut(move=table.clock.move, reserve=table.clock.reserve) if table.clock else None
    rules |= {"rated": table.counts, "listed": table.listed, "clock": clock}
    rules |= {"match": table.match or None, "daily": table.daily or None}
    return {"table": table.id, "status": table.status, "seat": seat, **rules}


# -- duplicate matches ------------------------------------------------------------------------------------------------


class MatchDeal(Answer):
    """One deal at its two tables: I am landlord at the first, the opponent at the second."""

    number: int
    table: str  # the first
    running: bool
    scores: tuple[int | None, int | None]  # of my landlord and of the opponent's; the second is known after the first
    totals: tuple[int, int]  # so far
    replays: tuple[str | None, str | None]


class MatchOut(Answer):
    match: str
    mine: bool
    name: str  # of the person
    game: str
    rules: str
    opponent: str
    partner: str
    deals: int  # to be played
    made_at: datetime
    played: list[MatchDeal]
    totals: tuple[int, int]  # of deals whose both tables are over
    over: bool


class SuggestOut(Answer):
    agent: str
    legal: int  # how many plays there are
    suggestions: list[SuggestionOut]
    unseen: list[int]  # [15] by rank


# -- finished games ---------------------------------------------------------------------------------------------------


class PlayerOut(Answer):
    name: str
    kind: Literal["person", "bot", "agent", "unknown"]
    version: str = ""
    score: int | None = None
    won: bool | None = None


class MyGame(Answer):
    replay: str
    game: str
    rules: str
    finished_at: datetime
    seat: int
    score: int
    won: bool
    rating: float | None  # after it, if it was rated
    rated: bool
    players: list[str]


class Forgotten(Answer):
    forgotten: int


class BidOut(Answer):
    """What a seat said before the first play: its bid for landlord, or whether it doubles, which is 1 or 0 points."""

    kind: Literal["bid", "double"]
    seat: int
    points: int


def bids_out(game: Game, first: int, bids: tuple[int, ...]) -> list[BidOut]:
    """All that was said before the first play, where seat `first` was the first to act."""
    made, bidders = len(game.auction(bids)), game.bidders(first, bids)
    said = enumerate(zip(bidders, bids, strict=True))
    return [BidOut(kind="bid" if i < made else "double", seat=seat, points=points) for i, (seat, points) in said]


class ReplayTurn(PlayOut):
    seat: int
    leads: bool
    think_ms: int | None
    hands: tuple[CardNames, ...]  # after it
    multiplier: int


class ReplayOut(Answer):
    replay: str
    game: str
    rules: str
    suits: bool
    sides: tuple[int, ...]  # [S] who plays together, by number
    places_paid: bool
    name: str
    players: list[PlayerOut]
    mine: int | None  # the seat of whoever asks
    rated: bool
    finished_at: datetime
    deal: tuple[CardNames, ...]
    public: CardNames | None
    first: int
    bids: list[BidOut]
    landlord: int | None
    hands: tuple[CardNames, ...]  # before the first turn
    turns: list[ReplayTurn]
    result: Result


class RecordOut(Answer):
    """A record that was sent: its replay, or what is wrong with it and where."""

    number: int
    name: str
    replay: str | None
    game: str | None = None
    finished: bool | None = None
    line: int | None = None
    fault: Fault | None = None
