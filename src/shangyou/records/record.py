"""A game record: the cards, the bids, every turn, the players and the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.games import BadInput, Cards, Deal, Game, IllegalPlay


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended. S seats."""

    finished: bool
    scores: tuple[int, ...]  # [S] zeros while unfinished
    winners: tuple[int, ...]
    places: tuple[int, ...]  # [S] 1 for first out, 0 while it has cards

    @classmethod
    def of(cls, state: State) -> Result:
        return cls(state.over, state.scores, state.winners, state.places)


@dataclass(frozen=True, slots=True)
class Record:
    """One game. It is made from a state of the reference engine, so it follows the rules."""

    game: Game
    deal: Deal
    bids: tuple[int, ...]  # in turn from deal.first
    turns: tuple[tuple[int, Cards], ...]  # (seat, what it put down), passes included
    result: Result
    players: tuple[str, ...] = ()  # [S], or empty if unknown
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
        hands, players = self.deal.hands[seat:] + self.deal.hands[:seat], self.players[seat:] + self.players[:seat]
        deal = replace(self.deal, hands=hands, first=(self.deal.first - seat) % self.game.seats)
        state = opening(self.game, deal, self.bids)
        for _, cards in self.turns:
            state = reference.put(state, cards)
        return Record.from_state(state, players, self.name)


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
