"""Settings of the server, each by option, by environment variable or by default."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from shangyou.games import BadInput

PREFIX = "SHANGYOU_"


def default_database() -> str:
    """A file in the user's data folder."""
    folder = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return f"sqlite:///{folder / 'shangyou' / 'arena.db'}"


@dataclass(frozen=True, slots=True)
class Settings:
    """Every field can be set as SHANGYOU_ and its name in capitals. Limits count for each address."""

    host: str = "127.0.0.1"
    port: int = 8000
    database: str = ""  # a URL of SQLAlchemy; empty: `default_database()`
    requests: int = 1200  # a minute
    new_tables: int = 60  # a minute
    new_rules: int = 30  # sets of rules a minute that nobody has asked for lately, so that their tables of plays must be built
    records: int = 500  # sent in a day
    codes: int = 10  # recovery codes tried in an hour
    connections: int = 200  # at once, besides sockets
    sockets: int = 40  # at once
    messages: int = 1200  # a minute on one socket
    request_seconds: int = 20  # a request may take so long to arrive
    proxies: str = ""  # addresses and networks, with commas, whose X-Forwarded headers are believed

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ, **given: Any) -> Self:
        """The given value, else that of the environment, else the default."""
        texts = {field: environment.get(PREFIX + field.name.upper(), "") for field in fields(cls)}
        values = {field.name: _read(field.name, type(field.default), text) for field, text in texts.items() if text}
        return cls(**(values | {name: value for name, value in given.items() if value is not None}))

    @property
    def database_url(self) -> str:
        return self.database or default_database()


def _read(name: str, kind: type, text: str) -> Any:
    if kind is str:
        return text
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise BadInput(f"{PREFIX}{name.upper()}={text!r} is not a whole number")
    return int(text)
