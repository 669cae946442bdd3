"""A game record: the cards, the bids, every turn, the players and the result; and its plays as text, `seat,cards`.

Passes that follow from the plays are left out of texts when writing and filled in when reading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate
from typing import NamedTuple

from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.games import NOBODY, PASS, BadInput, Cards, Deal, Game, IllegalPlay
from shangyou.records.errors import RecordError, Why

PASS_WORD = "pass"


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
    bids: tuple[int, ...]  # all that was said before the first play: bids for landlord, then who doubles
    turns: tuple[tuple[int, Cards], ...]  # (seat, what it put down), passes included
    result: Result
    players: tuple[str, ...] = ()  # [S], or empty if unknown
    name: str = ""

    @classmethod
    def from_state(cls, state: State, players: Sequence[str] = (), name: str = "") -> Record:
        """The game up to this state, finished or not."""
        if players and len(players) != state.game.seats:
            game = state.game
            raise BadInput(Why.players_number(players=", ".join(players), game=game.name, seats=game.seats, n=len(players)))
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
        state = reduce(reference.put, (cards for _, cards in self.turns), opening(self.game, deal, self.bids))
        return Record.from_state(state, players, self.name)


def opening(game: Game, deal: Deal, bids: Sequence[int] = ()) -> State:
    """The state after the bids, before anybody plays."""
    return reduce(said, bids, reference.start(game, deal))


def said(state: State, points: int) -> State:
    """The state after a bid, or a word on doubling."""
    state = reference.bid(state, points)
    if not state.bids:  # the engine has dealt again
        raise BadInput(Why.nobody_bids())
    return state


def in_turn(state: State, seat: int, cards: Cards) -> State:
    """The state after `seat`, whose turn it must be, puts these cards down; none is a pass."""
    if seat != state.turn and not state.over:
        raise IllegalPlay(Why.not_the_turn(turn=state.turn, seat=seat))
    return reference.put(state, cards)


def states(record: Record) -> Iterator[State]:
    """Every state of the game, from the opening to where the record ends."""
    start = opening(record.game, record.deal, record.bids)
    return accumulate(record.turns, lambda state, turn: in_turn(state, *turn), initial=start)


def with_bids(record: Record) -> list[State]:
    """Every state of the game, from the deal to where the record ends."""
    *before, _ = accumulate(record.bids, said, initial=reference.start(record.game, record.deal))
    return [*before, *states(record)]


def replay(record: Record) -> State:
    """The state where the record ends."""
    *_, last = states(record)
    return last


# -- plays as text ----------------------------------------------------------------------------------------------------


class WrittenPlay(NamedTuple):
    """A play as text, and its line in the file."""

    line: int
    seat: str
    cards: str

    def __str__(self) -> str:
        return f"{self.seat},{self.cards}"


def play_on(state: State, plays: Iterable[WrittenPlay], put: Callable[[State, int, Cards], State]) -> State:
    """The state after these plays. The error of a play that is not allowed has the play and the hand."""
    for number, play in enumerate(plays, 1):
        seat = NOBODY
        try:
            seat = read_seat(state.game, play.seat)
            state = put(state, seat, read_cards(state.game, play.cards))
        except BadInput as error:
            hand = state.game.deck.format(state.hands[seat]) if seat != NOBODY else ""
            raise RecordError(error.reason, play.line, number, str(play), hand) from error
    return state


def read_seat(game: Game, text: str) -> int:
    seats = [str(seat) for seat in range(game.seats)]
    if text.strip() not in seats:
        raise BadInput(Why.no_seat(text=text.strip(), game=game.name, options=seats))
    return seats.index(text.strip())


def read_cards(game: Game, text: str) -> Cards:
    if text.strip().lower() == PASS_WORD:
        return 0
    if not text.strip():
        raise BadInput(Why.pass_word(word=PASS_WORD))
    return game.deck.parse(text)


def write_cards(game: Game, cards: Cards) -> str:
    """A play as text, the main group before its kickers, as the table has it; where suits matter, all of them."""
    if game.deck.suited:
        return game.deck.format(cards) or PASS_WORD
    row = game.table.find(cards)
    return game.deck.format(cards) if row is None else game.table.labels[row]


# -- passes that follow from the plays --------------------------------------------------------------------------------


def with_passes(state: State, seat: int, cards: Cards) -> State:
    """The state after `seat` puts these cards down, the seats before it having passed.

    With four seats there can be two ways to read a play: when the seat that made the last play is out of cards, the
    next seat may answer it, or pass, see the others pass, and lead. The reading with the fewest passes is taken.
    """
    before, refused = state, None
    while True:
        if seat == state.turn or state.over or state.bidding:
            try:
                return reference.put(state, cards)
            except IllegalPlay as error:
                refused = refused or error
        if state.over or state.bidding or state.last == PASS:
            raise refused or _no_turn(before, seat)
        state = reference.put(state, 0)


def _no_turn(state: State, seat: int) -> IllegalPlay:
    if not state.hands[seat]:
        return IllegalPlay(Why.has_no_cards(seat=seat))
    if state.last == PASS:
        return IllegalPlay(Why.is_to_lead(turn=state.turn, seat=seat))
    return IllegalPlay(Why.has_passed(seat=seat))


def needed_turns(record: Record) -> Iterator[tuple[int, Cards]]:
    """The turns that must be written: every play, and the passes that `with_passes` would not fill in."""
    state = before_passes = opening(record.game, record.deal, record.bids)
    passes: list[tuple[int, Cards]] = []
    for seat, cards in record.turns:
        state = reference.put(state, cards)
        if not cards:
            passes.append((seat, cards))
            continue
        if passes and len(with_passes(before_passes, seat, cards).history) != len(state.history):
            yield from passes
        yield seat, cards
        passes.clear()
        before_passes = state
    yield from passes  # no play after them implies them
