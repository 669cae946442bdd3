"""The exact solver off the event loop: one question at a time, a few that wait, then "busy".

A kernel in a thread cannot be stopped, so every question has a bound on its positions; it lets go of Python's lock meanwhile.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from shangyou.web.errors import Why
from shangyou.web.live.compiling import Compiler
from shangyou.web.table import Refused

MOST_WAITING = 8
MOST_KNOWN = 1000  # answers that are remembered
Result = TypeVar("Result")


class SolverQueue:
    def __init__(self, compiler: Compiler) -> None:
        self.thread, self.waiting, self.compiler = ThreadPoolExecutor(1, "solver"), 0, compiler
        self.known: dict[str, Any] = {}

    async def run(self, work: Callable[[], Result], compiled: bool = False) -> Result:
        """Work for the solver, or a refusal where too much waits already; with `compiled` not before the compiler is done."""
        if self.waiting >= MOST_WAITING:
            raise Refused("too_many", Why.solver_busy())
        self.waiting += 1
        try:
            if compiled:
                await self.compiler.wait()
            return await asyncio.get_running_loop().run_in_executor(self.thread, work)
        finally:
            self.waiting -= 1

    async def run_once(self, key: str, work: Callable[[], Result]) -> Result:
        """Work that a page asks for by itself: it waits for the compiler, and is done once as long as it is remembered."""

        def work_once() -> Any:
            if key not in self.known:
                found = work()
                while len(self.known) >= MOST_KNOWN:
                    del self.known[next(iter(self.known))]
                self.known[key] = found
            return self.known[key]

        known: Result | None = self.known.get(key)
        return known if known is not None else await self.run(work_once, compiled=True)

    def close(self) -> None:
        self.thread.shutdown(wait=False, cancel_futures=True)
