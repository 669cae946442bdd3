"""The database: an SQLite file for one process, or PostgreSQL by URL for many. Threads run the queries, each in a transaction
of its own; SQLite has one thread, since it has one writer."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple

from alembic import command
from alembic.config import Config
from sqlalchemy import URL, Connection, DateTime, Engine, Table, create_engine, event, func, make_url, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from shangyou.games import BadInput

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")


THREADS = 8  # of PostgreSQL
TRY_AGAIN = {"40001", "40P01"}  # PostgreSQL: transactions that waited for each other; of those one is undone
TRIES = 5
KNOCK_EVERY = 0.05  # seconds


class Storage:
    """Runs queries, which are functions of a connection and what else they need."""

    def __init__(self, url: str) -> None:
        self.engine = open_database(url)
        self.shared = self.engine.dialect.name == "postgresql"  # with other processes
        self.snapshots = self.engine.execution_options(isolation_level="REPEATABLE READ") if self.shared else self.engine
        self.pool = ThreadPoolExecutor(THREADS if self.shared else 1, "storage")
        self.one_here = asyncio.Lock()
        self.claim: sqlite3.Connection | None = None

    async def run(self, query: Callable[[Connection, *Arguments], Result], *arguments: *Arguments) -> Result:
        """The result, once the transaction is committed."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, self.run_now, query, *arguments)

    def run_now(self, query: Callable[[Connection, *Arguments], Result], *arguments: *Arguments) -> Result:
        for left in reversed(range(TRIES)):
            try:
                with self.engine.begin() as connection:
                    return query(connection, *arguments)
            except DBAPIError as error:
                if left == 0 or getattr(error.orig, "sqlstate", None) not in TRY_AGAIN:
                    raise
        raise AssertionError  # the last try returns or raises

    async def read(self, query: Callable[[Connection, *Arguments], Result], *arguments: *Arguments) -> Result:
        """The result of a query that changes nothing; all its parts see the database at one moment."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, self._read_now, query, *arguments)

    def _read_now(self, query: Callable[[Connection, *Arguments], Result], *arguments: *Arguments) -> Result:
        with self.snapshots.connect() as connection:
            return query(connection, *arguments)

    @asynccontextmanager
    async def one_at_a_time(self, what: str) -> AsyncIterator[None]:
        """Only one of all processes is in such a block. Nobody waits in a thread: whoever is inside needs those."""
        loop = asyncio.get_running_loop()
        async with self.one_here:
            if not self.shared:
                yield
                return
            connection = await loop.run_in_executor(self.pool, self.engine.connect)
            try:
                free = select(func.pg_try_advisory_xact_lock(func.hashtextextended(what, 0)))
                while not await loop.run_in_executor(self.pool, connection.scalar, free):
                    await asyncio.sleep(KNOCK_EVERY)
                yield
            finally:
                await loop.run_in_executor(self.pool, connection.close)

    def serve_alone(self) -> None:
        """Refuse to be the second server on an SQLite file.

        The lock is on a file beside it, so that copies and exports may read; who dies loses it.
        """
        file = self.engine.url.database
        if self.shared or not file:
            return
        self.claim = sqlite3.connect(f"{file}-server", timeout=0, isolation_level=None, check_same_thread=False)
        try:
            self.claim.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            self.close()
            raise BadInput(
                f"cannot open the database {self.engine.url}: another server has it open; SQLite is for one process, "
                "PostgreSQL for several (--database postgresql://...)"
            ) from error

    def set_clock(self) -> None:
        """From now on `now` is the time of the database, which is the same for all processes."""
        global _ahead
        before = datetime.now(UTC)
        with self.engine.connect() as connection:
            theirs = connection.execute(select(func.clock_timestamp(type_=DateTime(timezone=True)))).scalar_one()
        _ahead = theirs - (before + (datetime.now(UTC) - before) / 2)

    def close(self) -> None:
        self.pool.shutdown(wait=True)
        self.engine.dispose()
        if self.claim is not None:
            self.claim.close()


_ahead = timedelta()  # of the database's clock, before that of this machine


def now() -> datetime:
    """The time of the database, in UTC; that of SQLite is this machine's."""
    return datetime.now(UTC) + _ahead


def lock(db: Connection, name: str) -> None:
    """Until the end of the transaction it is the only one, in all processes, with a lock of this name."""
    if db.dialect.name == "postgresql":
        db.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(name, 0))))


def insert_missing(db: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert those rows whose key is not there yet."""
    insert = postgresql.insert if db.dialect.name == "postgresql" else sqlite.insert
    for row in rows:
        db.execute(insert(table).values(**row).on_conflict_do_nothing())


def open_database(url: str) -> Engine:
    """The database, with its schema migrated to this version."""
    where = read_url(url)
    try:
        if where.get_backend_name() == "sqlite" and where.database:
            Path(where.database).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(where, pool_pre_ping=True)
        if where.get_backend_name() == "sqlite":
            event.listen(engine, "connect", _prepare_sqlite)
        migrate(engine)
    except ImportError as missing:
        raise BadInput(f"database {where.drivername} needs {missing.name}: pip install shangyou[postgres]") from missing
    except (SQLAlchemyError, OSError) as error:
        hidden = where.render_as_string(hide_password=True)
        raise BadInput(f"cannot open the database {hidden}: {str(error).splitlines()[0]}") from error
    return engine


def read_url(text: str) -> URL:
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise BadInput(f"database {text!r} is no URL; one is sqlite:///arena.db or postgresql://user@host/name") from error
    if url.drivername == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise BadInput(f"database {url.drivername}: sqlite and postgresql are the ones we speak to")
    return url


def _prepare_sqlite(connection: Any, _: Any) -> None:
    """Readers beside a writer; what is committed outlives a loss of power; foreign keys are enforced."""
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
        connection.execute(f"PRAGMA {pragma}")


def migrate(engine: Engine) -> None:
    """The schema of this version, in one transaction."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    in_sqlite = engine.dialect.name == "sqlite"
    with engine.connect() as connection:
        lock(connection, "migration")  # processes that start together take turns; the second finds nothing to do
        if in_sqlite:
            connection.exec_driver_sql("PRAGMA foreign_keys=OFF")  # tables are copied; nothing may go with the old ones
            connection.exec_driver_sql("BEGIN IMMEDIATE")  # the driver would begin too late, after changes of the schema
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        connection.commit()
        if in_sqlite:
            connection.exec_driver_sql("PRAGMA foreign_keys=ON")
