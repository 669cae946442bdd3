"""What the arena keeps, as tables of a database. A change here needs a migration."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)  # fmt: skip


class Moment(TypeDecorator[datetime]):
    """A time in UTC; SQLite forgets that it was."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


metadata = MetaData(
    naming_convention={"fk": "fk_%(table_name)s_%(column_0_name)s", "ix": "ix_%(table_name)s_%(column_0_name)s"}
)

people = Table(
    "people", metadata,
    Column("id", Integer, primary_key=True),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("nickname", String(24), nullable=False),
    Column("keep", Boolean, nullable=False),  # whether finished games may be given to others, to learn from
    Column("made_at", Moment, nullable=False),
)  # fmt: skip

tables = Table(
    "tables", metadata,
    Column("id", String(32), primary_key=True),
    Column("game", String(32), nullable=False),
    Column("rules", Text, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("deal", JSON),  # cards that were given; none: dealt from the seed
    Column("seats", JSON, nullable=False),
    Column("hints", Boolean, nullable=False),
    Column("pace", Integer, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("status", String(16), nullable=False),  # open, running, over, left
    Column("replay", String(32), nullable=False),
    Column("made_at", Moment, nullable=False),
    Column("touched_at", Moment, nullable=False),
    Index("ix_tables_status", "status"),
)  # fmt: skip

actions = Table(
    "actions", metadata,
    Column("table_id", String(32), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),  # with the table it is the key: nobody acts twice
    Column("seat", Integer, nullable=False),
    Column("kind", String(8), nullable=False),
    Column("value", Integer, nullable=False),
    Column("cards", Text, nullable=False),
    Column("think_ms", Integer),
)  # fmt: skip

games = Table(
    "games", metadata,
    Column("id", String(32), primary_key=True),
    Column("table_id", String(32)),  # none: somebody sent the record
    Column("game", String(32), nullable=False),
    Column("rules", Text, nullable=False),
    Column("record", Text, nullable=False),  # a line of JSON Lines
    Column("think_ms", JSON, nullable=False),  # of each turn
    Column("rated", Boolean, nullable=False),
    Column("kept", Boolean, nullable=False),  # all who sat there let it be exported
    Column("finished_at", Moment, nullable=False),
)  # fmt: skip

players = Table(
    "players", metadata,
    Column("game_id", String(32), ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("name", String(128), nullable=False),
    Column("person", Integer, ForeignKey("people.id")),
    Column("version", String(32), nullable=False),  # of an agent
    Column("score", BigInteger, nullable=False),
    Column("won", Boolean, nullable=False),
    Column("rating", Float),  # after this game, if it was rated
    Index("ix_players_person", "person"),
)  # fmt: skip

reviews = Table(
    "reviews", metadata,
    Column("game_id", String(32), ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("version", String(160), nullable=False),  # who judged
    Column("content", JSON, nullable=False),
)  # fmt: skip

ratings = Table(
    "ratings", metadata,
    Column("game", String(32), primary_key=True),
    Column("player", String(160), primary_key=True),  # person:7 or agent:greedy
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
    Column("points", BigInteger, nullable=False),
)  # fmt: skip
