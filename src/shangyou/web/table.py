"""A table: who sits where, the game so far, who may act now. Every change returns a new table; no sockets and no database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal, NamedTuple

from shangyou.engines import reference
from shangyou.engines.errors import Why as OfEngines
from shangyou.engines.reference import State, View
from shangyou.games import PASS, BadInput, Cards, Game
from shangyou.games.errors import Reason
from shangyou.web.errors import Why

SeatKind = Literal["person", "bot", "agent", "open"]  # a bot is a program of somebody's that connects from outside
Code = Literal[
    "illegal", "bad_input", "malformed", "too_long", "stale", "not_your_turn", "not_seated", "not_started", "over", "full",
    "no_hints", "nobody", "foreign", "too_many", "no_table", "no_match", "no_replay", "no_device", "wrong_code", "bad_name",
    "too_many_records", "not_found", "no_method", "agent_failed", "failed", "not_for_bots", "no_bot", "declined",
    "no_challenge",
]  # fmt: skip


class Refused(BadInput):
    """A request is not carried out. Programs read the code, people the reason: `Refused("stale", Why.load_again())`."""

    def __init__(self, code: Code, reason: Reason | str) -> None:
        super().__init__(reason)
        self.code: Code = code


class Status(StrEnum):
    OPEN = "open"  # a seat is still free
    BIDDING = "bidding"
    PLAYING = "playing"
    OVER = "over"
    LEFT = "left"  # given up before the end


@dataclass(frozen=True, slots=True)
class Seat:
    kind: SeatKind
    name: str = ""  # a nickname, or the agent's name
    person: int | None = None  # or a bot, which is stored as a person too


class Action(NamedTuple):
    """A bid or a play of one seat, with all that is needed to repeat it."""

    seat: int
    kind: Literal["bid", "play"]
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
    match: str = ""  # the duplicate match this is a deal of
    number: int = 0  # of the deal in its match, from 1

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
        if any(seat.kind == "open" for seat in self.seats):
            return Status.OPEN
        return Status.BIDDING if self.state.bidding else Status.PLAYING

    @property
    def running(self) -> bool:
        return self.status in (Status.BIDDING, Status.PLAYING)

    @property
    def agent_to_act(self) -> str:
        """Its name; empty if a person is to act, or nobody."""
        acting = self.seats[self.state.turn]
        return acting.name if self.running and acting.kind == "agent" else ""

    @property
    def think_times(self) -> tuple[int | None, ...]:
        """[T] of each turn."""
        return tuple(action.think_ms for action in self.actions if action.kind == "play")

    def seat_of(self, person: int | None) -> int | None:
        return next((i for i, seat in enumerate(self.seats) if person is not None and seat.person == person), None)

    def view(self, seat: int | None) -> View:
        """What a seat may know; an onlooker sees the table as from seat 0, without a hand."""
        if seat is not None:
            return reference.view(self.state, seat)
        seen = reference.view(self.state, 0)
        return replace(seen, hand=0, unseen=self.game.deck.full - sum(seen.played))

    # -- actions of the seat to act -----------------------------------------------------------------------------------

    def check_turn(self, seat: int | None, version: int) -> Table:
        """This table, if a message about this version, from this seat, may change it now."""
        if seat is None:
            raise Refused("not_seated", Why.not_seated())
        if self.status is Status.OPEN:
            raise Refused("not_started", Why.not_started())
        if not self.running:
            raise Refused("over", OfEngines.over())
        if version != self.version:
            raise Refused("stale", Why.other_version(version=version, now=self.version))
        if seat != self.state.turn:
            raise Refused("not_your_turn", Why.seat_to_act(seat=self.state.turn))
        return self

    def bid(self, points: int, think_ms: int | None = None) -> Table:
        state = _allowed(lambda: reference.bid(self.state, points))
        action = Action(self.state.turn, "bid", points, think_ms=think_ms)
        return replace(self, state=state, actions=(*self.actions, action))

    def play(self, row: int, think_ms: int | None = None) -> Table:
        """A row of the game's table of plays."""
        return self._after_play(_allowed(lambda: reference.step(self.state, row)), think_ms)

    def put(self, cards: Cards | str, think_ms: int | None = None) -> Table:
        """These very cards, which may be written as text; none is a pass."""
        parse = self.game.deck.parse
        state = _allowed(lambda: reference.put(self.state, parse(cards) if isinstance(cards, str) else cards))
        return self._after_play(state, think_ms)

    def _after_play(self, state: State, think_ms: int | None) -> Table:
        turn, leads = state.history[-1], self.state.last == PASS
        action = Action(turn.seat, "play", turn.play, turn.cards, think_ms)
        round_start = len(self.state.history) if leads else self.round_start
        return replace(self, state=state, actions=(*self.actions, action), round_start=round_start)

    # -- who sits there -----------------------------------------------------------------------------------------------

    def join(self, person: int, name: str) -> Table:
        """A person takes the first open seat."""
        if self.status is not Status.OPEN:
            raise Refused("full", Why.table_full())
        free = next(i for i, seat in enumerate(self.seats) if seat.kind == "open")
        taken = Seat("person", name, person)
        return replace(self, seats=(*self.seats[:free], taken, *self.seats[free + 1 :]))

    def leave(self, seat: int | None) -> Table:
        """Who sits there may give the game up, for all; it then has no result."""
        if seat is None:
            raise Refused("not_seated", Why.not_seated())
        if self.status in (Status.OVER, Status.LEFT):
            raise Refused("over", OfEngines.over())
        return replace(self, left=True)


def _allowed(change: Callable[[], State]) -> State:
    """The state after a change; what the rules forbid is refused with the engine's own reason."""
    try:
        return change()
    except BadInput as error:
        raise Refused("illegal", error.reason) from error
