"""Games people played, for whoever trains: JSON Lines as `records.read` takes them, or Parquet with think times too."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from shangyou.games import BadInput
from shangyou.records.files import write_file
from shangyou.web.storage.archive import kept_games
from shangyou.web.storage.database import open_database, read_url

PARQUET = ".parquet"


def export_games(database: str, target: Path, overwrite: bool = False) -> int:
    """Write the games that may be learned from; how many."""
    url = read_url(database)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        raise BadInput(f"there is no database {url.database}")
    engine = open_database(database)
    try:
        with engine.connect() as connection:
            found = list(kept_games(connection))
    finally:
        engine.dispose()
    content = _parquet(found) if target.suffix == PARQUET else _json_lines(found)
    write_file(target, content, overwrite)
    return len(found)


def _json_lines(found: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(game["record"]) + "\n" for game in found).encode()


def _parquet(found: list[dict[str, Any]]) -> bytes:
    """A row to a game; the record itself is the line that JSON Lines would have."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as missing:
        raise BadInput(f"Parquet needs {missing.name}: pip install shangyou[train], or write .jsonl") from missing
    records = [game["record"] for game in found]
    columns = {
        "id": pa.array([game["id"] for game in found], pa.string()),
        "game": pa.array([record["game"] for record in records], pa.string()),
        "finished_at": pa.array([game["finished_at"] for game in found], pa.timestamp("us", "UTC")),
        "players": pa.array([record["players"] for record in records], pa.list_(pa.string())),
        "scores": pa.array([record["result"]["scores"] for record in records], pa.list_(pa.int64())),
        "think_ms": pa.array([game["think_ms"] for game in found], pa.list_(pa.int64())),
        "rated": pa.array([game["rated"] for game in found], pa.bool_()),
        "record": pa.array([json.dumps(record) for record in records], pa.string()),
    }
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()
