"""The arena: tables in memory, joined with the database, the agents and those who listen; and who sends a request.

A change of a table is stored before it is sent. A table that is not in memory is restored from the database when somebody asks
for it, so nothing needs to be done after a restart.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from shangyou.engines.reference import State
from shangyou.web.errors import Why
from shangyou.web.limits import Limits
from shangyou.web.live.inference import InferencePool, adviser, version_of
from shangyou.web.live.live_table import Listener, LiveTable
from shangyou.web.live.rule_sets import RuleSets
from shangyou.web.settings import Settings
from shangyou.web.storage import archive, table_store
from shangyou.web.storage.database import Storage, now
from shangyou.web.storage.people import Person
from shangyou.web.table import Refused, Status, Table
from shangyou.web.wire.messages import HintOut, PhraseOut
from shangyou.web.wire.play_answers import suggestions_out
from shangyou.web.wire.requests import Phrase

LEFT_AFTER = timedelta(days=2)  # without an action
RECORDS_FOR = timedelta(days=30)  # what was sent is stored so long
SWEEP_EVERY = 600.0  # seconds
ABSENT = 30.0  # seconds after which a seat at a public table that waits is open again
JUST_OPENED = 10.0  # seconds in which whoever opened a table may connect
RETRY_AFTER = (1.0, 2.0, 5.0, 15.0, 30.0)  # seconds after each failure of an agent; the last repeats while somebody listens
MOST_SUGGESTIONS = 12
log = logging.getLogger(__name__)


def new_id(first: str) -> str:
    """Unguessable: who has the link to a table may look on and take an open seat."""
    return first + secrets.token_urlsafe(12)


def new_seed() -> int:
    """Of cards nobody can know."""
    return secrets.randbelow(1 << 63)


class Arena:
    """The parts of the server, which every request can reach, and what people and agents do at the tables."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.limits = settings, Limits(settings)
        self.storage, self.inference = Storage(settings.database_url), InferencePool()
        self.rules = RuleSets(self.limits.rules)
        self.live: dict[str, LiveTable] = {}
        self.finding = asyncio.Lock()
        self.matching = asyncio.Lock()  # quick matches, one after another
        self.reviewing = asyncio.Lock()  # reviews likewise
        self.tasks: set[asyncio.Task[None]] = set()  # of what is to happen at a table later

    # -- tables in memory ---------------------------------------------------------------------------------------------

    async def open(self, table: Table, first: State, store_deal: bool) -> None:
        await self.storage.run(table_store.add_table, table, first, store_deal)
        self.live[table.id] = LiveTable(table)
        self._wake(self.live[table.id])
        log.info("table opened", extra={"game": table.game.name, "status": table.status.value})

    async def find(self, id: str) -> LiveTable:
        """The table, from memory or restored from the database."""
        async with self.finding:
            if id not in self.live:
                table = await self.storage.run(table_store.find_table, id) if id.isprintable() else None
                if table is None:
                    raise Refused("no_table", Why.no_table())
                self.live[id] = LiveTable(table)
        self._wake(self.live[id])
        return self.live[id]

    async def visit(self, id: str, person: Person | None) -> LiveTable:
        """The table, for who asks: that of a daily deal is there for its person only."""
        live = await self.find(id)
        if live.table.daily and live.table.seat_of(person.id if person else None) is None:
            raise Refused("no_table", Why.no_table())
        return live

    def _release(self, live: LiveTable) -> None:
        if live.idle and self.live.get(live.table.id) is live:
            del self.live[live.table.id]

    def waiting(self) -> list[Table]:
        """The public tables with a free seat at which somebody is, those with most people first."""
        since = time.monotonic() - JUST_OPENED
        here = [live.table for live in self.live.values() if live.online or live.changed_at > since]
        found = [table for table in here if table.listed and table.status is Status.OPEN]
        return sorted(found, key=lambda table: -len(table.people))

    async def sweep(self) -> None:
        """At the start go on with games that wait for nobody. Then, now and again, end those at which nobody acts."""
        for id in await self.storage.run(table_store.unattended_tables):
            await self._logged(self.find(id))
        while True:
            for live in list(self.live.values()):
                self._release(live)
            idle = await self.storage.run(table_store.idle_tables, now() - LEFT_AFTER)
            for id in idle:
                await self._logged(self._give_up(id))
            records = await self.storage.run(archive.sweep_records, now() - RECORDS_FOR)
            log.info("swept", extra={"closed": len(idle), "records": records, "in_memory": len(self.live)})
            await asyncio.sleep(SWEEP_EVERY)

    async def _give_up(self, id: str) -> None:
        """Nobody has acted for long: who should have has left. A table that waits, or for an agent that fails, just ends."""
        live = await self.find(id)
        table = live.table
        if table.running and table.seats[table.state.turn].plays:
            await self._run_out(live, table.version)
        else:
            await self._change(live, lambda table: replace(table, left=True))

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._logged(work))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _logged(self, work: Coroutine[Any, Any, Any]) -> None:
        """What nobody asked for: an error at one table stops no other."""
        try:
            await work
        except Exception:
            log.exception("table failed")

    async def stop(self) -> None:
        """Agents stop where they are; what was done is stored."""
        tasks = [*self.tasks, *(live.agent_task for live in self.live.values() if live.agent_task is not None)]
        for live in self.live.values():
            live.stop_clock()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for live in self.live.values():
            live.drop_listeners()
        self.inference.close()
        self.rules.close()
        self.storage.close()

    # -- people -------------------------------------------------------------------------------------------------------

    async def listen(self, id: str, person: Person | None) -> tuple[LiveTable, Listener]:
        live = await self.visit(id, person)
        listener, before = Listener(person.id if person else None), (live.online, live.onlookers)
        live.listeners.add(listener)
        if (live.online, live.onlookers) == before:
            live.show(listener)
        else:
            live.announce()
        return live, listener

    def hang_up(self, live: LiveTable, listener: Listener) -> None:
        before = live.online, live.onlookers
        live.listeners.discard(listener)
        if (live.online, live.onlookers) != before:
            live.announce()
        seat = live.table.seat_of(listener.person)
        if live.table.listed and live.table.status is Status.OPEN and seat is not None and seat not in live.online:
            self._later(self._free_seat(live.table.id, listener.person))
        self._release(live)

    def hang_up_on(self, person: Person) -> None:
        """Close every socket of a person, whose devices must then say again who they are."""
        for live in self.live.values():
            for listener in live.listeners:
                if listener.person == person.id:
                    listener.drop()

    async def _free_seat(self, id: str, person: int | None) -> None:
        """Who waits at a public table and closes the page for long does not wait any more."""
        await asyncio.sleep(ABSENT)
        live = await self.find(id)
        seat = live.table.seat_of(person)
        if live.table.status is Status.OPEN and seat is not None and seat not in live.online:
            await self.leave(live, seat)

    async def join(self, id: str, person: Person, hints: bool = False) -> int:
        """A seat for a person: the one they have, or the first that is open."""
        live = await self.find(id)

        def join(table: Table) -> Table:
            if table.seat_of(person.id) is not None:
                return table
            self.live[id] = live  # it may have been released while this waited for its lock
            return table.join(person.id, person.nickname, new_seed(), hints)

        await self._change(live, join)
        seat = live.table.seat_of(person.id)
        assert seat is not None
        return seat

    async def leave(self, live: LiveTable, seat: int | None) -> None:
        stand_in = await self._adviser(live.table)
        await asyncio.shield(self._change(live, lambda table: table.leave(seat, stand_in)))

    async def agree(self, live: LiveTable, seat: int | None, hints: bool) -> None:
        await asyncio.shield(self._change(live, lambda table: table.agree(seat, hints)))

    async def fill(self, live: LiveTable, seat: int | None) -> None:
        """The strongest agents take the open seats."""
        agent = await self._adviser(live.table)
        await asyncio.shield(self._change(live, lambda table: table.fill(seat, agent, new_seed())))

    async def rematch(self, live: LiveTable, seat: int | None) -> None:
        """Once everybody who played to the end wants it, there is a new table for all of them."""
        table = live.table
        if seat is None:
            raise Refused("not_seated", Why.not_seated())
        if table.status not in (Status.OVER, Status.LEFT):
            raise Refused("not_over", Why.not_over())
        new = seat not in live.wants_rematch
        live.wants_rematch |= {seat}
        if new and not table.rematch and live.wants_rematch.issuperset(table.people):
            await asyncio.shield(self._open_rematch(live))
        else:
            live.announce()

    async def _open_rematch(self, live: LiveTable) -> None:
        try:
            table = live.table.again(new_id("t"), new_seed())
            await self.open(table, table.state, store_deal=False)
            await self._change(live, lambda before: replace(before, rematch=table.id))
        except Exception:
            live.wants_rematch = frozenset()  # they may ask again
            raise

    def say(self, live: LiveTable, seat: int | None, phrase: Phrase) -> None:
        """A phrase for everybody at the table."""
        if seat is None:
            raise Refused("not_seated", Why.not_seated())
        if not live.phrases.take(str(seat)):
            raise Refused("too_fast", Why.too_fast())
        for listener in live.listeners:
            listener.send(PhraseOut(seat=seat, phrase=phrase))

    async def _adviser(self, table: Table) -> str:
        return await asyncio.to_thread(adviser, table.game)  # a clock does not wait for reviews in the side thread

    async def leave_all(self, person: Person) -> None:
        """Give up every game a person is in. Where others play on, their table does not say any more who it was."""
        for id in await self.storage.run(table_store.tables_of, person, None):
            live = await self.find(id)
            with suppress(Refused):  # it is over meanwhile
                await self.leave(live, live.table.seat_of(person.id))
            if live.table.running:
                await asyncio.shield(self._change(live, lambda table: table.forget(person.id)))
            else:
                self.live.pop(id, None)

    async def act(self, live: LiveTable, seat: int | None, version: int, action: Callable[[Table, int], Table]) -> None:
        """A bid or play, made with the think time in ms, if it is the seat's turn and its message is about this version."""
        await asyncio.shield(self._change(live, lambda table: action(table.check_turn(seat, version), live.think_ms)))

    async def hint(self, live: LiveTable, seat: int | None, version: int) -> HintOut:
        """What the adviser would do; everybody sees that it was asked."""

        def help(table: Table) -> Table:
            table.check_turn(seat, version)
            if not table.hints:
                raise Refused("no_hints", Why.no_hints())
            return table.help(table.state.turn)

        await asyncio.shield(self._change(live, help))
        live.table.check_turn(seat, version)
        view, state = live.table.view(seat), live.table.state
        name = await self._adviser(live.table)
        if state.bidding:
            points = await self.inference.decide(name, state)
            return HintOut(version=version, agent=name, suggestions=[], bid=points)
        ranked = await self.inference.suggest(name, view)
        return HintOut(version=version, agent=name, suggestions=suggestions_out(view, ranked[:MOST_SUGGESTIONS]))

    # -- stored before sent -------------------------------------------------------------------------------------------

    async def _change(self, live: LiveTable, change: Callable[[Table], Table]) -> None:
        """Change a table under its lock: stored first, then sent.

        What a socket asks for is shielded: if the socket closes meanwhile, memory must still have what the database has.
        """
        async with live.lock:
            before, table = live.table, change(live.table)
            if table is before:
                return
            if table.state.over and not before.state.over:
                table = replace(table, replay=new_id("g"))
            try:
                await self.storage.run(_store, table, before)
            except IntegrityError as error:  # another process has stored this action; the database is right
                self.live.pop(table.id, None)
                live.stop_clock()
                live.drop_listeners()
                raise Refused("stale", Why.load_again()) from error
            live.table = table
            if (table.version, table.status) != (before.version, before.status):
                live.changed_at, live.stalled = time.monotonic(), ""
            self._wake(live)
            live.announce()

    # -- agents -------------------------------------------------------------------------------------------------------

    def _wake(self, live: LiveTable) -> None:
        """Start the task of the agent that is to act, if there is one and no task runs; or the clock of a person."""
        if live.table.agent_to_act and live.agent_task is None:
            live.agent_task = asyncio.create_task(self._run_agents(live))
        live.stop_clock()
        seconds, version = live.seconds_left, live.table.version
        if seconds is not None:
            run_out = lambda: self._later(self._run_out(live, version))  # noqa: E731
            live.timer = asyncio.get_running_loop().call_later(seconds, run_out)

    async def _run_out(self, live: LiveTable, version: int) -> None:
        """The person to act had no time left, if nothing has been done since."""
        live.stop_clock()
        stand_in = await self._adviser(live.table)

        def run_out(table: Table) -> Table:
            in_time = table.version != version or not table.running or not table.seats[table.state.turn].plays
            return table if in_time else table.leave(table.state.turn, stand_in)

        await self._change(live, run_out)

    async def _run_agents(self, live: LiveTable) -> None:
        """Agents act until a person is to act, or the game ends. One that fails is asked again, as long as somebody listens."""
        failures = 0
        try:
            while name := live.table.agent_to_act:
                try:
                    await self._act_agent(live, name)
                    failures = 0
                except Exception:
                    log.exception("agent failed", extra={"agent": name})
                    failures += 1
                    if not await self._wait_to_retry(live, name, failures):
                        break
        finally:
            live.agent_task = None
        self._release(live)

    async def _wait_to_retry(self, live: LiveTable, name: str, failures: int) -> bool:
        """Whether to ask the agent again; if not, the next to come to the table wakes it. The second failure is announced."""
        if failures > 1:
            live.stalled = name
            live.announce()
        await asyncio.sleep(RETRY_AFTER[min(failures, len(RETRY_AFTER)) - 1])
        here = self.live.get(live.table.id) is live
        return here and (bool(live.listeners) or failures < len(RETRY_AFTER))

    async def _act_agent(self, live: LiveTable, name: str) -> None:
        """An agent's bid or play, not sooner than the pace of the table allows."""
        asked, state, started = live.table, live.table.state, time.monotonic()
        answer = await self.inference.decide(name, state)
        think_ms = int((time.monotonic() - started) * 1000)
        pace = asked.pace if asked.people else 0  # where no person plays any more nobody waits
        await asyncio.sleep(max(0, pace - think_ms) / 1000)
        shown_ms = None if asked.seats[state.turn].stand_in else think_ms  # those of a person's seat are shown

        def act(table: Table) -> Table:
            if table.version != asked.version or not table.running:  # somebody has left
                return table
            return table.bid(answer, shown_ms) if state.bidding else table.play(answer, shown_ms)

        await self._change(live, act)


def _store(db: Connection, table: Table, before: Table) -> None:
    """What has changed at the table, and the game that is over now, in one transaction."""
    table_store.add_actions(db, table, before.version)
    table_store.change_table(db, table)
    if table.people != before.people:
        table_store.change_sitters(db, table)
    if table.state.over and not before.state.over:
        stored_as = {"person": "", "bot": archive.BOT}
        versions = [version_of(seat.name) if seat.kind == "agent" else stored_as[seat.kind] for seat in table.seats]
        archive.add_finished(db, table, versions)
        log.info("game over", extra={"game": table.game.name, "rated": table.counts, "turns": len(table.state.history)})
