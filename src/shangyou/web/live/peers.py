"""The other processes on one PostgreSQL: which of them live, and what they say they have changed. On SQLite there are none.

NOTIFY says only that something should be read again: its table and revision. LISTEN may be lost with its connection, and does
not pass a pooler of transactions, so all tables in memory are compared with the database every few seconds too.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress

from sqlalchemy.exc import SQLAlchemyError

from shangyou.web.storage import processes
from shangyou.web.storage.database import Storage
from shangyou.web.storage.processes import NOBODY, Watchers
from shangyou.web.storage.table_store import CHANNEL

BEAT_EVERY = 1.0  # seconds
LISTEN_AGAIN = 1.0  # seconds after the connection was lost
log = logging.getLogger(__name__)


class Peers:
    def __init__(self, storage: Storage) -> None:
        self.storage, self.me = storage, secrets.token_hex(8)
        self.alive = frozenset({self.me})  # this process too
        if storage.shared:
            self.alive = self._beat_now()
        else:
            storage.serve_alone()

    @property
    def others(self) -> frozenset[str]:
        return self.alive - {self.me}

    async def beat(self) -> bool:
        """Say that this process lives, and set its clock; whether others have come or gone."""
        if not self.storage.shared:
            return False
        before = self.alive
        self.alive = await asyncio.to_thread(self._beat_now)  # not behind the queries that wait
        return self.alive != before

    def _beat_now(self) -> frozenset[str]:
        self.storage.set_clock()
        return self.storage.run_now(processes.beat, self.me)

    async def watchers(self, tables: Sequence[str]) -> dict[str, Watchers]:
        """Who has these tables open through other processes."""
        found = await self.storage.run(processes.watchers_elsewhere, self.others, tables) if self.others and tables else {}
        return {table: found.get(table, NOBODY) for table in tables}

    async def listen(self, hear: Callable[[str], None], begin: Callable[[], None]) -> None:
        """Hear what is said from now on; at every beginning, `begin` sees to what was said before."""
        if not self.storage.shared:
            return
        from psycopg import AsyncConnection

        url = self.storage.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        while True:
            try:
                async with await AsyncConnection.connect(url, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    begin()
                    async for news in connection.notifies():
                        hear(news.payload)
            except Exception:  # a line that is cut, news that nobody can read: this process lives on, and compares revisions
                log.warning("listening failed", exc_info=True)
            await asyncio.sleep(LISTEN_AGAIN)

    def close(self) -> None:
        """Others may go on with the tables of this process at once; if the database cannot be reached, in a few seconds."""
        if self.storage.shared:
            with suppress(SQLAlchemyError):
                self.storage.run_now(processes.end, self.me)
