"""The database: an SQLite file, or PostgreSQL by URL. One thread runs all queries, each in a transaction of its own."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple

from alembic import command
from alembic.config import Config
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from shangyou.games import BadInput

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")


class Storage:
    """Runs queries, which are functions of a connection and what else they need."""

    def __init__(self, url: str) -> None:
        self.engine = open_database(url)
        self.pool = ThreadPoolExecutor(1, "storage")  # SQLite has one writer anyway, and ratings must not race

    async def run(self, query: Callable[[Connection, *Arguments], Result], *arguments: *Arguments) -> Result:
        """The result, once the transaction is committed."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, self.run_now, query, *arguments)

    def run_now(self, query: Callable[[Connection, *Arguments], Result], *arguments: *Arguments) -> Result:
        with self.engine.begin() as connection:
            return query(connection, *arguments)

    def close(self) -> None:
        self.pool.shutdown(wait=True)
        self.engine.dispose()


def now() -> datetime:
    return datetime.now(UTC)


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
        if in_sqlite:
            connection.exec_driver_sql("PRAGMA foreign_keys=OFF")  # tables are copied; nothing may go with the old ones
            connection.exec_driver_sql("BEGIN IMMEDIATE")  # the driver would begin too late, after changes of the schema
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        connection.commit()
        if in_sqlite:
            connection.exec_driver_sql("PRAGMA foreign_keys=ON")
