"""The arena: tables in memory, joined with the database, the agents and those who listen; and who sends a request.

A change of a table is stored before it is sent. A table that is not in memory is restored from the database when somebody asks
for it, so nothing needs to be done after a restart.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError
from starlette.requests import HTTPConnection

from shangyou.engines.reference import State
from shangyou.web.errors import Why
from shangyou.web.limits import Limits, group_of
from shangyou.web.live.inference import InferencePool, adviser, version_of
from shangyou.web.live.rule_sets import RuleSets
from shangyou.web.settings import Settings
from shangyou.web.storage import archive, table_store
from shangyou.web.storage.bot_tokens import find_bot
from shangyou.web.storage.database import Storage, now
from shangyou.web.storage.people import Person, find_person
from shangyou.web.table import Refused, Table
from shangyou.web.wire.messages import HintOut, RefusedOut, state_message
from shangyou.web.wire.play_answers import suggestions_out
from shangyou.web.wire.reasons import Answer

LEFT_AFTER = timedelta(days=2)  # without an action
RECORDS_FOR = timedelta(days=30)  # what was sent is stored so long
SWEEP_EVERY = 600.0  # seconds
WAITING = 64  # messages a socket may lag behind
RETRY_AFTER = (1.0, 2.0, 5.0, 15.0, 30.0)  # seconds after each failure of an agent; the last repeats while somebody listens
MOST_THINK_MS = 3_600_000
MOST_SUGGESTIONS = 12
COME_AGAIN = 1013  # the code of a closed socket that may be opened again
COOKIE = "shangyou"
log = logging.getLogger(__name__)


def new_id(first: str) -> str:
    """Unguessable: who has the link to a table may look on and take an open seat."""
    return first + secrets.token_urlsafe(12)


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
    changed_at: float = field(default_factory=time.monotonic)
    stalled: str = ""  # the agent that is to act and has failed more than once

    @property
    def online(self) -> frozenset[int]:
        seats = (self.table.seat_of(listener.person) for listener in self.listeners)
        return frozenset(seat for seat in seats if seat is not None)

    @property
    def think_ms(self) -> int:
        return min(MOST_THINK_MS, int((time.monotonic() - self.changed_at) * 1000))

    def announce(self) -> None:
        for listener in self.listeners:
            self.show(listener)

    def show(self, listener: Listener) -> None:
        listener.send(state_message(self.table, self.table.seat_of(listener.person), self.online))
        if self.stalled:
            listener.send(RefusedOut.because("agent_failed", Why.agent_failed(name=self.stalled)))

    def drop_listeners(self) -> None:
        for listener in self.listeners:
            listener.drop()


class Arena:
    """The parts of the server, which every request can reach, and what people and agents do at the tables."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.limits = settings, Limits(settings)
        self.storage, self.inference = Storage(settings.database_url), InferencePool()
        self.rules = RuleSets(self.limits.rules)
        self.live: dict[str, LiveTable] = {}
        self.finding = asyncio.Lock()

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

    def _release(self, live: LiveTable) -> None:
        """A table without listeners, for which no agent is at work, need not stay in memory."""
        idle = not live.listeners and live.agent_task is None and not live.lock.locked()
        if idle and self.live.get(live.table.id) is live:
            del self.live[live.table.id]

    async def sweep(self) -> None:
        """Every now and then, release idle tables and give up those at which nobody acts any more."""
        while True:
            for live in list(self.live.values()):
                self._release(live)
            closed = await self.storage.run(table_store.leave_tables, now() - LEFT_AFTER)
            records = await self.storage.run(archive.sweep_records, now() - RECORDS_FOR)
            log.info("swept", extra={"closed": closed, "records": records, "in_memory": len(self.live)})
            await asyncio.sleep(SWEEP_EVERY)

    async def stop(self) -> None:
        """Agents stop where they are; what was done is stored."""
        tasks = [live.agent_task for live in self.live.values() if live.agent_task is not None]
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
        live = await self.find(id)
        listener, before = Listener(person.id if person else None), live.online
        live.listeners.add(listener)
        if live.online == before:
            live.show(listener)
        else:
            live.announce()
        return live, listener

    def hang_up(self, live: LiveTable, listener: Listener) -> None:
        before = live.online
        live.listeners.discard(listener)
        if live.online != before:
            live.announce()
        self._release(live)

    def hang_up_on(self, person: Person) -> None:
        """Close every socket of a person, whose devices must then say again who they are."""
        for live in self.live.values():
            for listener in live.listeners:
                if listener.person == person.id:
                    listener.drop()

    async def join(self, id: str, person: Person) -> int:
        """A seat for a person: the one they have, or the first that is open."""
        live = await self.find(id)

        def join(table: Table) -> Table:
            if table.seat_of(person.id) is not None:
                return table
            self.live[id] = live  # it may have been released while this waited for its lock
            return table.join(person.id, person.nickname)

        await self._change(live, join)
        seat = live.table.seat_of(person.id)
        assert seat is not None
        return seat

    async def leave(self, live: LiveTable, seat: int | None) -> None:
        await asyncio.shield(self._change(live, lambda table: table.leave(seat)))

    async def leave_all(self, person: Person) -> None:
        """Give up every game a person is in; who else sits there is told, and the tables are released."""
        for id in await self.storage.run(table_store.running_of, person):
            live = await self.find(id)
            with suppress(Refused):  # it is over meanwhile
                await self.leave(live, live.table.seat_of(person.id))
            self.live.pop(id, None)

    async def act(self, live: LiveTable, seat: int | None, version: int, action: Callable[[Table, int], Table]) -> None:
        """A bid or play, made with the think time in ms, if it is the seat's turn and its message is about this version."""
        await asyncio.shield(self._change(live, lambda table: action(table.check_turn(seat, version), live.think_ms)))

    async def hint(self, live: LiveTable, seat: int | None, version: int) -> HintOut:
        """What the adviser would do; a game with hints is not rated."""
        live.table.check_turn(seat, version)
        if not live.table.hints:
            raise Refused("no_hints", Why.no_hints())
        unrate = self._change(live, lambda table: replace(table, rated=False) if table.rated else table, announce=False)
        await asyncio.shield(unrate)
        live.table.check_turn(seat, version)
        view, state = live.table.view(seat), live.table.state
        name = await self.inference.run(lambda: adviser(state.game))
        if state.bidding:
            points = await self.inference.decide(name, state)
            return HintOut(version=version, agent=name, suggestions=[], bid=points)
        ranked = await self.inference.suggest(name, view)
        return HintOut(version=version, agent=name, suggestions=suggestions_out(view, ranked[:MOST_SUGGESTIONS]))

    # -- stored before sent -------------------------------------------------------------------------------------------

    async def _change(self, live: LiveTable, change: Callable[[Table], Table], announce: bool = True) -> None:
        """Change a table under its lock: stored first, then sent.

        What a socket asks for is shielded: if the socket closes meanwhile, memory must still have what the database has.
        """
        async with live.lock:
            before, table = live.table, change(live.table)
            if table is before:
                return
            if table.state.over:
                table = replace(table, replay=new_id("g"))
            try:
                await self.storage.run(_store, table, before.version)
            except IntegrityError as error:  # another process has stored this action; the database is right
                self.live.pop(table.id, None)
                live.drop_listeners()
                raise Refused("stale", Why.load_again()) from error
            live.table = table
            if announce:
                live.changed_at, live.stalled = time.monotonic(), ""
                live.announce()
                self._wake(live)

    # -- agents -------------------------------------------------------------------------------------------------------

    def _wake(self, live: LiveTable) -> None:
        """Start the task of the agent that is to act, if there is one and no task runs."""
        if live.table.agent_to_act and live.agent_task is None:
            live.agent_task = asyncio.create_task(self._run_agents(live))

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
        await asyncio.sleep(max(0, asked.pace - think_ms) / 1000)

        def act(table: Table) -> Table:
            if table.version != asked.version or not table.running:  # somebody has left
                return table
            return table.bid(answer, think_ms) if state.bidding else table.play(answer, think_ms)

        await self._change(live, act)


