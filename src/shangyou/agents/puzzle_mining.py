"""Puzzles out of games that a champion plays with itself: `shangyou puzzle mine`."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from random import Random

from shangyou import agents
from shangyou.agents.agent import Agent
from shangyou.agents.play import Decision, play
from shangyou.engines import reference
from shangyou.engines.open_position import open_position
from shangyou.engines.reference import State
from shangyou.games import NOBODY, PASS, Game
from shangyou.search.puzzles import Judge, Puzzle, sheds_most

FINDERS = ("greedy", "rule", "champion")  # by strength; not every game has a rule agent
LARGEST_HAND, MOST_NODES = 15, 120_000  # of a position that is tried
A_GAME = 3  # puzzles at most


@dataclass(frozen=True)
class MinePuzzles:
    """Work in chunks, which are ranges of deals."""

    game: Game
    seed: int

    @property
    def agents(self) -> Iterable[str]:
        return (agents.strongest(self.game),)

    def start(self) -> Callable[[range], list[Puzzle]]:
        return lambda numbers: list(mine(self.game, self.seed, numbers.start, len(numbers)))


def mine(game: Game, seed: int, first: int, deals: int, progress: Callable[[int], None] = lambda _: None) -> Iterator[Puzzle]:
    """Puzzles from the champion's games with itself on deals `first`, `first + 1`, ... of a seed, one or two a game."""
    champion = agents.load(agents.strongest(game), game)
    finders = {name: agents.load(name, game) for name in FINDERS[:2] if name in agents.names(game)} | {FINDERS[2]: champion}
    waiting: dict[int, list[State]] = {}

    def keep(decision: Decision) -> None:
        state = decision.state
        small = max(map(game.deck.size, state.hands)) <= LARGEST_HAND
        if len(decision.legal) > 2 and small:
            waiting.setdefault(decision.number, []).append(state)

    starts = [reference.deal(game, seed, first + i) for i in range(deals)]
    play(game, [champion] * game.seats, None, starts, keep)
    for number in range(deals):
        taken = 0
        for state in waiting.get(number, []):
            if taken < A_GAME and (found := make(state, finders)):
                taken += 1
                yield found
        progress(number + 1)


def make(state: State, finders: dict[str, Agent]) -> Puzzle | None:
    """The puzzle that a state of a game is, if it is one."""
    game, text = state.game, state.game.deck.format
    by_seat = state.last != PASS
    last = next(text(turn.cards) for turn in reversed(state.history) if turn.play != PASS) if by_seat else ""
    hands, landlord = tuple(map(text, state.hands)), None if state.landlord == NOBODY else state.landlord
    opened = open_position(
        game, hands, turn=state.turn, last=last, last_by=state.last_by if by_seat else None, landlord=landlord
    )  # fmt: skip
    judge = Judge(opened, MOST_NODES)
    goal = judge.goal
    if goal is None or goal == judge.search.worths[0]:
        return None
    row = judge.only_row(goal)
    if row is None or sheds_most(state, row):
        return None
    turns = len(tuple(judge.search.line(goal)))
    view, legal = reference.view(state), reference.legal(state)
    found_by = tuple(name for name, agent in finders.items() if agent.act(view, legal) == row)
    return Puzzle(
        game, hands, state.turn, landlord, last, state.last_by if by_seat else None, game.table.labels[row], goal, turns,
        found_by,
    )  # fmt: skip


def choose(found: Iterable[Puzzle], count: int) -> list[Puzzle]:
    """At most `count` puzzles, each position once, in a mixed order; as many of each grade, as far as there are."""
    unique = {(one.hands, one.turn, one.last): one for one in found}
    by_grade: dict[int, list[Puzzle]] = {}
    for one in sorted(unique.values(), key=str):
        by_grade.setdefault(one.grade, []).append(one)
    mixed = Random(0)
    for same in by_grade.values():
        mixed.shuffle(same)
    in_turns = [one for some in zip_longest(*by_grade.values()) for one in some if one is not None]
    chosen = in_turns[:count]
    mixed.shuffle(chosen)
    return chosen
