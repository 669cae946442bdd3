"""What a seat can force when all hands are known, the play that forces it, and the line of best play.

    answer = solve(Question(open_position(games.load("zsy2"), ["45S", "46K"])))
    answer.value, answer.best, answer.line

The seat's side plays against all others together. With two sides that is best play of both; in a game of more, such as
zsy4, it is what the seat can force against three adversaries, whatever they would rather do for themselves.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from shangyou.engines import reference
from shangyou.engines.errors import Why as EngineWhy
from shangyou.engines.kernels.layout import (
    BOMBS,
    LANDLORD,
    LAST,
    LAST_BY,
    OUTS,
    PASSED,
    PLACES,
    PUTS,
    SCALARS,
    TURN,
    game_constants,
    tables_of,
)  # fmt: skip
from shangyou.engines.reference import State, Turn
from shangyou.engines.supported import is_supported
from shangyou.games import BadInput, Game, IllegalPlay, load
from shangyou.search import proof
from shangyou.search.errors import Why
from shangyou.search.outcomes import OPEN, PLACE_BITS, outcomes, read_objective

NODES = 1_000_000  # positions looked at before an answer is unknown, by default
MOST_SEATS = 4
Move = tuple[int, int, bool | None]
"""A play, its cards, and whether it leads to what is wanted; None: unknown."""
SMALLEST_TABLE, LARGEST_TABLE = 1 << 12, 1 << 22  # positions that are kept; 16 bytes each


@dataclass(frozen=True)
class Question:
    """What can the seat to act force from here?"""

    state: State
    objective: str | None = None  # win, points or place; None: what the game is played for
    nodes: int = NODES  # positions to look at before the answer is unknown


class Answer(NamedTuple):
    """`value` is what the seat can force: 1 or 0 for win, its points, or its place, 1 for first.

    None is unknown: it lies between `least` and `most`, and there is no line.
    """

    objective: str
    seat: int
    value: int | None
    least: int
    most: int
    nodes: int  # positions looked at
    best: Turn | None  # the play that forces it
    line: tuple[Turn, ...]  # best play from here to the end, or as far as the nodes went


def solve(question: Question) -> Answer:
    state = question.state
    objective = read_objective(state.game, question.objective)
    search = Search(state, objective, question.nodes)
    worths = search.worths
    low, high = search.narrow(state, 0, len(worths) - 1)
    line = tuple(search.line(worths[low])) if low == high else ()
    least, most = sorted(abs(worths[i]) if objective == "place" else worths[i] for i in (low, high))
    best = line[0] if line else None
    return Answer(objective, state.turn, least if low == high else None, least, most, search.nodes, best, line)


def warm_up() -> None:
    """Compiles the solver, if it is not on disk yet: about a minute, once."""
    solve(Question(reference.deal(load("zsy2"), seed=1), nodes=1))


class Search:
    """Proofs about one game and what follows from it, which share a table of positions and a budget of nodes."""

    def __init__(self, state: State, objective: str, nodes: int = NODES) -> None:
        check_question(state, nodes)
        game, seat = state.game, state.turn
        self.game, self.state, self.seat = game, state, seat
        self.budget, self.nodes = nodes, 0
        self.rules = game_constants(game), tables_of(game)
        self.outcomes = outcomes(state, objective, seat)
        sides = game.sides(state.landlord)
        self.mine = sum(1 << other for other in range(game.seats) if sides[other] == sides[seat])
        self.everybody_alone = game.seats > 2 and len(set(sides)) == game.seats
        self.flush = _flush_runs(game)
        rows, room = self.rules[0].card_rows, proof.PLIES + 1
        self.cards, self.scalars = np.zeros((room, rows), np.int64), np.zeros((room, self.rules[0].scalar_rows), np.int32)
        size = SMALLEST_TABLE
        while size < min(nodes, LARGEST_TABLE):
            size *= 2
        self.room = proof.room(len(game.table), size, game.seats)

    @cached_property
    def worths(self) -> list[int]:
        """What the game may be worth to the seat, ascending."""
        settled = self._worths_of(self.state)
        if len({*settled.ravel().tolist()} - {OPEN}) == 1 and OPEN not in settled:
            return [int(settled.flat[0])]
        return sorted({*self.outcomes.worth[:, : 1 + _most_bombs(self.state)].ravel().tolist()} - {OPEN})

    def _worths_of(self, state: State) -> Any:
        """[bombs, plays] what the order of the seats that are out is worth, or OPEN."""
        code = sum(place << PLACE_BITS * seat for seat, place in enumerate(state.places))
        return self.outcomes.worth[self.outcomes.node[code]]

    def worth_at_the_end(self, state: State) -> int:
        """What a finished game that went on from the state is worth to the seat."""
        table, bombs = self._worths_of(state), state.bombs - self.state.bombs
        caps, strides = self.outcomes.caps.tolist(), self.outcomes.strides.tolist()
        made = state.ending(state.out).plays
        place = sum(min(n, cap) * stride for n, cap, stride in zip(made, caps, strides, strict=True))
        return int(table[min(bombs, len(table) - 1), place])

    def narrow(self, state: State, low: int, high: int) -> tuple[int, int]:
        """The least and the most a state may be worth, as places in `worths`; equal, if the nodes go so far."""
        while low < high:
            middle = (low + high + 1) // 2
            proven = self.reaches(state, self.worths[middle])
            if proven is None:
                break
            low, high = (middle, high) if proven else (low, middle - 1)
        return low, high

    def reaches(self, state: State, goal: int) -> bool | None:
        """Whether the seat gets `goal` or more from a state of this game; None: the nodes do not go so far."""
        return self.moves_to(state, goal)[0]

    def moves_to(self, state: State, goal: int, nodes: int | None = None) -> tuple[bool | None, list[Move]]:
        """Likewise, and every move there is, with whether it leads there, as far as that is known after so many nodes."""
        self._set(state)
        left = self.budget - self.nodes if nodes is None else nodes
        ahead = sum(worth >= goal for worth in self.worths) if self.everybody_alone else 1
        about = (self.mine, goal, ahead, *self.flush)
        end, seen = proof.prove(*self.rules, self.outcomes, about, self.cards, self.scalars, self.room, left)
        self.nodes += seen
        _, rows, cards, _, pn, dn = (column[: max(end, 0)].tolist() for column in self.room.moves)
        known = [True if one == 0 else False if other == 0 else None for one, other in zip(pn, dn, strict=True)]
        chooses = bool(self.mine >> state.turn & 1)
        proven = None if end < 0 else chooses if chooses in known else not chooses if set(known) == {not chooses} else None
        return proven, list(zip(rows, cards, known, strict=True))

    def line(self, worth: int) -> Iterator[Turn]:
        """Best play of everybody, from a state that is worth this."""
        state = self.state
        while not state.over:
            turn = self.best(state, worth)
            if turn is None:
                return
            yield turn
            state = reference.put(state, turn.cards)

    def best(self, state: State, worth: int) -> Turn | None:
        """A move that keeps what a state is worth. Who has nothing to lose sheds the most cards."""
        chooses = bool(self.mine >> state.turn & 1)
        place = self.worths.index(worth)
        if worth == self.worths[0 if chooses else -1]:
            moves = self.moves_to(state, worth, nodes=0)[1]
        else:
            proven, moves = self.moves_to(state, self.worths[place if chooses else place + 1])
            moves = [move for move in moves if move[2] is chooses and proven is not None]
        if not moves:
            return None
        play, cards, _ = max(moves, key=lambda move: self.game.deck.size(move[1]))
        return Turn(state.turn, play, cards)

    def _set(self, state: State) -> None:
        """A state as row 0."""
        seats, scalars = self.game.seats, self.scalars[0]
        self.cards[0] = 0
        self.cards[0, :seats] = state.hands
        scalars[:] = 0
        scalars[[TURN, LAST, LAST_BY, LANDLORD, OUTS]] = state.turn, state.last, state.last_by, state.landlord, len(state.out)
        scalars[PASSED] = sum(1 << seat for seat in state.passed)
        scalars[BOMBS] = state.bombs - self.state.bombs
        scalars[SCALARS + PLACES * seats : SCALARS + (PLACES + 1) * seats] = state.places
        scalars[SCALARS + PUTS * seats : SCALARS + (PUTS + 1) * seats] = state.ending(state.out).plays


def check_question(state: State, nodes: int) -> None:
    """BadInput if the solver cannot answer about a state."""
    game = state.game
    if isinstance(nodes, bool) or not isinstance(nodes, int) or nodes < 1:
        raise BadInput(Why.solver_nodes(nodes=nodes))
    check_rules(game)
    if state.over:
        raise IllegalPlay(EngineWhy.over())
    if state.bidding:
        raise IllegalPlay(EngineWhy.bid_first(seat=state.turn))


def check_rules(game: Game) -> None:
    """BadInput if the solver cannot play a game."""
    if game.deck.packs > 1:
        raise BadInput(Why.solver_two_packs(packs=game.deck.packs))
    if game.seats > MOST_SEATS:
        raise BadInput(Why.solver_seats(game=game.name, seats=game.seats, most=MOST_SEATS))
    if not is_supported(game):
        raise BadInput(Why.solver_rules(game=game.name, rules=str(game.rules)))


def _flush_runs(game: Game) -> tuple[int, int]:
    """The shortest flush, in ranks, and how many ranks, from 3 up, flushes run over; zeros where suits do not matter."""
    table = game.table
    rows = np.flatnonzero(table.suit >= 0)
    return (int(table.size[rows].min()), game.run_ranks) if len(rows) else (0, 0)


def _most_bombs(state: State) -> int:
    """Bombs that the hands of a state may still play; more cannot matter."""
    table, counts = state.game.table, [state.game.deck.counts(hand) for hand in state.hands]
    fours = sum(count // 4 for hand in counts for count in hand)
    return min(fours + bool(table.bombs), 15)
