"""How many actions a second the database stores, each in a transaction of its own.

    python bench/storage.py --folder . --actions 3000
    python bench/storage.py --database postgresql://user@host/empty --actions 3000 --threads 1 --threads 8

The first prints one line of JSON for every setting of PRAGMA synchronous: what it costs SQLite to survive a loss of power. The
folder is on the disk that is measured. The second prints two for every number of threads, each with tables of its own, with and
without telling other processes by NOTIFY: where PostgreSQL has enough.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from sqlalchemy import Connection

from shangyou import games
from shangyou.engines import reference
from shangyou.web.live.arena import news_of
from shangyou.web.storage import table_store
from shangyou.web.storage.database import Storage
from shangyou.web.table import Seat, Table


def store(storage: Storage, name: str, actions: int, tell: bool = False) -> list[float]:
    """Whole games of doudizhu, in which everybody makes the first legal play, one after another; seconds of each action."""
    took: list[float] = []
    while len(took) < actions:
        state = reference.deal(games.load("doudizhu"), len(took))
        table = Table(f"{name}{len(took)}", state, (Seat("agent", "greedy"),) * 3)
        storage.run_now(table_store.add_table, table, state, False)
        while not table.state.over and len(took) < actions:
            before, table = table, table.play(int(reference.legal(table.state)[0]))
            table = replace(table, revision=before.revision + 1)
            started = time.perf_counter()
            storage.run_now(change, table, before, tell)
            took.append(time.perf_counter() - started)
    return took


def change(db: Connection, table: Table, before: Table, tell: bool) -> None:
    table_store.change_table(db, table, before)
    if tell:
        table_store.notify(db, news_of(table))


def summary(took: list[float], seconds: float) -> dict[str, object]:
    took.sort()
    p99 = 1000 * took[len(took) * 99 // 100]
    return {"actions": len(took), "actions_per_s": round(len(took) / seconds), "p99_ms": round(p99, 2)}


def measure_sqlite(folder: Path, synchronous: str, actions: int) -> dict[str, object]:
    storage = Storage(f"sqlite:///{folder / 'arena.db'}")
    with storage.engine.connect() as connection:  # the pool hands the same connection out again
        connection.exec_driver_sql(f"PRAGMA synchronous={synchronous}")
    took = store(storage, "t", actions)
    with storage.engine.connect() as connection:
        setting = connection.exec_driver_sql("PRAGMA synchronous").scalar_one()
    storage.close()
    return {"synchronous": setting} | summary(took, sum(took))


def measure_postgres(database: str, threads: int, actions: int, notify: bool) -> dict[str, object]:
    storage = Storage(database)
    names = [f"t{threads}.{number}.{notify:d}." for number in range(threads)]
    started = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        parts = pool.map(lambda name: store(storage, name, actions // threads, notify), names)
        took = [one for part in parts for one in part]
    seconds = time.perf_counter() - started
    storage.close()
    return {"threads": threads, "notify": notify} | summary(took, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path())
    parser.add_argument("--actions", type=int, default=3000)
    parser.add_argument("--database", help="URL of a PostgreSQL, in place of an SQLite file in the folder")
    parser.add_argument("--threads", type=int, action="append", help="again and again for several numbers; default: 1 and 8")
    given = parser.parse_args()
    for threads in (given.threads or [1, 8]) if given.database else []:
        for notify in (True, False):
            print(json.dumps(measure_postgres(given.database, threads, given.actions, notify)), flush=True)
    for synchronous in () if given.database else ("NORMAL", "FULL"):
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
            print(json.dumps(measure_sqlite(Path(folder), synchronous, given.actions)), flush=True)


if __name__ == "__main__":
    main()
