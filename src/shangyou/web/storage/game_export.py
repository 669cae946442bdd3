"""Games people played, exported for training as `records.read` takes them: JSON Lines, or Parquet with think times too."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from shangyou.games import BadInput
from shangyou.records.files import Form, form_of, write_file
from shangyou.records.jsonl import from_json
from shangyou.records.parquet import row_of, to_bytes
from shangyou.web.storage.archive import players_of
from shangyou.web.storage.daily_store import is_hidden
from shangyou.web.storage.database import Storage, read_url
from shangyou.web.storage.schema import games


def export_games(database: str, target: Path, overwrite: bool = False) -> int:
    """Write the games whose players allow it; how many."""
    url = read_url(database)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        raise BadInput(f"there is no database {url.database}")
    with closing(Storage(database)) as storage:
        exported = storage.run_now(_exportable_games)
    in_parquet = form_of(target) is Form.PARQUET
    write_file(target, to_bytes(map(_row, exported)) if in_parquet else _json_lines(exported), overwrite)
    return len(exported)


def _json_lines(exported: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(game["record"]) + "\n" for game in exported).encode()


def _row(game: dict[str, Any]) -> dict[str, Any]:
    """The game as a row of Parquet, with what the arena knows beyond its record."""
    return row_of(from_json(game["record"])) | {name: game[name] for name in ("id", "finished_at", "rated", "think_ms")}


def _exportable_games(db: Connection) -> list[dict[str, Any]]:
    """People go unnamed, agents with their versions. Daily deals wait until they are closed."""
    exported = []
    for row in db.execute(select(games).where(games.c.kept, ~is_hidden()).order_by(games.c.finished_at)).all():
        names = [f"{one.name}@{one.version}" if one.version else "human" for one in players_of(db, row.id)]
        exported.append(row._asdict() | {"record": json.loads(row.record) | {"players": names}})
    return exported
