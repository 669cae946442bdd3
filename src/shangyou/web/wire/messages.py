"""Every message in and out. The one place where a View becomes JSON, and where text from outside becomes a request."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from shangyou.agents import Suggestion
from shangyou.engines import reference
from shangyou.engines.reference import View
from shangyou.games import NOBODY, PASS, RANKS, Cards, Deck, Game
from shangyou.games.cards import SMALL_JOKER, SUIT_SIGNS
from shangyou.web.tables.table_value import Refused, SeatKind, Status, Table
from shangyou.web.wire.reasons import Fault

MOST_SIGNS = 4096  # of a message on a socket
CardNames = tuple[str, ...]


@lru_cache(maxsize=1 << 13)  # more than 200 tables show at one time
def card_names(deck: Deck, cards: Cards) -> CardNames:
    """Each card by its name, low to high: `3♠`, where suits do not matter `3`."""
    copies = {kind: deck.copies(cards, *kind) for kind in deck.kinds}
    signs = SUIT_SIGNS if deck.suited else ("",)
    return tuple(
        RANKS[rank] + (signs[suit] if rank < SMALL_JOKER else "") for rank, suit in copies for _ in range(copies[rank, suit])
    )


# -- in ---------------------------------------------------------------------------------------------------------------


class Request(BaseModel):
    """Anything from outside: known fields of the right type, nothing else."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Version = Annotated[int, Field(ge=0, lt=1 << 31)]
CardText = Annotated[str, Field(max_length=4)]


class PlayRequest(Request):
    """A row of the table of plays, or the very cards."""

    kind: Literal["play"]
    version: Version
    play: Annotated[int, Field(ge=0, lt=1 << 31)] | None = None
    cards: Annotated[list[CardText], Field(max_length=60)] | None = None

    @model_validator(mode="after")
    def check_one(self) -> PlayRequest:
        if (self.play is None) == (self.cards is None):
            raise ValueError("either play or cards is needed")
        return self


class BidRequest(Request):
    kind: Literal["bid"]
    version: Version
    points: Annotated[int, Field(ge=0, lt=1000)]


class HintRequest(Request):
    kind: Literal["hint"]
    version: Version


class LeaveRequest(Request):
    kind: Literal["leave"]


class Ping(Request):
    kind: Literal["ping"]


Message = PlayRequest | BidRequest | HintRequest | LeaveRequest | Ping
_MESSAGE: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="kind")])


def read_message(text: str | bytes) -> Message:
    if len(text) > MOST_SIGNS:
        raise Refused("too_long", f"a message has at most {MOST_SIGNS} characters")
    try:
        return _MESSAGE.validate_json(text)
    except ValidationError as error:
        raise Refused("malformed", explain(error.errors(include_url=False, include_input=False))) from error


