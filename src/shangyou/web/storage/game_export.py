"""Games people played, exported for training: JSON Lines as `records.read` takes them, or Parquet with think times too."""

import io
import json
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from shangyou.games import BadInput
from shangyou.records.files import write_file
from shangyou.web.storage.archive import players_of
from shangyou.web.storage.database import Storage, read_url
from shangyou.web.storage.schema import games


def export_games(database: str, target: Path, overwrite: bool = False) -> int:
    """Write the games whose players allow it; how many."""
    url = read_url(database)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        raise BadInput(f"there is no database {url.database}")
    with closing(Storage(database)) as storage:
        exported = storage.run_now(_exportable_games)
    lines = "".join(game["record"] + "\n" for game in exported)
    write_file(target, _parquet(exported) if target.suffix == ".parquet" else lines.encode(), overwrite)
    return len(exported)


def _exportable_games(db: Connection) -> list[dict[str, Any]]:
    """People go unnamed, agents with their versions."""
    exported = []
    for row in db.execute(select(games).where(games.c.kept).order_by(games.c.finished_at)).all():
        names = [f"{one.name}@{one.version}" if one.version else "human" for one in players_of(db, row.id)]
        record = json.loads(row.record) | {"players": names}
        text = {"record": json.dumps(record), "scores": record["result"]["scores"]}
        exported.append(row._asdict() | {"players": names, **text})
    return exported


def _parquet(exported: list[dict[str, Any]]) -> bytes:
    """A row to a game; the column `record` is the line that JSON Lines would have."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as missing:
        raise BadInput(f"Parquet needs {missing.name}: pip install shangyou[train], or write .jsonl") from missing
    columns = {
        "id": pa.string(), "game": pa.string(), "finished_at": pa.timestamp("us", "UTC"), "players": pa.list_(pa.string()),
        "scores": pa.list_(pa.int64()), "think_ms": pa.list_(pa.int64()), "rated": pa.bool_(), "record": pa.string(),
    }  # fmt: skip
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(exported, pa.schema(columns)), out)
    return out.getvalue()
