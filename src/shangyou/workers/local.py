"""Processes of this machine that do work."""

from __future__ import annotations

import os
import pickle
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from shangyou.workers import Chunk, Result, Work

CHUNKS_AHEAD = 2  # for each worker: enough that none waits, few enough to throw away


def do_in_processes(work: Work[Chunk, Result], chunks: Iterable[Chunk], workers: int) -> Generator[Result]:
    threads = max(1, (os.cpu_count() or 1) // workers)
    # Spawned, since forking a process that has threads, as one with torch in it has, may hang.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (threads, pickle.dumps(work)))
    try:
        waiting: deque[Future[Result]] = deque()
        for chunk in chunks:
            waiting.append(pool.submit(_do, chunk))
            if len(waiting) > CHUNKS_AHEAD * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


_worker: list[Callable[[Any], Any]] = []


def _start_worker(threads: int, work: bytes) -> None:
    use_threads(threads)  # before torch and Numba are imported, which the work may do
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends a worker at once and silently: its parent has the results
    _worker[:] = [pickle.loads(work).start()]


def use_threads(threads: int) -> None:
    for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.setdefault(name, str(threads))


def _do(chunk: Any) -> Any:
    return _worker[0](chunk)
