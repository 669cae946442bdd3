"""A table: who sits where, the game so far, who may act now. Values in, values out; no sockets and no disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from shangyou.engines import reference
from shangyou.engines.reference import State, View
from shangyou.games import PASS, BadInput, Cards, Game
from shangyou.web.wire.reasons import Code


class Status(StrEnum):
    OPEN = "open"  # a seat is still free
    BIDDING = "bidding"
    PLAYING = "playing"
    OVER = "over"
    LEFT = "left"  # given up before the end


class SeatKind(StrEnum):
    PERSON = "person"
    AGENT = "agent"
    OPEN = "open"


class ActionKind(StrEnum):
    BID = "bid"
    PLAY = "play"


class Refused(BadInput):
    """What somebody asked for is not done; the code is for the page, the reason for the person."""

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(reason)
        self.code: Code = code


@dataclass(frozen=True, slots=True)
class Seat:
    kind: SeatKind
    name: str = ""  # a nickname, or the agent's name
    person: int | None = None


class Action(NamedTuple):
    """What a seat did, as it is kept."""

    seat: int
    kind: ActionKind
    value: int  # points of a bid, or the row of a play
    cards: Cards = 0
    think_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    id: str
    state: State
    seats: tuple[Seat, ...]  # [S]
    hints: bool = True
    pace: int = 700  # milliseconds an agent takes at least
    rated: bool = True  # nobody could know the cards, nobody was helped
    actions: tuple[Action, ...] = ()
    round_start: int = 0  # the turn that led the round on the table
    left: bool = False
    replay: str = ""  # of the finished game

    @property
    def game(self) -> Game:
        return self.state.game

    @property
    def version(self) -> int:
        """Grows with every action, so that a message says which position it is about."""
        return len(self.actions)

    @property
    def status(self) -> Status:
        if self.left:
            return Status.LEFT
        if self.state.over:
            return Status.OVER
        if any(seat.kind is SeatKind.OPEN for seat in self.seats):
            return Status.OPEN
        return Status.BIDDING if self.state.bidding else Status.PLAYING

    @property
    def running(self) -> bool:
        return self.status in (Status.BIDDING, Status.PLAYING)

    @property
    def acting(self) -> Seat | None:
        """Who sits in the seat to act."""
        return self.seats[self.state.turn] if self.running else None

    def seat_of(self, person: int | None) -> int | None:
        taken = [i for i, seat in enumerate(self.seats) if person is not None and seat.person == person]
        return taken[0] if taken else None

    def view(self, seat: int | None) -> View:
        """What a seat may know; an onlooker sees the table as from seat 0, without a hand."""
        if seat is not None:
            return reference.view(self.state, seat)
        seen = reference.view(self.state, 0)
        return replace(seen, hand=0, unseen=self.game.deck.full - sum(seen.played))

    @property
    def think_times(self) -> tuple[int | None, ...]:
        """[T] of each turn."""
        return tuple(action.think_ms for action in self.actions if action.kind is ActionKind.PLAY)


# -- who may act ------------------------------------------------------------------------------------------------------


def check_turn(table: Table, seat: int | None, version: int) -> None:
    """Whether a message about this version, from this seat, may change the table now."""
    if seat is None:
        raise Refused("not_seated", "you do not sit at this table")
    if table.status is Status.OPEN:
        raise Refused("not_started", "the game starts when every seat is taken")
    if not table.running:
        raise Refused("over", "the game is over")
    if version != table.version:
        raise Refused("stale", f"that was about version {version}; the table is at {table.version}")
    if seat != table.state.turn:
        raise Refused("not_your_turn", f"it is the turn of seat {table.state.turn}")


def bid(table: Table, points: int, think_ms: int | None = None) -> Table:
    """The seat to act bids."""
    state = _allowed(lambda: reference.bid(table.state, points))
    return _after(table, state, Action(table.state.turn, ActionKind.BID, points, think_ms=think_ms))


def play(table: Table, row: int, think_ms: int | None = None) -> Table:
    """The seat to act makes a play of the game's table."""
    return _after_play(table, _allowed(lambda: reference.step(table.state, row)), think_ms)


def put(table: Table, cards: Cards, think_ms: int | None = None) -> Table:
    """The seat to act puts down these very cards."""
    return _after_play(table, _allowed(lambda: reference.put(table.state, cards)), think_ms)


def put_named(table: Table, names: str, think_ms: int | None = None) -> Table:
    """Cards as they are written; none is a pass."""
    try:
        cards = table.game.deck.parse(names)
    except BadInput as error:
        raise Refused("illegal", str(error)) from error
    return put(table, cards, think_ms)


def again(table: Table, action: Action) -> Table:
    """The table after an action that was kept."""
    if action.kind is ActionKind.BID:
        return bid(table, action.value, action.think_ms)
    return put(table, action.cards, action.think_ms)


def _allowed(change: Callable[[], State]) -> State:
    try:
        return change()
    except BadInput as error:
        raise Refused("illegal", str(error)) from error


def _after_play(table: Table, state: State, think_ms: int | None) -> Table:
    turn = state.history[-1]
    leads = table.state.last == PASS
    after = _after(table, state, Action(turn.seat, ActionKind.PLAY, turn.play, turn.cards, think_ms))
    return replace(after, round_start=len(table.state.history)) if leads else after


def _after(table: Table, state: State, action: Action) -> Table:
    return replace(table, state=state, actions=(*table.actions, action))


def leave(table: Table, seat: int | None) -> Table:
    """Who sits there may give the game up, for all; it then has no result."""
    if seat is None:
        raise Refused("not_seated", "you do not sit at this table")
    if table.status in (Status.OVER, Status.LEFT):
        raise Refused("over", "the game is over")
    return replace(table, left=True)


def join(table: Table, person: int, name: str) -> Table:
    """A person takes the first open seat."""
    if table.status is not Status.OPEN:
        raise Refused("full", "every seat of this table is taken")
    free = next(i for i, seat in enumerate(table.seats) if seat.kind is SeatKind.OPEN)
    taken = Seat(SeatKind.PERSON, name, person)
    return replace(table, seats=(*table.seats[:free], taken, *table.seats[free + 1 :]))