def explain(errors: Any) -> str:
    """The first thing that is wrong, and where; never what was sent."""
    first = errors[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    return f"{where}: {first['msg']}" if where else str(first["msg"])


# -- out --------------------------------------------------------------------------------------------------------------


class Answer(BaseModel):
    model_config = ConfigDict(frozen=True)


class PlayOut(Answer):
    play: int
    label: str
    cards: CardNames


class ToBeat(PlayOut):
    by: int


class TurnOut(PlayOut):
    seat: int
    think_ms: int | None = None  # of people


class Put(Answer):
    label: str
    cards: CardNames


class SeatOut(Answer):
    name: str
    kind: Literal["me", "person", "agent", "open"]
    online: bool
    left: int
    landlord: bool
    bid: int | None
    passed: bool
    turn: bool
    place: int
    put: Put | None


class ResultOut(Answer):
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    places: tuple[int, ...]
    hands: tuple[CardNames, ...]
    deal: tuple[CardNames, ...]
    public: CardNames | None
    replay: str


class StateOut(Answer):
    kind: Literal["state"] = "state"
    table: str
    version: int
    status: Status
    game: str
    rules: str
    seat: int | None
    hints: bool
    pace: int
    rated: bool
    seats: list[SeatOut]
    hand: CardNames
    public: CardNames | None
    multiplier: int
    bombs: int
    unseen: list[int]
    to_beat: ToBeat | None
    legal: list[PlayOut]
    bids: tuple[int, ...]
    history: list[TurnOut]
    result: ResultOut | None


class RefusedOut(Fault, Answer):
    kind: Literal["refused"] = "refused"


class SuggestionOut(PlayOut):
    value: float
    win: float | None
    points: float | None


class HintOut(Answer):
    kind: Literal["hint"] = "hint"
    version: int
    agent: str  # who would do so
    suggestions: list[SuggestionOut]
    bid: int | None = None  # what the adviser would bid, while bids are due


class Pong(Answer):
    kind: Literal["pong"] = "pong"


def state_message(table: Table, seat: int | None, online: frozenset[int] = frozenset()) -> StateOut:
    """All that a seat (None: an onlooker) may know of a table."""
    seen, game = table.view(seat), table.game
    bombs = sum(turn.play in game.table.bombs for turn in seen.history)
    my_turn = table.running and seat == table.state.turn
    return StateOut(
        table=table.id,
        version=table.version,
        status=table.status,
        game=game.name,
        rules=str(game.rules),
        seat=seat,
        hints=table.hints,
        pace=table.pace,
        rated=table.rated,
        seats=_seats(table, seen, seat, online),
        hand=card_names(game.deck, seen.hand),
        public=card_names(game.deck, seen.public) if seen.public else None,
        multiplier=game.multiplier(bombs),
        bombs=bombs,
        unseen=game.deck.counts(seen.unseen),
        to_beat=_to_beat(seen, seat or 0),
        legal=legal_plays(game, seen.hand, reference.legal(table.state).tolist()) if my_turn else [],
        bids=reference.legal_bids(table.state) if my_turn else (),
        history=_history(table, seen, seat or 0),
        result=_result(table) if table.status is Status.OVER else None,
    )


def legal_plays(game: Game, hand: Cards, rows: list[int]) -> list[PlayOut]:
    return [play_out(game, hand, row) for row in rows]


def play_out(game: Game, hand: Cards, row: int) -> PlayOut:
    """A play a hand may make, with the cards the game's rule picks for it."""
    return PlayOut(play=row, label=game.table.labels[row], cards=card_names(game.deck, game.pick(hand, row)))


def suggestions_out(view: View, found: list[Suggestion]) -> list[SuggestionOut]:
    return [
        SuggestionOut(**play_out(view.game, view.hand, one.play).model_dump(), value=one.value, win=one.win, points=one.points)
        for one in found
    ]


def _seats(table: Table, seen: View, me: int | None, online: frozenset[int]) -> list[SeatOut]:
    base, size = me or 0, table.game.seats
    bids = {(seat + base) % size: points for seat, points in seen.bids}
    landlord = (seen.landlord + base) % size if seen.landlord != NOBODY else NOBODY
    latest = {(turn.seat + base) % size: turn for turn in seen.history[table.round_start :]}
    labels = table.game.table.labels
    return [
        SeatOut(
            name=seat.name,
            kind="me" if number == me else seat.kind.value,
            online=seat.kind is SeatKind.AGENT or number in online,
            left=seen.left[(number - base) % size],
            landlord=number == landlord,
            bid=bids.get(number),
            passed=number in latest and latest[number].play == PASS,
            turn=table.running and number == table.state.turn,
            place=table.state.places[number],
            put=Put(label=labels[latest[number].play], cards=card_names(table.game.deck, latest[number].cards))
            if number in latest
            else None,
        )
        for number, seat in enumerate(table.seats)
    ]


def _to_beat(seen: View, base: int) -> ToBeat | None:
    if seen.last == PASS:
        return None
    cards = next(turn.cards for turn in reversed(seen.history) if turn.cards)
    names, label = card_names(seen.game.deck, cards), seen.game.table.labels[seen.last]
    return ToBeat(play=seen.last, label=label, cards=names, by=(seen.last_by + base) % seen.game.seats)


def _history(table: Table, seen: View, base: int) -> list[TurnOut]:
    """The turns; how long agents took says nothing that people need, and might say what they hold."""
    deck, labels = seen.game.deck, seen.game.table.labels
    turns = []
    for turn, think_ms in zip(seen.history, table.think_times, strict=True):
        seat = (turn.seat + base) % seen.game.seats
        shown = think_ms if table.seats[seat].kind is SeatKind.PERSON else None
        cards = card_names(deck, turn.cards)
        turns.append(TurnOut(seat=seat, play=turn.play, label=labels[turn.play], cards=cards, think_ms=shown))
    return turns


def _result(table: Table) -> ResultOut:
    state, deck = table.state, table.game.deck
    return ResultOut(
        scores=state.scores,
        winners=state.winners,
        places=state.places,
        hands=tuple(card_names(deck, hand) for hand in state.hands),
        deal=tuple(card_names(deck, hand) for hand in state.start.hands),
        public=card_names(deck, state.start.public) if state.start.public else None,
        replay=table.replay,
    )
