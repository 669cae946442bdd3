"""The exact solver off the event loop: one question at a time, a few that wait, then "busy".

A kernel in a thread cannot be stopped, so every question has a bound on its positions; it lets go of Python's lock meanwhile.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from shangyou.web.errors import Why
from shangyou.web.table import Refused

MOST_WAITING = 8
Result = TypeVar("Result")


class SolverQueue:
    def __init__(self) -> None:
        self.thread, self.waiting = ThreadPoolExecutor(1, "solver"), 0

    async def run(self, work: Callable[[], Result]) -> Result:
        """Work for the solver, or a refusal where too much waits already."""
        if self.waiting >= MOST_WAITING:
            raise Refused("too_many", Why.solver_busy())
        self.waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self.thread, work)
        finally:
            self.waiting -= 1

    def close(self) -> None:
        self.thread.shutdown(wait=False, cancel_futures=True)
