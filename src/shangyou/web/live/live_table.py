"""A table in memory: those who listen, the agent at work, the clock that runs."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime

from shangyou.web.clock import LAG_MS
from shangyou.web.errors import Why
from shangyou.web.limits import RateLimit
from shangyou.web.storage.database import now
from shangyou.web.storage.processes import NOBODY, Watchers
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
    since: datetime = field(default_factory=now)

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
    telling: asyncio.Lock = field(default_factory=asyncio.Lock)
    listeners: set[Listener] = field(default_factory=set)
    agent_task: asyncio.Task[None] | None = None
    timer: asyncio.TimerHandle | None = None  # goes off when the seat to act has run out of time
    stalled: str = ""  # the agent that is to act and has failed more than once
    elsewhere: Watchers = NOBODY  # those who listen through other processes
    announced: Watchers = NOBODY  # those who listen through this one, as the others know it
    phrases: RateLimit = field(default_factory=lambda: RateLimit(PHRASES))

    @property
    def online(self) -> frozenset[int]:
        seats = (self.table.seat_of(person) for person in self.here.people | self.elsewhere.people)
        return frozenset(seat for seat in seats if seat is not None)

    @property
    def here(self) -> Watchers:
        """Those who listen through this process."""
        known = frozenset(listener.person for listener in self.listeners if listener.person is not None)
        return Watchers(known, sum(listener.person is None for listener in self.listeners))

    @property
    def onlookers(self) -> int:
        """People who look on; of those the server does not know, each counts by its socket."""
        known = self.here.people | self.elsewhere.people
        strangers = self.here.strangers + self.elsewhere.strangers
        return strangers + sum(self.table.seat_of(person) is None for person in known)

    @property
    def think_ms(self) -> int:
        """How long the turn has taken, by the clock of the database."""
        spent = now() - (self.table.turned_at or now())
        return min(MOST_THINK_MS, max(0, int(spent.total_seconds() * 1000)))

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
        return Around(self.online, self.onlookers, spent_ms, self.table.wants_rematch)

    def tell(self, message: Answer) -> None:
        for listener in self.listeners:
            listener.send(message)

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
