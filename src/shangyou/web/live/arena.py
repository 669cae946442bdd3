"""The arena: tables in memory, joined with the database, the agents and those who listen; and who sends a request.

A change of a table is stored before it is sent, and only if the database still has the revision it was made of: other
processes may have the same table in memory. A table that is not in memory is restored from the database when somebody asks for
it, so nothing needs to be done after a restart.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection

from shangyou.engines.reference import State
from shangyou.web.errors import Why
from shangyou.web.limits import MINUTE, Limits, RateLimit
from shangyou.web.live.compiling import Compiler
from shangyou.web.live.hints import Hints
from shangyou.web.live.inference import InferencePool, adviser, version_of
from shangyou.web.live.live_table import COME_AGAIN, PHRASES, Listener, LiveTable
from shangyou.web.live.peers import Peers
from shangyou.web.live.rule_sets import RuleSets
from shangyou.web.live.solving import SolverQueue
from shangyou.web.live.turns import Turns
from shangyou.web.settings import Settings
from shangyou.web.storage import archive, processes, table_store
from shangyou.web.storage.database import Storage, now
from shangyou.web.storage.people import Person
from shangyou.web.storage.processes import NOBODY
from shangyou.web.storage.table_store import Conflict
from shangyou.web.table import Refused, Status, Table
from shangyou.web.wire.messages import PhraseOut
from shangyou.web.wire.requests import Phrase

LEFT_AFTER = timedelta(days=2)  # without an action
RECORDS_FOR = timedelta(days=30)  # what was sent is stored so long
SWEEP_EVERY = 600.0  # seconds
ABSENT = 30.0  # seconds after which a seat at a public table that waits is open again
JUST_OPENED = timedelta(seconds=10)  # in which whoever opened a table may connect
log = logging.getLogger(__name__)


def new_id(first: str) -> str:
    """Unguessable: who has the link to a table may look on and take an open seat."""
    return first + secrets.token_urlsafe(12)


def news_of(table: Table) -> str:
    """What is sent to other processes: who has an older revision in memory reads the table again."""
    return f"table {table.id} {table.revision}"


def new_seed() -> int:
    """Of cards nobody can know."""
    return secrets.randbelow(1 << 63)


class Arena:
    """The parts of the server, which every request can reach, and what people and agents do at the tables."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.limits = settings, Limits(settings)
        self.storage, self.compiler = Storage(settings.database_url), Compiler()
        self.inference, self.solving = InferencePool(self.compiler), SolverQueue(self.compiler)
        self.turns, self.hints = Turns(self), Hints(self)
        self.peers = Peers(self.storage)
        self.rules = RuleSets(self.limits.rules)
        self.live: dict[str, LiveTable] = {}
        self.finding = asyncio.Lock()
        self.reviewing = asyncio.Lock()  # reviews, one after another
        self.tasks: set[asyncio.Task[None]] = set()  # of what is to happen at a table later
        self.stopping = False

    # -- tables in memory ---------------------------------------------------------------------------------------------

    async def open(self, table: Table, first: State, store_deal: bool) -> None:
        table = self._kept(table)
        await self.storage.run(table_store.add_table, table, first, store_deal)
        self.live[table.id] = LiveTable(table)
        self.turns.wake(self.live[table.id])
        log.info("table opened", extra={"game": table.game.name, "status": table.status.value})

    async def find(self, id: str) -> LiveTable:
        """The table, from memory or restored from the database. Of one that nobody has open here nobody tells this process."""
        async with self.finding:
            known = self.live.get(id)
            if known is None:
                table = await self.storage.read(table_store.find_table, id) if id.isprintable() else None
                if table is None:
                    raise Refused("no_table", Why.no_table())
                elsewhere = (await self.peers.watchers([id]))[id]
                self.live[id] = LiveTable(table, elsewhere=elsewhere)
            live = self.live[id]
        if known is not None and self.storage.shared and not known.listeners:
            await self.refresh(known)
            live = self.live.setdefault(id, known)  # it may have been released meanwhile
        self.turns.wake(live)
        return live

    async def visit(self, id: str, person: Person | None) -> LiveTable:
        """The table, for who asks: that of a daily deal is there for its person only."""
        live = await self.find(id)
        if live.table.daily and live.table.seat_of(person.id if person else None) is None:
            raise Refused("no_table", Why.no_table())
        return live

    def release(self, live: LiveTable) -> None:
        if live.idle and self.live.get(live.table.id) is live:
            del self.live[live.table.id]

    async def waiting(self) -> list[Table]:
        """The public tables with a free seat at which somebody is, those with most people first."""
        since = now() - JUST_OPENED
        if self.storage.shared:
            for id in await self.storage.run(table_store.listed_tables, since):
                with suppress(Refused):  # deleted meanwhile
                    await self.find(id)
        here = [live.table for live in self.live.values() if live.online or (live.table.turned_at or since) > since]
        found = [table for table in here if table.listed and table.status is Status.OPEN]
        return sorted(found, key=lambda table: -len(table.people))

    async def sweep(self) -> None:
        """Now and again, end the games at which nobody acts."""
        while True:
            for live in list(self.live.values()):
                self.release(live)
            idle = await self.storage.run(table_store.idle_tables, now() - LEFT_AFTER)
            for id in idle:
                await self.logged(self._give_up(id))
            records = await self.storage.run(archive.sweep_records, now() - RECORDS_FOR)
            log.info("swept", extra={"closed": len(idle), "records": records, "in_memory": len(self.live)})
            await asyncio.sleep(SWEEP_EVERY)

    async def _give_up(self, id: str) -> None:
        """Nobody has acted for long: who should have has left. A table that waits, or for an agent that fails, just ends."""
        live = await self.find(id)
        table = live.table
        if table.running and table.seats[table.state.turn].plays:
            await self.turns.run_out(live, table.version)
        else:
            await self.change(live, lambda now: replace(now, left=True) if now.revision == table.revision else now)

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self.logged(work))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def logged(self, work: Coroutine[Any, Any, Any]) -> None:
        """What nobody asked for: an error at one table stops no other."""
        try:
            await work
        except Exception:
            log.exception("table failed")

    async def stop(self) -> None:
        """Agents stop where they are; what was done is stored."""
        self.stopping = True
        tasks = [*self.tasks, *(live.agent_task for live in self.live.values() if live.agent_task is not None)]
        for live in self.live.values():
            live.stop_clock()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for live in self.live.values():
            live.drop_listeners()
        self.inference.close()
        self.solving.close()
        self.rules.close()
        self.peers.close()
        self.storage.close()

    # -- people -------------------------------------------------------------------------------------------------------

    async def listen(self, id: str, person: Person | None) -> tuple[LiveTable, Listener]:
        live = await self.visit(id, person)
        listener, before = Listener(person.id if person else None), (live.online, live.onlookers)
        live.listeners.add(listener)
        self._tell_peers(live)
        if (live.online, live.onlookers) == before:
            live.show(listener)
        else:
            live.announce()
        return live, listener

    def hang_up(self, live: LiveTable, listener: Listener) -> None:
        before = live.online, live.onlookers
        live.listeners.discard(listener)
        self._tell_peers(live)
        if (live.online, live.onlookers) != before:
            live.announce()
        seat = live.table.seat_of(listener.person)
        if live.table.listed and live.table.status is Status.OPEN and seat is not None and seat not in live.online:
            self.later(self._free_seat(live.table.id, listener.person))
        self.release(live)

    def _tell_peers(self, live: LiveTable) -> None:
        """Who listens at a table through this process, if that has changed."""
        if self.storage.shared and live.here != live.announced and not self.stopping:
            live.announced = live.here
            self.later(self._watch(live))

    async def _watch(self, live: LiveTable) -> None:
        async with live.telling:  # the last message wins
            await self.storage.run(processes.watch, self.peers.me, live.table.id, live.here)

    def hang_up_on(self, person: int, code: int = COME_AGAIN, opened_before: datetime | None = None) -> None:
        """Close every socket of a person, whose devices must then say again who they are."""
        for live in self.live.values():
            for listener in live.listeners:
                if listener.person == person and (opened_before is None or listener.since < opened_before):
                    listener.drop(code)

    async def take(self, limit: Literal["tables", "records", "codes"], address: str, count: int = 1) -> bool:
        """Whether an address may have so many more of what stays in the database; counted for all processes together."""
        rate: RateLimit = getattr(self.limits, limit)
        if not self.storage.shared:
            return rate.take(address, count)
        return await self.storage.run(processes.take, limit, address, count, rate.most, timedelta(seconds=rate.span))

    async def _free_seat(self, id: str, person: int | None) -> None:
        """Who waits at a public table and closes the page for long does not wait any more."""
        await asyncio.sleep(ABSENT)
        live = await self.find(id)
        seat = live.table.seat_of(person)
        if live.table.status is Status.OPEN and seat is not None and seat not in live.online:
            await self.leave(live, person)

    async def join(self, id: str, person: Person, hints: bool = False) -> int:
        """A seat for a person: the one they have, or the first that is open."""
        live = await self.find(id)

        def join(table: Table) -> Table:
            if table.seat_of(person.id) is not None:
                return table
            self.live[id] = live  # it may have been released while this waited for its lock
            return table.join(person.id, person.nickname, new_seed(), hints)

        await self.change(live, join)
        seat = live.table.seat_of(person.id)
        assert seat is not None
        return seat

    async def leave(self, live: LiveTable, person: int | None) -> None:
        stand_in = await self.adviser(live.table)
        await asyncio.shield(self.change(live, lambda table: table.leave(table.seat_of(person), stand_in)))

    async def agree(self, live: LiveTable, person: int | None, hints: bool) -> None:
        await asyncio.shield(self.change(live, lambda table: table.agree(table.seat_of(person), hints)))

    async def fill(self, live: LiveTable, person: int | None) -> None:
        """The strongest agents take the open seats."""
        agent = await self.adviser(live.table)
        await asyncio.shield(self.change(live, lambda table: table.fill(table.seat_of(person), agent, new_seed())))

    async def rematch(self, live: LiveTable, person: int | None) -> None:
        """Once everybody who played to the end wants it, there is a new table for all of them."""

        def wish(table: Table) -> Table:
            seat = table.seat_of(person)
            if seat is None:
                raise Refused("not_seated", Why.not_seated())
            if table.status not in (Status.OVER, Status.LEFT):
                raise Refused("not_over", Why.not_over())
            if seat in table.wants_rematch:
                return table
            table = table.want_rematch(seat)
            everybody = table.wants_rematch.issuperset(table.people)
            return replace(table, rematch=new_id("t")) if everybody and not table.rematch else table

        before = live.table
        await asyncio.shield(self.change(live, wish))
        if live.table is before:
            live.announce()

    async def say(self, live: LiveTable, person: int | None, phrase: Phrase) -> None:
        """A phrase for everybody at the table."""
        seat = live.table.seat_of(person)
        if seat is None:
            raise Refused("not_seated", Why.not_seated())
        if self.storage.shared:
            limit = PHRASES, timedelta(seconds=MINUTE)
            allowed = await self.storage.run(processes.say, self.peers.me, live.table.id, seat, phrase, *limit)
        else:
            allowed = live.phrases.take(str(seat))
        if not allowed:
            raise Refused("too_fast", Why.too_fast())
        live.tell(PhraseOut(seat=seat, phrase=phrase))

    async def adviser(self, table: Table) -> str:
        return await asyncio.to_thread(adviser, table.game)  # a clock does not wait for reviews in the side thread

    async def leave_all(self, person: Person) -> None:
        """Give up every game a person is in. Where others play on, their table does not say any more who it was."""
        for id in await self.storage.run(table_store.tables_of, person, None):
            live = await self.find(id)
            with suppress(Refused):  # it is over meanwhile
                await self.leave(live, person.id)
            if live.table.running:
                await asyncio.shield(self.change(live, lambda table: table.forget(person.id)))
            else:
                self.live.pop(id, None)

    async def act(self, live: LiveTable, person: int | None, version: int, action: Callable[[Table, int], Table]) -> None:
        """A bid or play, made with the think time in ms, if it is this person's turn and the message is about this version."""

        def act(table: Table) -> Table:
            return action(table.check_turn(table.seat_of(person), version), live.think_ms)

        await asyncio.shield(self.change(live, act))

    # -- stored before sent -------------------------------------------------------------------------------------------

    async def change(self, live: LiveTable, change: Callable[[Table], Table]) -> None:
        """Change a table under its lock: stored first, then sent.

        If another process has changed it meanwhile, `change` is called again with the table as it is now; so what it does must
        follow from the table it is given. What a socket asks for is shielded: if the socket closes meanwhile, memory must
        still have what the database has.
        """
        async with live.lock:
            while True:
                before, table = live.table, change(live.table)
                if table is before:
                    return
                if table.state.over and not before.state.over:
                    table = replace(table, replay=new_id("g"))
                turned = (table.version, table.status) != (before.version, before.status)
                table = self._kept(table) if turned else replace(table, keeper=self.peers.me)
                table = replace(table, revision=before.revision + 1)
                rematch = self._kept(table.again(table.rematch, new_seed())) if table.rematch != before.rematch else None
                try:
                    await self.storage.run(_store, table, before, rematch, live.elsewhere != NOBODY)
                    break
                except Conflict:
                    await self._read_again(live)
            self._replace(live, table)
        if rematch is not None:
            await self.find(rematch.id)

    def _kept(self, table: Table) -> Table:
        """A turn begins, and this process sees to it."""
        return replace(table, turned_at=now(), keeper=self.peers.me)

    def _replace(self, live: LiveTable, table: Table) -> None:
        """The table as it is stored now."""
        if (table.version, table.status) != (live.table.version, live.table.status):
            live.stalled = ""
        live.table = table
        self.turns.wake(live)
        live.announce()

    async def refresh(self, live: LiveTable, revision: int | None = None) -> None:
        """Another process may have changed the table; it is at this revision now, or at any, or gone."""
        async with live.lock:
            if revision is None or live.table.revision < revision:
                await self._read_again(live)

    async def _read_again(self, live: LiveTable) -> None:
        table = await self.storage.read(table_store.find_table, live.table.id, live.table)
        if table is None:
            self.live.pop(live.table.id, None)
            live.stop_clock()
            live.drop_listeners()
            raise Refused("no_table", Why.no_table())
        if table.revision != live.table.revision:
            self._replace(live, table)


def _store(db: Connection, table: Table, before: Table, rematch: Table | None, tell: bool) -> None:
    """What has changed at the table, the game that is over now, and the table at which it goes on, in one transaction."""
    table_store.change_table(db, table, before)
    if tell:
        table_store.notify(db, news_of(table))
    if rematch is not None:
        table_store.add_table(db, rematch, rematch.state, False)
    if table.state.over and not before.state.over:
        stored_as = {"person": "", "bot": archive.BOT}
        versions = [version_of(seat.name) if seat.kind == "agent" else stored_as[seat.kind] for seat in table.seats]
        archive.add_finished(db, table, versions)
        log.info("game over", extra={"game": table.game.name, "rated": table.counts, "turns": len(table.state.history)})
