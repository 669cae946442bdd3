"""Games on disk: `records.write("game.txt", [Record.from_state(state)])`, `for record in records.read("game.txt")`."""

from __future__ import annotations

from shangyou.records.errors import BadRecord
from shangyou.records.files import Form, form_of, read, read_bytes, write
from shangyou.records.record import Record, Result, load_game, opening, replay, states

__all__ = [
    "BadRecord", "Form", "Record", "Result", "form_of", "load_game", "opening", "read", "read_bytes", "replay", "states",
    "write",
]  # fmt: skip