def _store(db: Connection, table: Table, since: int) -> None:
    """The table with its actions since a version, and the finished game, in one transaction."""
    table_store.add_actions(db, table, since)
    table_store.change_table(db, table)
    if table.state.over:
        stored_as = {"person": "", "bot": archive.BOT}
        versions = [version_of(seat.name) if seat.kind == "agent" else stored_as[seat.kind] for seat in table.seats]
        archive.add_finished(db, table, versions)
        log.info("game over", extra={"game": table.game.name, "rated": table.rated, "turns": len(table.state.history)})


# -- who sends a request ----------------------------------------------------------------------------------------------


def arena_of(connection: HTTPConnection) -> Arena:
    arena: Arena = connection.app.state.arena
    return arena


async def person_of(connection: HTTPConnection) -> Person | None:
    """Who the cookie belongs to. A bot may ask only where `player_of` is."""
    if token_of_bot(connection) is not None:
        raise Refused("not_for_bots", Why.not_for_bots())
    token = connection.cookies.get(COOKIE)
    return await arena_of(connection).storage.run(find_person, token) if token else None


async def player_of(connection: HTTPConnection) -> Person | None:
    """The bot whose token was sent, else who the cookie belongs to."""
    token = token_of_bot(connection)
    if token is None:
        return await person_of(connection)
    bot = await arena_of(connection).storage.run(find_bot, token)
    if bot is None:
        raise Refused("nobody", Why.token_unknown())
    return bot


def token_of_bot(connection: HTTPConnection) -> str | None:
    """Of a header `Authorization: Bearer TOKEN`."""
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def address_of(connection: HTTPConnection) -> str:
    """The address a request is counted for."""
    return group_of(connection.client.host) if connection.client else ""
