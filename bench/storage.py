"""How many actions a second the database stores, each in a transaction, and what it costs SQLite to survive a loss of power.

    python bench/storage.py --folder . --actions 3000

prints one line of JSON for every setting of PRAGMA synchronous. The folder is on the disk that is measured.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from shangyou import games
from shangyou.engines import reference
from shangyou.web.storage import table_store
from shangyou.web.storage.database import Storage
from shangyou.web.table import Seat, Table


def measure(folder: Path, synchronous: str, actions: int) -> dict[str, object]:
    """Whole games of doudizhu, in which everybody makes the first legal play, one table after another."""
    storage = Storage(f"sqlite:///{folder / 'arena.db'}")
    with storage.engine.connect() as connection:  # the pool hands the same connection out again
        connection.exec_driver_sql(f"PRAGMA synchronous={synchronous}")
    stored, took = 0, []
    while stored < actions:
        state = reference.deal(games.load("doudizhu"), stored)
        table = Table(f"t{stored}", state, (Seat("agent", "greedy"),) * 3)
        storage.run_now(table_store.add_table, table, state, False)
        while not table.state.over and stored < actions:
            before, table = table, table.play(int(reference.legal(table.state)[0]))
            table = replace(table, revision=before.revision + 1)
            started = time.perf_counter()
            storage.run_now(table_store.change_table, table, before)
            took.append(time.perf_counter() - started)
            stored += 1
    with storage.engine.connect() as connection:
        setting = connection.exec_driver_sql("PRAGMA synchronous").scalar_one()
    storage.close()
    took.sort()
    p99 = 1000 * took[len(took) * 99 // 100]
    return {"synchronous": setting, "actions": stored, "actions_per_s": round(stored / sum(took)), "p99_ms": round(p99, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path())
    parser.add_argument("--actions", type=int, default=3000)
    given = parser.parse_args()
    for synchronous in ("NORMAL", "FULL"):
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
            print(json.dumps(measure(Path(folder), synchronous, given.actions)), flush=True)


if __name__ == "__main__":
    main()
