"""What a process does about the others: reads again what they have changed, goes on with the tables of those that die."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta

from shangyou.web.live.arena import Arena, news_of
from shangyou.web.live.live_table import LiveTable
from shangyou.web.live.peers import BEAT_EVERY
from shangyou.web.storage import processes, table_store
from shangyou.web.storage.database import now
from shangyou.web.storage.processes import NOBODY
from shangyou.web.table import Refused
from shangyou.web.wire.messages import PhraseOut

REREAD_EVERY = timedelta(seconds=5)
SWEEP_EVERY = timedelta(minutes=5)


async def follow(arena: Arena) -> None:
    """At the start go on with games that wait for nobody. Then look after what happens in other processes, as long as this one
    lives; on SQLite there are none."""
    following = Following(arena)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(following.show_signs_of_life())
        tasks.create_task(following.look_after())
        tasks.create_task(arena.peers.listen(following.hear, following.read_all))


class Following:
    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.reread_at = self.swept_at = now()

    async def show_signs_of_life(self) -> None:
        """They wait for nothing else: who is late with them is taken for dead."""
        while self.arena.storage.shared:
            await asyncio.sleep(BEAT_EVERY)
            await self.arena.logged(self._beat())

    async def _beat(self) -> None:
        if await self.arena.peers.beat():
            self.read_all()

    async def look_after(self) -> None:
        await self.arena.logged(self._adopt())
        while self.arena.storage.shared:
            await asyncio.sleep(BEAT_EVERY)
            await self.arena.logged(self._look())

    async def _look(self) -> None:
        moment = now()
        if moment > self.reread_at + REREAD_EVERY:
            self.reread_at = moment
            await self._adopt()
            await self._compare(self.arena.live.values())
            await self._watchers(list(self.arena.live))
            await self._hang_up()
        for live in list(self.arena.live.values()):
            if live.agent_task is None and live.timer is None:
                self.arena.turns.wake(live)  # its keeper may be dead, or have had the turn for too long
        if moment > self.swept_at + SWEEP_EVERY:
            self.swept_at = moment
            await self.arena.storage.run(processes.sweep)

    async def _adopt(self) -> None:
        """Go on with the games that wait for nobody and whose keeper is dead."""
        for id in await self.arena.storage.run(table_store.abandoned_tables, self.arena.peers.alive):
            await self.arena.logged(self.arena.find(id))

    async def _compare(self, lives: Iterable[LiveTable]) -> None:
        """Read again what has another revision than in memory."""
        by_id = {live.table.id: live for live in lives}
        stored = await self.arena.storage.run(table_store.revisions, list(by_id)) if by_id else {}
        for id, live in by_id.items():
            if stored.get(id) != live.table.revision:
                await self._refresh(live, stored.get(id))

    async def _refresh(self, live: LiveTable, revision: int | None) -> None:
        with suppress(Refused):  # the table has been deleted
            await self.arena.refresh(live, revision)

    async def _watchers(self, ids: list[str]) -> None:
        for id, elsewhere in (await self.arena.peers.watchers(ids)).items():
            live = self.arena.live.get(id)
            if live is not None and live.elsewhere != elsewhere:
                live.elsewhere = elsewhere
                live.announce()

    async def _hang_up(self) -> None:
        """Close the sockets that were opened before a token was taken back, perhaps through another process."""
        people = {one.person for live in self.arena.live.values() for one in live.listeners if one.person is not None}
        found = await self.arena.storage.run(processes.signed_out, people) if people else {}
        for person, at in found.items():
            self.arena.hang_up_on(person, opened_before=at)

    def read_all(self) -> None:
        """Soon: another process has come or gone, or what was said has been missed."""
        self.reread_at = now() - 2 * REREAD_EVERY

    def hear(self, news: str) -> None:
        kind, id, number = news.split()
        live = self.arena.live.get(id)
        if live is None:
            return
        match kind:
            case "table" if live.table.revision < int(number):
                self.arena.later(self._refresh(live, int(number)))
            case "watchers":
                self.arena.later(self._welcome(live))
            case "phrase":
                self.arena.later(self._pass_on(live, int(number)))

    async def _welcome(self, live: LiveTable) -> None:
        """Somebody has come, or gone, elsewhere. Their process may have read the table before it heard of changes."""
        await self._watchers([live.table.id])
        if live.elsewhere != NOBODY:
            await self.arena.storage.run(table_store.notify, news_of(live.table))

    async def _pass_on(self, live: LiveTable, number: int) -> None:
        """A phrase that was said through another process."""
        row = await self.arena.storage.run(processes.find_phrase, number)
        if row is not None and row.process != self.arena.peers.me:
            live.tell(PhraseOut(seat=row.seat, phrase=row.phrase))
