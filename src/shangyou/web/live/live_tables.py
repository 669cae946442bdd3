"""All tables at play: brings actions, storage, agents and listeners together.

What happens at a table is in the database before anybody hears of it, and a table is found there again when somebody asks
for it: after a restart nothing need be done but wait.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.web.live.inference import Thinking, adviser, version_of
from shangyou.web.storage import archive, table_store
from shangyou.web.storage.database import Storage, now
from shangyou.web.storage.people import Person
from shangyou.web.tables import table_value as rules_of_table
from shangyou.web.tables.table_value import Refused, Seat, SeatKind, Table, check_turn
from shangyou.web.wire.messages import Answer, HintOut, RefusedOut, state_message, suggestions_out

LEFT_AFTER = timedelta(days=2)  # nobody has acted for so long
SWEEP_EVERY = 600.0  # seconds
WAITING = 64  # messages a socket may lag behind
RETRY_AFTER = (1.0, 2.0, 5.0, 15.0, 30.0)  # seconds, when an agent has failed; the last again and again while somebody waits
MOST_THINK_MS = 3_600_000
MOST_SUGGESTIONS = 12
Change = Callable[[Table, int | None], Table]  # with the time it took, in ms
log = logging.getLogger(__name__)


def new_id(first: str) -> str:
    """Unguessable: who has the link to a table may look on and take an open seat."""
    return first + secrets.token_urlsafe(12)


@dataclass(eq=False)
class Listener:
    """Somebody who looks at a table; what is said to them waits here until their socket has sent it."""

    person: int | None
    waiting: asyncio.Queue[str | None] = field(default_factory=lambda: asyncio.Queue(WAITING))
    lost: bool = False

    def tell(self, message: Answer) -> None:
        """Never waits: whoever does not listen is left behind, and may come back."""
        try:
            self.waiting.put_nowait(message.model_dump_json())
        except asyncio.QueueFull:
            self.drop()

    def drop(self) -> None:
        """Hang up, whatever was still to be said."""
        self.lost = True
        while not self.waiting.empty():
            self.waiting.get_nowait()
        self.waiting.put_nowait(None)


@dataclass(eq=False)
class Live:
    """A table in memory."""

    table: Table
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    listeners: set[Listener] = field(default_factory=set)
    agent_at_work: asyncio.Task[None] | None = None
    since: float = field(default_factory=time.monotonic)  # the last change
    stalled: str = ""  # the agent that has failed more than once and is still due

    @property
    def online(self) -> frozenset[int]:
        seats = (self.table.seat_of(listener.person) for listener in self.listeners)
        return frozenset(seat for seat in seats if seat is not None)

    @property
    def think_ms(self) -> int:
        return min(MOST_THINK_MS, int((time.monotonic() - self.since) * 1000))

    def announce(self) -> None:
        for listener in self.listeners:
            self.show(listener)

    def show(self, listener: Listener) -> None:
        listener.tell(state_message(self.table, self.table.seat_of(listener.person), self.online))
        if self.stalled:
            reason = f"{self.stalled} has failed and is asked again every now and then; the game is kept"
            listener.tell(RefusedOut.because("agent_failed", reason))


class Tables:
    def __init__(self, storage: Storage, thinking: Thinking) -> None:
        self.storage, self.thinking = storage, thinking
        self.live: dict[str, Live] = {}
        self.finding = asyncio.Lock()
        self.sweeper: asyncio.Task[None] | None = None

    # -- tables come and go -------------------------------------------------------------------------------------------

    async def open(self, table: Table, first: State, given: bool) -> None:
        await self.storage.ask(table_store.add_table, table, first, given)
        self.live[table.id] = Live(table)
        self._wake(self.live[table.id])
        log.info("table opened", extra={"game": table.game.name, "status": table.status.value})

    async def find(self, id: str) -> Live:
        """The table, from memory or as it was kept."""
        async with self.finding:
            if id not in self.live:
                table = await self.storage.ask(table_store.find_table, id)
                if table is None:
                    raise Refused("no_table", "there is no such table")
                self.live[id] = Live(table)
        self._wake(self.live[id])
        return self.live[id]

    def _release(self, live: Live) -> None:
        """A table that nobody looks at and no agent works for need not stay in memory."""
        idle = not live.listeners and live.agent_at_work is None and not live.lock.locked()
        if idle and self.live.get(live.table.id) is live:
            del self.live[live.table.id]

    async def sweep(self) -> None:
        """Once in a while, tables that everybody has left are closed and forgotten here."""
        while True:
            for live in list(self.live.values()):
                self._release(live)
            closed = await self.storage.ask(table_store.leave_tables, now() - LEFT_AFTER)
            log.info("swept", extra={"closed": closed, "in_memory": len(self.live)})
            await asyncio.sleep(SWEEP_EVERY)

    def start(self) -> None:
        self.sweeper = asyncio.create_task(self.sweep())

    async def stop(self) -> None:
        """Agents stop where they are; what was done is kept."""
        working = [live.agent_at_work for live in self.live.values()]
        tasks = [task for task in (*working, self.sweeper) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for live in self.live.values():
            for listener in live.listeners:
                listener.drop()

    # -- people -------------------------------------------------------------------------------------------------------

    async def listen(self, id: str, person: Person | None) -> tuple[Live, Listener]:
        live = await self.find(id)
        listener, before = Listener(person.id if person else None), live.online
        live.listeners.add(listener)
        if live.online == before:
            live.show(listener)
        else:
            live.announce()
        return live, listener

    def hang_up(self, live: Live, listener: Listener) -> None:
        before = live.online
        live.listeners.discard(listener)
        if live.online != before:
            live.announce()
        self._release(live)

    async def join(self, id: str, person: Person) -> tuple[Table, int]:
        """A seat for a person: the one they have, or the first that is open."""
        live = await self.find(id)
        async with live.lock:
            if live.table.seat_of(person.id) is None:
                self.live[id] = live  # it may have been let go while we waited
                await self._change(live, rules_of_table.join(live.table, person.id, person.nickname))
        seat = live.table.seat_of(person.id)
        assert seat is not None
        return live.table, seat

    async def leave(self, live: Live, seat: int | None) -> None:
        await asyncio.shield(self._leave(live, seat))

    async def _leave(self, live: Live, seat: int | None) -> None:
        async with live.lock:
            await self._change(live, rules_of_table.leave(live.table, seat))

    async def _change(self, live: Live, table: Table) -> None:
        """Something else than an action, under the table's lock."""
        await self.storage.ask(table_store.change_table, table)
        self._changed(live, table)

    async def act(self, live: Live, seat: int | None, version: int, change: Change) -> None:
        """Somebody acts, if it is their turn and their message is about the table as it is.

        Who hangs up now does not stop it half way: what the database has, the table must have.
        """
        await asyncio.shield(self._act(live, seat, version, change))

    async def _act(self, live: Live, seat: int | None, version: int, change: Change) -> None:
        async with live.lock:
            check_turn(live.table, seat, version)
            await self._keep(live, change(live.table, live.think_ms))

    async def hint(self, live: Live, seat: int | None, version: int) -> HintOut:
        """What the adviser would do; a game with hints is not rated."""
        check_turn(live.table, seat, version)
        if not live.table.hints:
            raise Refused("no_hints", "this table was opened without hints")
        await asyncio.shield(self._unrate(live))
        check_turn(live.table, seat, version)
        table = live.table
        view, bids = table.view(seat), reference.legal_bids(table.state)
        name = await self.thinking.run(lambda: adviser(table.game))
        if bids:
            return HintOut(version=version, agent=name, suggestions=[], bid=await self.thinking.bid(name, view, bids))
        found = await self.thinking.suggest(name, view)
        return HintOut(version=version, agent=name, suggestions=suggestions_out(view, found[:MOST_SUGGESTIONS]))

    async def _unrate(self, live: Live) -> None:
        async with live.lock:
            if live.table.rated:
                table = replace(live.table, rated=False)
                await self.storage.ask(table_store.change_table, table)
                live.table = table

    # -- what happens is kept, then told --------------------------------------------------------------------------------

    async def _keep(self, live: Live, table: Table) -> None:
        """Under the table's lock."""
        if table.state.over:
            table = replace(table, replay=new_id("g"))
        try:
            await self.storage.ask(_keep_action, table)
        except IntegrityError as error:  # somebody else holds this table; what is in the database counts
            self.live.pop(table.id, None)
            for listener in live.listeners:
                listener.drop()
            raise Refused("stale", "the table has moved on; load it again") from error
        self._changed(live, table)

    def _changed(self, live: Live, table: Table) -> None:
        live.table, live.since, live.stalled = table, time.monotonic(), ""
        live.announce()
        self._wake(live)

    # -- agents -------------------------------------------------------------------------------------------------------

    def _wake(self, live: Live) -> None:
        """Set an agent to work, if it is its turn and none is at it."""
        acting = live.table.acting
        if acting is not None and acting.kind is SeatKind.AGENT and live.agent_at_work is None:
            live.agent_at_work = asyncio.create_task(self._agents_turn(live))

    async def _agents_turn(self, live: Live) -> None:
        """Agents act until it is a person's turn, or the end. One that fails is asked again, as long as somebody waits."""
        failures = 0
        try:
            while (acting := live.table.acting) is not None and acting.kind is SeatKind.AGENT:
                try:
                    await self._one_agent(live, acting)
                    failures = 0
                except Exception:
                    log.exception("agent failed", extra={"agent": acting.name})
                    failures += 1
                    if not await self._wait_for_better(live, acting, failures):
                        break
        finally:
            live.agent_at_work = None
        self._release(live)

    async def _wait_for_better(self, live: Live, acting: Seat, failures: int) -> bool:
        """After a failure, told from the second on; whether to ask again. If not, whoever comes next sets the agent to work."""
        if failures > 1:
            live.stalled = acting.name
            live.announce()
        await asyncio.sleep(RETRY_AFTER[min(failures, len(RETRY_AFTER)) - 1])
        here = self.live.get(live.table.id) is live
        return here and (bool(live.listeners) or failures < len(RETRY_AFTER))

    async def _one_agent(self, live: Live, acting: Seat) -> None:
        """The pace passes while the agent thinks, so that thinking shows only when it takes longer."""
        table, state = live.table, live.table.state
        legal, bids = reference.legal(state), reference.legal_bids(state)
        thinking = self.thinking.decide(acting.name, table.view(state.turn), legal, bids)
        (answer, think_ms), _ = await asyncio.gather(_timed(thinking), asyncio.sleep(table.pace / 1000))
        change = rules_of_table.bid if bids else rules_of_table.play
        async with live.lock:
            if live.table.version == table.version and live.table.running:  # somebody may have left
                await self._keep(live, change(live.table, answer, think_ms))


def _keep_action(db: Connection, table: Table) -> None:
    """The last action of a table, with all that comes of it, in one transaction."""
    table_store.add_action(db, table, table.version - 1, table.actions[-1])
    table_store.change_table(db, table)
    if table.state.over:
        versions = [version_of(seat.name) if seat.kind is SeatKind.AGENT else "" for seat in table.seats]
        archive.keep_finished(db, table, versions)
        log.info("game over", extra={"game": table.game.name, "rated": table.rated, "turns": len(table.state.history)})


async def _timed(work: Coroutine[Any, Any, int]) -> tuple[int, int]:
    started = time.monotonic()
    return await work, int((time.monotonic() - started) * 1000)
