"""Who is compared, and the processes that play for them."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import Any, NamedTuple

from shangyou import agents, games
from shangyou.agents import Agent
from shangyou.evaluation.duplicate import PlayedDeal, play_deals
from shangyou.games import BadInput, Game

CHUNKS_AHEAD = 2  # for each worker: enough that none waits, few enough to throw away


@dataclass(frozen=True)
class Contestant:
    """A name to show, and how to make the agent; each process makes its own, so `make` must be picklable for that."""

    name: str
    make: Callable[[Game], Agent]


def by_name(name: str, seed: int = 0) -> Contestant:
    """The contestant that `agents.load` knows by that name."""
    return Contestant(name, partial(agents.load, name, seed=seed))


class Chunk(NamedTuple):
    """Deals to be played by two of the contestants, given by their places."""

    a: int
    b: int
    indices: range


class Crew:
    """The contestants' agents in one process, ready to play any chunk."""

    def __init__(self, game: Game, contestants: Sequence[Contestant], seed: int, mirrored: bool) -> None:
        self.game, self.seed, self.mirrored = game, seed, mirrored
        self.agents = [contestant.make(game) for contestant in contestants]

    def play(self, chunk: Chunk) -> list[PlayedDeal]:
        a, b = self.agents[chunk.a], self.agents[chunk.b]
        return play_deals(self.game, a, b, self.seed, chunk.indices, self.mirrored)


def play_chunks(
    game: Game, contestants: Sequence[Contestant], chunks: Iterable[Chunk], seed: int, mirrored: bool, workers: int
) -> Generator[list[PlayedDeal]]:
    """The chunks played, in the order given. What comes out does not depend on the number of workers."""
    if workers < 1:
        raise BadInput(f"workers {workers}: at least one is needed")
    crew = Crew(game, contestants, seed, mirrored)  # also with workers, so that what cannot be loaded is said here
    if workers == 1:
        yield from map(crew.play, chunks)
        return
    setting = game.name, game.rules.as_dict(), contestants, seed, mirrored
    # Spawned, since forking a process that has threads, as one with torch in it has, may hang.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, setting)
    try:
        yield from _in_order(pool, chunks, CHUNKS_AHEAD * workers)
    finally:
        pool.shutdown(cancel_futures=True)


def _in_order(pool: ProcessPoolExecutor, chunks: Iterable[Chunk], ahead: int) -> Iterator[list[PlayedDeal]]:
    waiting: deque[Future[list[PlayedDeal]]] = deque()
    for chunk in chunks:
        waiting.append(pool.submit(_play_in_worker, chunk))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


_crew_of_process: list[Crew] = []


def _start_worker(game: str, rules: dict[str, Any], contestants: Sequence[Contestant], seed: int, mirrored: bool) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends a worker at once and silently: its parent has the results
    _crew_of_process[:] = [Crew(games.load(game, **rules), contestants, seed, mirrored)]


def _play_in_worker(chunk: Chunk) -> list[PlayedDeal]:
    return _crew_of_process[0].play(chunk)
