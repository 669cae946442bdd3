"""The processes that play an evaluation."""

import os
import signal
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from shangyou import games
from shangyou.evaluation.backends import Backend, Contestant, make_backend
from shangyou.evaluation.duplicate import Matchup, PlayedDeals, play_matchups
from shangyou.games import BadInput, Deal, Game

CHUNKS_AHEAD = 2  # for each worker: enough that none waits, few enough to throw away


def play_chunks(
    game: Game,
    contestants: Sequence[Contestant],
    chunks: Iterable[Matchup],
    seed: int,
    mirrored: bool,
    workers: int,
    given: Sequence[Deal] = (),
) -> Generator[PlayedDeals]:
    """The chunks played, in the order given. What comes out does not depend on the number of workers."""
    if workers < 1:
        raise BadInput(f"workers {workers}: at least one is needed")
    backend = make_backend(game, contestants, seed, given)  # also with workers, so that what cannot be loaded is reported here
    if workers == 1:
        yield from (_play(backend, chunk, mirrored) for chunk in chunks)
        return
    threads = max(1, (os.cpu_count() or 1) // workers)
    settings = threads, game.name, game.rules.as_dict(), contestants, seed, mirrored, given
    # Spawned, since forking a process that has threads, as one with torch in it has, may hang.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, settings)
    try:
        yield from _in_order(pool, chunks, CHUNKS_AHEAD * workers)
    finally:
        pool.shutdown(cancel_futures=True)


def _play(backend: Backend, chunk: Matchup, mirrored: bool) -> PlayedDeals:
    return play_matchups(backend, [chunk], mirrored)[0]


def _in_order(pool: ProcessPoolExecutor, chunks: Iterable[Matchup], ahead: int) -> Iterator[PlayedDeals]:
    waiting: deque[Future[PlayedDeals]] = deque()
    for chunk in chunks:
        waiting.append(pool.submit(_play_in_worker, chunk))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


_worker: list[tuple[Backend, bool]] = []


def _start_worker(
    threads: int,
    game: str,
    rules: dict[str, Any],
    contestants: Sequence[Contestant],
    seed: int,
    mirrored: bool,
    given: Sequence[Deal],
) -> None:
    for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):  # before torch and Numba are imported
        os.environ.setdefault(name, str(threads))
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends a worker at once and silently: its parent has the results
    _worker[:] = [(make_backend(games.load(game, **rules), contestants, seed, given), mirrored)]


def _play_in_worker(chunk: Matchup) -> PlayedDeals:
    backend, mirrored = _worker[0]
    return _play(backend, chunk, mirrored)
