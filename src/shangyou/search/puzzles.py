"""Puzzles (残局): positions with all cards known in which one play alone keeps what the seat to act can force.

They come from games that champions played with themselves. Stored is one line a puzzle in `puzzle_files/GAME.txt`:

    hands, seat 0 first | seat to act | landlord | play to beat | its seat | answer | what it keeps | turns of the line |
    who finds the answer
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from pathlib import Path

from shangyou import games
from shangyou.engines import reference
from shangyou.engines.open_position import open_position
from shangyou.engines.reference import State
from shangyou.games import BadInput, Cards, Game
from shangyou.search.errors import Why
from shangyou.search.outcomes import read_objective
from shangyou.search.solver import Search

FOLDER = Path(__file__).parent / "puzzle_files"
PROOF_NODES = 3_000_000


@dataclass(frozen=True)
class Puzzle:
    game: Game
    hands: tuple[str, ...]  # [S]
    turn: int
    landlord: int | None
    last: str
    last_by: int | None
    answer: str  # label of the one play
    goal: int  # what can be forced, as the solver counts it; stored, so that showing a puzzle proves nothing
    turns: int  # of the line to the end
    found_by: tuple[str, ...]  # the agents that make that play, seeing what a player sees: greedy, rule, champion

    @cached_property
    def state(self) -> State:
        return open_position(
            self.game, self.hands, turn=self.turn, last=self.last, last_by=self.last_by, landlord=self.landlord
        )  # fmt: skip

    @property
    def grade(self) -> int:
        """1 easy to 4 hard: what the champion misses is 3 or 4, a line of more than twelve turns one more."""
        return 1 + 2 * ("champion" not in self.found_by) + (self.turns > 12)

    def __str__(self) -> str:
        fields = (
            self.turn,
            self.landlord,
            self.last,
            self.last_by,
            self.answer,
            self.goal,
            self.turns,
            ",".join(self.found_by),
        )
        return "|".join(["/".join(self.hands), *("" if one is None else str(one) for one in fields)])


def read(game: Game, text: str) -> Puzzle:
    """The inverse of `str`."""
    hands, turn, landlord, last, last_by, answer, goal, turns, found_by = text.rstrip("\n").split("|")
    return Puzzle(
        game, tuple(hands.split("/")), int(turn), int(landlord) if landlord else None, last, int(last_by) if last_by else None,
        answer, int(goal), int(turns), tuple(found_by.split(",")) if found_by else (),
    )  # fmt: skip


@cache
def puzzles(name: str) -> tuple[Puzzle, ...]:
    """Those that come with the package, in their order: number 1 is the first."""
    game = games.load(name)
    file = FOLDER / f"{name}.txt"
    return tuple(read(game, line) for line in file.read_text(encoding="utf-8").splitlines()) if file.is_file() else ()


def puzzle(name: str, number: int) -> Puzzle:
    found = puzzles(games.load(name).name)
    if not 1 <= number <= len(found):
        raise BadInput(Why.no_puzzle(game=name, number=number, most=len(found)))
    return found[number - 1]


# -- what keeps the value ---------------------------------------------------------------------------------------------


class Judge:
    """What the seat to act of a puzzle can force, and which moves of any seat keep or spoil it."""

    def __init__(self, state: State, nodes: int = PROOF_NODES) -> None:
        self.state = state
        self.search = Search(state, read_objective(state.game, None), nodes)

    @cached_property
    def goal(self) -> int | None:
        """The most the seat can force; None: the nodes do not go so far."""
        for worth in reversed(self.search.worths[1:]):
            proven = self.search.reaches(self.state, worth)
            if proven is None:
                return None
            if proven:
                return worth
        return self.search.worths[0]

    def keeps(self, state: State, goal: int) -> bool | None:
        """Whether the seat still gets `goal` in a state of this game."""
        if state.over:
            worth = self.search.worth_at_the_end(state)
            return worth >= goal
        return self.search.reaches(state, goal)

    def reply(self, state: State, goal: int) -> Cards:
        """A move of the seat to act that is best for its side; where none helps, one that sheds the most."""
        chooses = bool(self.search.mine >> state.turn & 1)
        moves = self.search.moves_to(state, goal)[1]
        good = [cards for _, cards, known in moves if known is chooses]
        return max(good or [cards for _, cards, _ in moves], key=state.game.deck.size)

    def only_row(self, goal: int) -> int | None:
        """The one row that keeps `goal`, if there is just one and all others are proven to spoil it."""
        rows: set[int] = set()
        for row, cards, _ in self.search.moves_to(self.state, goal)[1]:
            kept = self.keeps(reference.put(self.state, cards), goal)
            if kept is None:
                return None
            rows |= {row} if kept else set()
            if len(rows) > 1:
                return None
        return rows.pop() if rows else None


def prove(puzzle: Puzzle, nodes: int = PROOF_NODES) -> bool:
    """Whether the answer, and it alone, keeps what can be forced; and no play that sheds the most does."""
    judge = Judge(puzzle.state, nodes)
    goal = judge.goal
    if goal is None or goal != puzzle.goal or goal == judge.search.worths[0]:
        return False
    row = judge.only_row(goal)
    return row is not None and puzzle.game.table.labels[row] == puzzle.answer and not sheds_most(puzzle.state, row)


def sheds_most(state: State, row: int) -> bool:
    """Whether no legal play sheds more cards: no puzzle is solved by shedding the most."""
    size = state.game.table.size
    return bool(size[row] == size[reference.legal(state)].max())


# -- trying one -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trial:
    """A puzzle after some moves of whoever tries it; the solver has moved for all other seats."""

    seat: int  # the player's
    state: State  # in which it is the player's turn, or over
    goal: int
    kept: bool  # whether what could be forced still can be
    spoiled_at: int  # number of the first move that gave it away, from 1; 0 for none

    @property
    def over(self) -> bool:
        return self.state.over or not self.state.hands[self.seat]


def attempt(puzzle: Puzzle, moves: Sequence[Cards]) -> Trial:
    """The puzzle after these moves, each a set of cards; none is a pass. A move that is not legal is an error."""
    judge, state, goal, spoiled = Judge(puzzle.state), puzzle.state, puzzle.goal, 0
    for number, cards in enumerate(moves, 1):
        state = reference.put(state, cards)
        if not spoiled and not judge.keeps(state, goal):
            spoiled = number
        while not state.over and state.turn != puzzle.turn and state.hands[puzzle.turn]:
            state = reference.put(state, judge.reply(state, goal))
        if not state.hands[puzzle.turn]:
            break
    return Trial(puzzle.turn, state, goal, not spoiled, spoiled)


def of_the_day(name: str, day: date) -> int:
    """The number of a day's puzzle: each comes once before one comes again."""
    count, step = len(puzzles(name)), 7919  # a prime that divides no number of puzzles
    if not count:
        raise BadInput(Why.no_puzzles(game=name))
    return 1 + day.toordinal() * step % count
