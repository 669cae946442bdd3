"""Kernels of search and solver, compiled in a process of their own when the server starts: the server is not slowed down, and
who asks first finds them on disk."""

import asyncio
import subprocess
import sys

LOOK_AGAIN = 0.5  # seconds between looks whether it is done
WORK = "from shangyou.search.playout import compile_kernels; compile_kernels()"


class Compiler:
    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", WORK], stdin=subprocess.DEVNULL)

    @property
    def done(self) -> bool:
        """Also if it was never started."""
        return self.process is None or self.process.poll() is not None

    async def wait(self) -> None:
        while not self.done:
            await asyncio.sleep(LOOK_AGAIN)
