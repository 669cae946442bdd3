"""Search by playing games to their end: which of the best few plays wins most often, in worlds that may be the true one.

    for thought in think(view, prior, player, Budget(seconds=0.5), rng):
        print(thought.rows[thought.best], thought.win)

The candidates are the best plays of an agent, all tried in the same worlds. Sequential halving: the budget is shared by rounds,
after each of which the worse half of the candidates is dropped, so that those that are close are looked at longest. The value
of a play is (wins + n0 x the agent's own) / (D + n0): playouts say what the agent cannot see, and it what they get wrong.

k candidates, D worlds, S seats, W words a set of cards, N legal plays.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import ceil, log2
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from shangyou.engines.reference import View
from shangyou.games import BadInput, Rows
from shangyou.search.beliefs import Floats, Ints, Judge, effective, even_worlds, normalised
from shangyou.search.errors import Why

UNBOUNDED = 1 << 40  # playouts
FIRST_SAMPLE = 64  # worlds drawn evenly at first


class Player(Protocol):
    """Plays games to their end: `PlayoutPlayer` on a CPU."""

    def win(self, view: View, hands: Ints, candidates: Rows) -> npt.NDArray[Any]:
        """[k, D] the chance that the side of the seat to act wins after each candidate, in each world: 0 or 1."""


@dataclass(frozen=True)
class Budget:
    """How long to think: so many seconds, or so many playouts, whichever ends first."""

    seconds: float = float("inf")
    playouts: int = UNBOUNDED

    def __post_init__(self) -> None:
        given = self.seconds < float("inf") or self.playouts < UNBOUNDED
        if not self.seconds > 0 or self.playouts < 1 or not given:
            raise BadInput(Why.budget(seconds=self.seconds, playouts=self.playouts))


@dataclass(frozen=True)
class Settings:
    """How to search. docs/search.md says what was measured."""

    candidates: int = 6
    n0: float = 256.0  # worlds that the agent's own value counts as
    worlds: int = 2048  # drawn evenly, then weighed; those that playouts are made in are drawn from them
    batch: int = 32  # worlds between two looks at the clock
    belief: float = 0.35  # of the time for weighing worlds, at most


@dataclass
class Thought:
    """What is known so far."""

    rows: Rows  # [k] the candidates, by the agent's own values, best first
    prior: Floats  # [k] the agent's own win chances
    wins: Floats = field(init=False)  # [k] playouts won, weighted
    worlds: Floats = field(init=False)  # [k] how many even worlds those that were tried are worth
    playouts: int = 0
    seconds: float = 0.0  # so far
    n0: float = 0.0
    alive: npt.NDArray[np.bool_] = field(init=False)  # [k] not dropped
    done: bool = False

    def __post_init__(self) -> None:
        self.wins, self.worlds = np.zeros(len(self.rows)), np.zeros(len(self.rows))
        self.alive = np.ones(len(self.rows), bool)

    @property
    def win(self) -> Floats:
        """[k] (wins + n0 x the agent's own) / (D + n0)."""
        value: Floats = (self.wins + self.n0 * self.prior) / np.maximum(self.worlds + self.n0, 1e-9)
        return value

    @property
    def best(self) -> int:
        """The place of the best candidate among those that were not dropped."""
        return int(np.where(self.alive, self.win, -1.0).argmax())


def think(
    view: View,
    legal: Rows,
    prior: Floats,
    player: Player,
    budget: Budget,
    rng: np.random.Generator,
    judge: Judge | None = None,
    settings: Settings | None = None,
) -> Iterator[Thought]:
    """What is known after each batch of playouts; the last one is the answer. prior [N] are win chances of the legal plays.

    A `Player` may answer exactly in worlds with few cards, as `endgames.EndgamePlayer` does, and play the others out.
    """
    settings = settings or Settings()
    order = np.argsort(-prior, kind="stable")[: settings.candidates]
    thought = Thought(legal[order], np.asarray(prior[order], np.float64), n0=settings.n0)
    clock = _Clock(budget, thought)
    if len(order) > 1:
        drawn = _Worlds(view, settings, judge, rng, clock)
        rounds = max(1, ceil(log2(len(order))))
        for number in range(rounds):
            while not clock.over(number + 1, rounds):
                _try(thought, view, player, drawn)
                thought.seconds = clock.seconds
                yield thought
            if number < rounds - 1:
                _drop_worse_half(thought)
    thought.done = True
    yield thought


def _try(thought: Thought, view: View, player: Player, drawn: "_Worlds") -> None:
    alive = np.flatnonzero(thought.alive)
    hands, counts = drawn.next()
    won = player.win(view, hands, thought.rows[alive])
    thought.wins[alive] += (won * counts).sum(1)
    thought.worlds[alive] += counts.sum()
    thought.playouts += won.size


def _drop_worse_half(thought: Thought) -> None:
    alive = np.flatnonzero(thought.alive)
    worse = alive[np.argsort(-thought.win[alive], kind="stable")[ceil(len(alive) / 2) :]]
    thought.alive[worse] = False


class _Clock:
    def __init__(self, budget: Budget, thought: Thought) -> None:
        self.budget, self.thought, self.began = budget, thought, time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began

    def over(self, number: int, rounds: int) -> bool:
        """Whether the first `number` of the rounds have had their share. Every round has a batch at least."""
        share = number / rounds
        return self.thought.playouts > 0 and (
            self.seconds >= share * self.budget.seconds or self.thought.playouts >= share * self.budget.playouts
        )


class _Worlds:
    """Worlds as they are needed, without end: some are drawn evenly and weighed, then of these some at random by their weights.

    A world counts as much as it is worth: all of one sample together as many as the even worlds that its weights are worth.
    """

    def __init__(self, view: View, settings: Settings, judge: Judge | None, rng: np.random.Generator, clock: _Clock) -> None:
        self.view, self.settings, self.judge, self.rng, self.clock = view, settings, judge, rng, clock
        self.waiting: list[tuple[Ints, Floats]] = []
        self.size = FIRST_SAMPLE  # grown as long as there is time

    def next(self) -> tuple[Ints, Floats]:
        """Worlds [m, S, W], at most a batch of them, and what each counts [m]."""
        if not self.waiting:
            hands, counts = self._sample()
            order = self.rng.permutation(len(hands))
            size = self.settings.batch
            self.waiting = [(hands[part], counts[part]) for part in (order[i : i + size] for i in range(0, len(order), size))]
        return self.waiting.pop()

    def _sample(self) -> tuple[Ints, Floats]:
        if self.judge is None:
            return even_worlds(self.view, self.settings.batch, self.rng), np.ones(self.settings.batch)
        hands = even_worlds(self.view, self.size, self.rng)
        log_weights = self.judge.log_weights(self.view, hands)
        while len(hands) < self.settings.worlds and 2 * self.clock.seconds < self.settings.belief * self.clock.budget.seconds:
            more = even_worlds(self.view, len(hands), self.rng)  # twice as many, in about as much time as all before
            hands = np.concatenate([hands, more])
            log_weights = np.concatenate([log_weights, self.judge.log_weights(self.view, more)])
        self.size = len(hands)
        weights, draws = normalised(log_weights), len(hands) // 2
        places = (np.arange(draws) + self.rng.random()) / draws  # systematic: few worlds are drawn twice
        which, counts = np.unique(np.searchsorted(weights.cumsum(), places).clip(max=len(hands) - 1), return_counts=True)
        return hands[which], np.asarray(counts * min(1.0, effective(weights) / draws), np.float64)


def last_of(thoughts: Iterator[Thought], stop: Callable[[], bool] = lambda: False) -> Thought:
    """The answer, or what is known when `stop` says so."""
    latest = next(thoughts)
    for thought in thoughts:
        latest = thought
        if stop():
            break
    return latest
