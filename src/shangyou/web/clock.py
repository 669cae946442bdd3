"""The clock of a table: so many seconds for each bid or play, and a reserve for the whole game when those are not enough."""

from collections.abc import Iterable
from dataclasses import dataclass

LAG_MS = 500  # on the way from a browser to the server


@dataclass(frozen=True, slots=True)
class Clock:
    move: int  # seconds for each bid or play
    reserve: int  # seconds for the whole game

    def reserve_left(self, think_times: Iterable[int | None]) -> int:
        """Milliseconds left of the reserve after actions that took so long."""
        used = sum(max(0, (ms or 0) - 1000 * self.move) for ms in think_times)
        return max(0, 1000 * self.reserve - used)


STANDARD = Clock(move=20, reserve=60)  # of quick matches
