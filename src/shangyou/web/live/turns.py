"""Who sees to a turn: an agent is asked by the keeper of its table, and the clock of a person runs there."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from shangyou.web.live.live_table import LiveTable
from shangyou.web.storage.database import now
from shangyou.web.table import Table

if TYPE_CHECKING:
    from shangyou.web.live.arena import Arena

RETRY_AFTER = (1.0, 2.0, 5.0, 15.0, 30.0)  # seconds after each failure of an agent; the last repeats while somebody listens
AGENT_TURN = timedelta(minutes=1)  # so long a process has the turn of an agent, if it lives; then another may ask
log = logging.getLogger(__name__)


class Turns:
    def __init__(self, arena: Arena) -> None:
        self.arena = arena

    def wake(self, live: LiveTable) -> None:
        """See to the turn: start the task of the agent that is to act, if no task runs, or the clock of a person.

        The keeper of the table does. Another process takes it over when the keeper is dead, or has had the turn for too long.
        """
        live.stop_clock()
        table, seconds, version = live.table, live.seconds_left, live.table.version
        if not table.agent_to_act and seconds is None:
            return
        if table.keeper != self.arena.peers.me:
            if not self._sees_to(table):
                self.arena.later(self._take_over(live))
        elif seconds is None:
            if live.agent_task is None:
                live.agent_task = asyncio.create_task(self._run_agents(live))
        else:
            run_out = lambda: self.arena.later(self.run_out(live, version))  # noqa: E731
            live.timer = asyncio.get_running_loop().call_later(seconds, run_out)

    def _sees_to(self, table: Table) -> bool:
        """Whether the keeper of the table lives, and has had the turn no longer than it may take."""
        lease = AGENT_TURN + timedelta(milliseconds=table.turn_ms or 0)
        return table.keeper in self.arena.peers.alive and table.turned_at is not None and now() < table.turned_at + lease

    async def _take_over(self, live: LiveTable) -> None:
        """The turn that was interrupted begins anew."""
        await self.arena.change(live, lambda table: table if self._sees_to(table) else replace(table, turned_at=now()))

    async def run_out(self, live: LiveTable, version: int) -> None:
        """The person to act had no time left, if nothing has been done since."""
        live.stop_clock()
        stand_in = await self.arena.adviser(live.table)

        def run_out(table: Table) -> Table:
            in_time = table.version != version or not table.running or not table.seats[table.state.turn].plays
            return table if in_time else table.leave(table.state.turn, stand_in)

        await self.arena.change(live, run_out)

    async def _run_agents(self, live: LiveTable) -> None:
        """Agents act until a person is to act, or the game ends. One that fails is asked again, as long as somebody listens."""
        failures = 0
        try:
            while (name := live.table.agent_to_act) and live.table.keeper == self.arena.peers.me:
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
        self.arena.release(live)

    async def _wait_to_retry(self, live: LiveTable, name: str, failures: int) -> bool:
        """Whether to ask the agent again; if not, the next to come to the table wakes it. The second failure is announced."""
        if failures > 1:
            live.stalled = name
            live.announce()
        await asyncio.sleep(RETRY_AFTER[min(failures, len(RETRY_AFTER)) - 1])
        here = self.arena.live.get(live.table.id) is live
        return here and (bool(live.listeners) or failures < len(RETRY_AFTER))

    async def _act_agent(self, live: LiveTable, name: str) -> None:
        """An agent's bid or play, not sooner than the pace of the table allows."""
        asked, state, started = live.table, live.table.state, time.monotonic()
        answer = await self.arena.inference.decide(name, state)
        think_ms = int((time.monotonic() - started) * 1000)
        pace = asked.pace if asked.people else 0  # where no person plays any more nobody waits
        await asyncio.sleep(max(0, pace - think_ms) / 1000)
        shown_ms = None if asked.seats[state.turn].stand_in else think_ms  # those of a person's seat are shown

        def act(table: Table) -> Table:
            if table.version != asked.version or not table.running:  # somebody has left
                return table
            return table.bid(answer, shown_ms) if state.bidding else table.play(answer, shown_ms)

        await self.arena.change(live, act)
