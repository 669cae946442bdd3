"""A game written down: the cards, the bids, every turn, who played, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.games import BadInput, Cards, Deal, Game, IllegalPlay

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a game. S seats."""

    finished: bool
    scores: tuple[int, ...]  # [S] zeros while unfinished
    winners: tuple[int, ...]
    places: tuple[int, ...]  # [S] 1 for first out, 0 while it has cards

    @classmethod
    def of(cls, state: State) -> Result:
        return cls(state.over, state.scores, state.winners, state.places)


@dataclass(frozen=True, slots=True)
class Record:
    """Made from a state of the reference engine, so that no record breaks the rules of its game."""

    game: Game
    deal: Deal
    bids: tuple[int, ...]  # in turn from deal.first
    turns: tuple[tuple[int, Cards], ...]  # (seat, what it put down), passes included
    result: Result
    players: tuple[str, ...] = ()  # [S], or empty: not known
    name: str = ""

    @classmethod
    def from_state(cls, state: State, players: Sequence[str] = (), name: str = "") -> Record:
        """The game up to this state, finished or not."""
        if players and len(players) != state.game.seats:
            raise BadInput(f"players {', '.join(players)}: {state.game.name} has {state.game.seats} seats, not {len(players)}")
        turns = tuple((turn.seat, turn.cards) for turn in state.history)
        return cls(state.game, state.start, state.bids, turns, Result.of(state), tuple(players), name)

    @property
    def plays(self) -> int:
        """How often cards were put down."""
        return sum(cards != 0 for _, cards in self.turns)

    def turned(self, seat: int) -> Record:
        """The same game with the seats counted from `seat`."""
        if seat == 0:
            return self
        number = [(old - seat) % self.game.seats for old in range(self.game.seats)]
        deal, result = self.deal, self.result
        return replace(
            self,
            deal=replace(deal, hands=_from(deal.hands, seat), first=number[deal.first]),
            turns=tuple((number[old], cards) for old, cards in self.turns),
            result=replace(
                result,
                scores=_from(result.scores, seat),
                winners=tuple(sorted(number[old] for old in result.winners)),
                places=_from(result.places, seat),
            ),
            players=_from(self.players, seat),
        )


def _from(values: tuple[Value, ...], seat: int) -> tuple[Value, ...]:
    return values[seat:] + values[:seat]


def opening(game: Game, deal: Deal, bids: Sequence[int] = ()) -> State:
    """The state after the bids, before anybody plays."""
    state = reference.start(game, deal)
    for points in bids:
        state = reference.bid(state, points)
        if not state.bids:  # the engine has dealt again
            raise BadInput("nobody bids for landlord: the cards are dealt again, and a record starts from the last deal")
    return state


def in_turn(state: State, seat: int, cards: Cards) -> State:
    """The state after `seat`, whose turn it must be, puts these cards down; none is a pass."""
    if seat != state.turn and not state.over:
        raise IllegalPlay(f"it is the turn of seat {state.turn}, not of seat {seat}")
    return reference.put(state, cards)


def states(record: Record) -> Iterator[State]:
    """Every state of the game, from the opening to where the record ends."""
    state = opening(record.game, record.deal, record.bids)
    yield state
    for seat, cards in record.turns:
        state = in_turn(state, seat, cards)
        yield state


def replay(record: Record) -> State:
    """The state where the record ends."""
    *_, last = states(record)
    return last
