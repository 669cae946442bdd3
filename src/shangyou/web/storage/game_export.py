"""Games people played, exported for training: JSON Lines as `records.read` takes them, or Parquet with think times too."""

import io
from pathlib import Path
from typing import Any

from shangyou.games import BadInput
from shangyou.records.files import write_file
from shangyou.web.storage.archive import exportable_games
from shangyou.web.storage.database import open_database, read_url

PARQUET = ".parquet"


def export_games(database: str, target: Path, overwrite: bool = False) -> int:
    """Write the games whose players allow it; how many."""
    url = read_url(database)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        raise BadInput(f"there is no database {url.database}")
    engine = open_database(database)
    try:
        with engine.connect() as connection:
            exported = list(exportable_games(connection))
    finally:
        engine.dispose()
    lines = "".join(game["record"] + "\n" for game in exported)
    write_file(target, _parquet(exported) if target.suffix == PARQUET else lines.encode(), overwrite)
    return len(exported)


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
