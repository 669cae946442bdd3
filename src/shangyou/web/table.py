"""A table: who sits where, the game so far, who may act now. Every change returns a new table; no sockets and no database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Literal, NamedTuple

from shangyou.engines import reference
from shangyou.engines.errors import Why as OfEngines
from shangyou.engines.reference import State, View
from shangyou.evaluation.strength import bot_ratings
from shangyou.games import PASS, BadInput, Cards, Game
from shangyou.games.errors import Reason
from shangyou.games.game import Phase
from shangyou.web.clock import Clock
from shangyou.web.errors import Why

SeatKind = Literal["person", "bot", "agent", "open"]  # a bot is a program of somebody's that connects from outside
Code = Literal[
    "illegal", "bad_input", "malformed", "too_long", "stale", "not_your_turn", "not_seated", "not_started", "over", "full",
    "no_hints", "nobody", "foreign", "too_many", "no_table", "no_match", "no_replay", "no_device", "wrong_code", "bad_name",
    "too_many_records", "not_found", "no_method", "agent_failed", "failed", "not_for_bots", "no_bot", "declined",
    "no_challenge", "dealt", "not_over", "no_clock", "too_fast", "no_daily", "busy",
]  # fmt: skip


class Refused(BadInput):
    """A request is not carried out. Programs read the code, people the reason: `Refused("full", Why.table_full())`."""

    def __init__(self, code: Code, reason: Reason | str) -> None:
        super().__init__(reason)
        self.code: Code = code


class Status(StrEnum):
    OPEN = "open"  # a seat is still free
    BIDDING = "bidding"
    DOUBLING = "doubling"  # seats say whether they double, before the first play
    PLAYING = "playing"
    OVER = "over"
    LEFT = "left"  # given up before the end


DUE: dict[Phase, Status] = {"bid": Status.BIDDING, "double": Status.DOUBLING, "play": Status.PLAYING}


@dataclass(frozen=True, slots=True)
class Seat:
    kind: SeatKind
    name: str = ""  # a nickname, or the agent's name
    person: int | None = None  # or a bot, which is stored as a person too
    hints: bool = False  # a person who agrees to hints
    helped: int = 0  # hints given to it
    stand_in: str = ""  # the agent that plays on for a person who left or ran out of time
    again: bool = False  # wants a rematch

    @property
    def agent(self) -> str:
        """Who of ours plays here, if anybody."""
        return self.name if self.kind == "agent" else self.stand_in

    @property
    def plays(self) -> bool:
        """Whether a person plays here, or a bot, which comes from outside too."""
        return self.kind in ("person", "bot") and not self.stand_in


OPEN = Seat("open")
FORGOTTEN = "somebody"  # in place of the name of a person who deleted their games


class Action(NamedTuple):
    """A bid, a word on doubling or a play of one seat, with all that is needed to repeat it."""

    seat: int
    kind: Literal["bid", "play"]
    value: int  # points of a bid, 1 of who doubles and 0 of who does not, or the row of a play
    cards: Cards = 0
    think_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    id: str
    state: State
    seats: tuple[Seat, ...]  # [S]
    hints: bool = True  # as long as a seat is open: who sits there agrees to them
    pace: int = 700  # milliseconds an agent takes at least
    rated: bool = True  # may be rated: nobody could know the cards
    actions: tuple[Action, ...] = ()
    round_start: int = 0  # the turn that led the round on the table
    left: bool = False
    replay: str = ""  # of the finished game
    match: str = ""  # the duplicate match this is a deal of
    number: int = 0  # of the deal in its match, from 1
    listed: bool = False  # listed for everybody until it is full; else only who has the link finds it
    clock: Clock | None = None
    rematch: str = ""  # the table at which the same people play on
    daily: str = ""  # the day whose deal this is: nobody else may look on
    revision: int = 0  # how often the stored table was changed; a change is stored only if this is still the database's
    turned_at: datetime | None = None  # when the turn began
    keeper: str = ""  # the process that stored the last change: it asks agents, and ends turns whose time is over

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
        if not self.dealt:
            return Status.OPEN
        return DUE[self.state.phase]

    @property
    def running(self) -> bool:
        return self.status in DUE.values()

    @property
    def agent_to_act(self) -> str:
        """Its name; empty if a person is to act, or nobody."""
        return self.seats[self.state.turn].agent if self.running else ""

    @property
    def dealt(self) -> bool:
        """The cards are dealt when every seat is taken; until then `state` is a deal that nobody plays."""
        return all(seat.kind != "open" for seat in self.seats)

    @property
    def counts(self) -> bool:
        """Whether the game changes ratings."""
        measured = bot_ratings(self.game)
        agents = (seat.name for seat in self.seats if seat.kind == "agent")
        fair = self.rated and not self.hints and not self.match
        return fair and self.game.rules.is_standard and all(name in measured for name in agents)

    @property
    def people(self) -> tuple[int, ...]:
        """The seats at which people play."""
        return tuple(number for number, seat in enumerate(self.seats) if seat.plays)

    def reserve_left(self, seat: int) -> int:
        """Milliseconds, at the end of the last action of the seat."""
        return self.clock.reserve_left(action.think_ms for action in self.actions if action.seat == seat) if self.clock else 0

    @property
    def turn_ms(self) -> int | None:
        """Milliseconds the person to act may take; None without a clock, or if no person is to act."""
        if self.clock is None or not self.running or not self.seats[self.state.turn].plays:
            return None
        return 1000 * self.clock.move + self.reserve_left(self.state.turn)

    @property
    def think_times(self) -> tuple[int | None, ...]:
        """[T] of each turn."""
        return tuple(action.think_ms for action in self.actions if action.kind == "play")

    def seat_of(self, person: int | None) -> int | None:
        """Where a person plays; not where they gave up."""
        return next((i for i in self.people if person is not None and self.seats[i].person == person), None)

    def forfeited(self, person: int | None) -> int | None:
        """The seat a person gave up."""
        gone = (i for i, seat in enumerate(self.seats) if seat.stand_in and person is not None and seat.person == person)
        return next(gone, None)

    def view(self, seat: int | None) -> View:
        """What a seat may know; an onlooker, and before the deal everybody, sees the table as from seat 0, without a hand."""
        if seat is not None and self.dealt:
            return reference.view(self.state, seat)
        seen = reference.view(self.state, 0)
        public = seen.public if self.dealt else 0
        return replace(seen, hand=0, public=public, unseen=self.game.deck.full - sum(seen.played))

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
        """A bid for landlord, or whether the seat doubles."""
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

    def join(self, person: int, name: str, seed: int, hints: bool = False) -> Table:
        """A person takes the first open seat. Who takes the last has the cards dealt from `seed`."""
        return self._take_open(Seat("person", name, person, hints), seed)

    def fill(self, seat: int | None, agent: str, seed: int) -> Table:
        """Who waits has an agent take every open seat."""
        self._check_waiting(seat)
        table = self
        while not table.dealt:
            table = table._take_open(Seat("agent", agent), seed)
        return table

    def _take_open(self, taken: Seat, seed: int) -> Table:
        if self.status is not Status.OPEN:
            raise Refused("full", Why.table_full())
        free = next(i for i, seat in enumerate(self.seats) if seat.kind == "open")
        table = self._with_seat(free, taken)._with_hints_agreed()
        return replace(table, state=reference.deal(self.game, seed)) if table.dealt else table

    def agree(self, seat: int | None, hints: bool) -> Table:
        """Who sits there agrees to hints, or does so no more; settled before the deal."""
        number = self._check_waiting(seat)
        return self._with_seat(number, replace(self.seats[number], hints=hints))._with_hints_agreed()

    def _with_hints_agreed(self) -> Table:
        return replace(self, hints=all(self.seats[i].hints for i in self.people))

    def _check_waiting(self, seat: int | None) -> int:
        if seat is None:
            raise Refused("not_seated", Why.not_seated())
        if self.status is not Status.OPEN:
            raise Refused("dealt", Why.dealt())
        return seat

    def _with_seat(self, number: int, seat: Seat) -> Table:
        return replace(self, seats=(*self.seats[:number], seat, *self.seats[number + 1 :]))

    def help(self, seat: int) -> Table:
        """A hint is given, which everybody sees."""
        return self._with_seat(seat, replace(self.seats[seat], helped=self.seats[seat].helped + 1))

    def leave(self, seat: int | None, stand_in: str) -> Table:
        """Who leaves, or runs out of time, is replaced by an agent that finishes the game, and is rated as losing.

        Before the deal the seat is open again. A game that does not count and at which no other person plays just ends.
        """
        if seat is None:
            raise Refused("not_seated", Why.not_seated())
        if self.status in (Status.OVER, Status.LEFT):
            raise Refused("over", OfEngines.over())
        others = any(number != seat and self.seats[number].kind == "person" for number in self.people)
        if self.status is Status.OPEN:
            return self._with_seat(seat, OPEN)._with_hints_agreed() if others else replace(self, left=True)
        if not others and not self.counts:
            return replace(self, left=True)
        return self._with_seat(seat, replace(self.seats[seat], stand_in=stand_in))

    def want_rematch(self, seat: int) -> Table:
        return self._with_seat(seat, replace(self.seats[seat], again=True))

    @property
    def wants_rematch(self) -> frozenset[int]:
        return frozenset(seat for seat in self.people if self.seats[seat].again)

    def forget(self, person: int) -> Table:
        """Without what says who a person was; an agent plays on for them already, or the game is over."""
        seats = (replace(seat, name=FORGOTTEN, person=None) if seat.person == person else seat for seat in self.seats)
        return replace(self, seats=tuple(seats))

    def again(self, id: str, seed: int) -> Table:
        """The same people and agents under the same rules with new cards; the seat of who left is open.

        Everybody moves on by a seat, as seats differ: the first may be the landlord's, or that of who leads.
        """
        stay = [OPEN if seat.stand_in else replace(seat, helped=0, again=False) for seat in self.seats]
        seats = (*stay[1:], stay[0])
        state = reference.deal(self.game, seed)
        return Table(id, state, seats, self.hints, self.pace, listed=self.listed, clock=self.clock)


def _allowed(change: Callable[[], State]) -> State:
    """The state after a change; what the rules forbid is refused with the engine's own reason."""
    try:
        return change()
    except BadInput as error:
        raise Refused("illegal", error.reason) from error
