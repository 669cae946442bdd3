"""Games on disk: `records.write("game.txt", [Record.from_state(state)])`, `for record in records.read("game.txt")`."""

from shangyou.records.errors import BadRecord
from shangyou.records.files import Form, read, read_bytes, read_deals, write
from shangyou.records.record import Record, Result, opening, replay, states, with_bids

__all__ = [
    "BadRecord", "Form", "Record", "Result", "opening", "read", "read_bytes", "read_deals", "replay", "states", "with_bids",
    "write",
]  # fmt: skip
