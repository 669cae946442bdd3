"""A table in memory: those who listen, the agent at work, the clock that runs."""

import asyncio
import time
from dataclasses import dataclass, field

from shangyou.web.clock import LAG_MS
from shangyou.web.errors import Why
from shangyou.web.limits import RateLimit
from shangyou.web.table import Table
from shangyou.web.wire.messages import Around, RefusedOut, state_message
from shangyou.web.wire.reasons import Answer

WAITING = 64  # messages a socket may lag behind
MOST_THINK_MS = 3_600_000
COME_AGAIN = 1013  # the code of a closed socket that may be opened again
PHRASES = 8  # a minute from one seat


@dataclass(eq=False)
class Listener:
    """A socket at a table. Messages wait in its queue until they are sent."""

    person: int | None
    queue: asyncio.Queue[str | None] = field(default_factory=lambda: asyncio.Queue(WAITING))  # None: close
    closes_with: int = COME_AGAIN

    def send(self, message: Answer) -> None:
        """Never waits: a socket that lags too far behind is dropped, and may connect again."""
        try:
            self.queue.put_nowait(message.model_dump_json())
        except asyncio.QueueFull:
            self.drop()

    def drop(self, code: int = COME_AGAIN) -> None:
        """Close the socket; messages that still wait are discarded."""
        self.closes_with = code
        while not self.queue.empty():
            self.queue.get_nowait()
        self.queue.put_nowait(None)


@dataclass(eq=False)
class LiveTable:
    """A table in memory, with those who listen and the task of the agent that is to act."""

    table: Table
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    listeners: set[Listener] = field(default_factory=set)
    agent_task: asyncio.Task[None] | None = None
    changed_at: float = field(default_factory=time.monotonic)  # when the turn began, or the table was restored
    timer: asyncio.TimerHandle | None = None  # goes off when the seat to act has run out of time
    stalled: str = ""  # the agent that is to act and has failed more than once
    wants_rematch: frozenset[int] = frozenset()
    phrases: RateLimit = field(default_factory=lambda: RateLimit(PHRASES))

    @property
    def online(self) -> frozenset[int]:
        seats = (self.table.seat_of(listener.person) for listener in self.listeners)
        return frozenset(seat for seat in seats if seat is not None)

    @property
    def onlookers(self) -> int:
        """People who look on; of those the server does not know, each counts by its socket."""
        return len({listener.person or listener for listener in self.listeners if self.table.seat_of(listener.person) is None})

    @property
    def think_ms(self) -> int:
        return min(MOST_THINK_MS, int((time.monotonic() - self.changed_at) * 1000))

    @property
    def seconds_left(self) -> float | None:
        """Until the person to act has run out of time; None without a clock, or if no person is to act."""
        turn_ms = self.table.turn_ms
        return None if turn_ms is None else max(0, turn_ms + LAG_MS - self.think_ms) / 1000

    @property
    def idle(self) -> bool:
        """Nobody listens, no agent is at work and no clock runs: the table need not stay in memory."""
        return not self.listeners and self.agent_task is None and self.timer is None and not self.lock.locked()

    @property
    def around(self) -> Around:
        spent_ms = self.think_ms if self.table.turn_ms is not None else 0
        return Around(self.online, self.onlookers, spent_ms, self.wants_rematch)

    def announce(self) -> None:
        for listener in self.listeners:
            self.show(listener)

    def show(self, listener: Listener) -> None:
        seat, forfeited = self.table.seat_of(listener.person), self.table.forfeited(listener.person)
        listener.send(state_message(self.table, seat, self.around, forfeited))
        if self.stalled:
            listener.send(RefusedOut.because("agent_failed", Why.agent_failed(name=self.stalled)))

    def stop_clock(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def drop_listeners(self) -> None:
        for listener in self.listeners:
            listener.drop()
