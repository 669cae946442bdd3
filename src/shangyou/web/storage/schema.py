"""The schema of the database. A change here needs a migration."""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa


class Moment(sa.TypeDecorator[datetime]):
    """A time in UTC; SQLite does not store the time zone."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


metadata = sa.MetaData(
    naming_convention={"fk": "fk_%(table_name)s_%(column_0_name)s", "ix": "ix_%(table_name)s_%(column_0_name)s"}
)

people = sa.Table(
    "people", metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("recovery_hash", sa.String(64), unique=True),  # of the recovery code, if there is one
    sa.Column("nickname", sa.String(24), nullable=False),
    sa.Column("keep", sa.Boolean, nullable=False),  # allows the export of finished games, to learn from
    sa.Column("made_at", Moment, nullable=False),
    sa.Column("signed_out_at", Moment),  # when a token was last taken back; sockets opened before are closed
)  # fmt: skip

tokens = sa.Table(
    "tokens", metadata,  # one for each device of a person
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("person", sa.Integer, sa.ForeignKey("people.id"), nullable=False),
    sa.Column("token_hash", sa.String(64), nullable=False, unique=True),
    sa.Column("name", sa.String(40), nullable=False),  # browser and system
    sa.Column("made_at", Moment, nullable=False),
    sa.Column("seen_at", Moment, nullable=False),
    sa.Index("ix_tokens_person", "person"),
)  # fmt: skip

bot_tokens = sa.Table(
    "bot_tokens", metadata,
    sa.Column("bot", sa.Integer, sa.ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("owner", sa.Integer, sa.ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    sa.Column("token_hash", sa.String(64), nullable=False, unique=True),
    sa.Column("made_at", Moment, nullable=False),
    sa.Index("ix_bot_tokens_owner", "owner"),
)  # fmt: skip

tables = sa.Table(
    "tables", metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("game", sa.String(32), nullable=False),
    sa.Column("rules", sa.Text, nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("deal", sa.JSON),  # cards of another game; none: dealt from the seed
    sa.Column("seats", sa.JSON, nullable=False),
    sa.Column("hints", sa.Boolean, nullable=False),
    sa.Column("pace", sa.Integer, nullable=False),
    sa.Column("rated", sa.Boolean, nullable=False),  # may be rated: nobody could know the cards
    sa.Column("status", sa.String(16), nullable=False),  # open, running, over, left
    sa.Column("replay", sa.String(32), nullable=False),
    sa.Column("made_at", Moment, nullable=False),
    sa.Column("touched_at", Moment, nullable=False),
    sa.Column("match", sa.String(32)),  # the duplicate match this is a deal of
    sa.Column("number", sa.Integer),  # of the deal in its match, from 1
    sa.Column("second", sa.String(32)),  # the game of the second table of the deal
    sa.Column("listed", sa.Boolean, nullable=False),  # listed for everybody until it is full
    sa.Column("clock", sa.JSON),  # seconds for each bid or play, and for the game beyond those
    sa.Column("rematch", sa.String(32), nullable=False),  # the table at which the same people play on
    sa.Column("revision", sa.Integer, nullable=False),  # how often the row was changed; a change names the one it is about
    sa.Column("turned_at", Moment),  # when the turn began
    sa.Column("keeper", sa.String(16), nullable=False),  # the process that asks agents and ends turns whose time is over
    sa.Column("unattended", sa.Boolean, nullable=False),  # goes on when nobody looks: a clock runs, or a bot plays on
    sa.Index("ix_tables_status", "status"),
    sa.Index("ix_tables_match", "match", "number", unique=True),
)  # fmt: skip

sitters = sa.Table(
    "sitters", metadata,
    sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("person", sa.Integer, sa.ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    sa.Index("ix_sitters_person", "person"),
)  # fmt: skip

matches = sa.Table(
    "matches", metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("person", sa.Integer, sa.ForeignKey("people.id"), nullable=False),
    sa.Column("game", sa.String(32), nullable=False),
    sa.Column("rules", sa.Text, nullable=False),
    sa.Column("deals", sa.Integer, nullable=False),  # to be played
    sa.Column("opponent", sa.String(128), nullable=False),  # the agent of the other team
    sa.Column("partner", sa.String(128), nullable=False),  # the agent that has the peasants of the person's team
    sa.Column("hints", sa.Boolean, nullable=False),
    sa.Column("pace", sa.Integer, nullable=False),
    sa.Column("made_at", Moment, nullable=False),
    sa.Index("ix_matches_person", "person"),
)  # fmt: skip

actions = sa.Table(
    "actions", metadata,
    sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),  # part of the key: an action is stored once
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("kind", sa.String(8), nullable=False),
    sa.Column("value", sa.Integer, nullable=False),
    sa.Column("cards", sa.Text, nullable=False),
    sa.Column("think_ms", sa.Integer),
)  # fmt: skip

games = sa.Table(
    "games", metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("table_id", sa.String(32)),  # none: somebody sent the record
    sa.Column("game", sa.String(32), nullable=False),
    sa.Column("rules", sa.Text, nullable=False),
    sa.Column("record", sa.Text, nullable=False),  # a line of JSON Lines
    sa.Column("think_ms", sa.JSON, nullable=False),  # of each turn
    sa.Column("rated", sa.Boolean, nullable=False),
    sa.Column("kept", sa.Boolean, nullable=False),  # everybody at the table allows the export
    sa.Column("finished_at", Moment, nullable=False),
    sa.Column("sent_by", sa.Integer, sa.ForeignKey("people.id")),  # who sent the record
    sa.Index("ix_games_sent_by", "sent_by"),
    sa.Index("ix_games_table_id", "table_id"),
)  # fmt: skip

players = sa.Table(
    "players", metadata,
    sa.Column("game_id", sa.String(32), sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(128), nullable=False),
    sa.Column("person", sa.Integer, sa.ForeignKey("people.id")),
    sa.Column("version", sa.String(32), nullable=False),  # of an agent; bot for a bot; empty for a person
    sa.Column("score", sa.BigInteger, nullable=False),
    sa.Column("won", sa.Boolean, nullable=False),
    sa.Column("rating", sa.Float),  # after this game, if it was rated
    sa.Column("role", sa.String(16), nullable=False, server_default=""),  # landlord, peasant or none
    sa.Index("ix_players_person", "person"),
)  # fmt: skip

reviews = sa.Table(
    "reviews", metadata,
    sa.Column("game_id", sa.String(32), sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("version", sa.String(160), nullable=False),  # of the adviser
    sa.Column("content", sa.JSON, nullable=False),
)  # fmt: skip

ratings = sa.Table(
    "ratings", metadata,
    sa.Column("season", sa.Integer, primary_key=True),  # the last is open, those before are closed
    sa.Column("game", sa.String(32), primary_key=True),
    sa.Column("player", sa.String(160), primary_key=True),  # person:7; in season 1 also agent:greedy
    sa.Column("mu", sa.Float, nullable=False),
    sa.Column("sigma", sa.Float, nullable=False),
    sa.Column("games", sa.Integer, nullable=False),
    sa.Column("wins", sa.Integer, nullable=False),
    sa.Column("points", sa.BigInteger, nullable=False),
)  # fmt: skip

secrets = sa.Table(
    "secrets", metadata,  # never sent and never logged
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("value", sa.String(64), nullable=False),  # 256 random bits in hexadecimal
)  # fmt: skip

daily_deals = sa.Table(
    "daily_deals", metadata,
    sa.Column("day", sa.String(10), primary_key=True),  # 2026-11-19, in UTC
    sa.Column("game", sa.String(32), primary_key=True),
    sa.Column("rules", sa.Text, nullable=False),
    sa.Column("agent", sa.String(128), nullable=False),  # in all seats but the person's
    sa.Column("closes_at", Moment, nullable=False),  # what is finished later does not count; until then all cards are hidden
    sa.Column("replay", sa.String(32)),  # of the agent in the person's seat too, once it is played
)  # fmt: skip

daily_tries = sa.Table(
    "daily_tries", metadata,
    sa.Column("table_id", sa.String(32), primary_key=True),
    sa.Column("day", sa.String(10), nullable=False),
    sa.Column("game", sa.String(32), nullable=False),
    sa.Column("person", sa.Integer, sa.ForeignKey("people.id")),  # none: the person has been deleted, or their games
    sa.Column("named", sa.Boolean, nullable=False),  # whether the ranking shows the nickname
    sa.Column("made_at", Moment, nullable=False),
    sa.Index("ix_daily_tries_deal", "day", "game", "person", unique=True),  # one try a person
    sa.Index("ix_daily_tries_person", "person"),
)  # fmt: skip

processes = sa.Table(
    "processes", metadata,  # those that serve this database
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("seen_at", Moment, nullable=False),
)  # fmt: skip

watchers = sa.Table(
    "watchers", metadata,  # who has a table open, through which process
    sa.Column("table_id", sa.String(32), primary_key=True),
    sa.Column("process", sa.String(16), primary_key=True),
    sa.Column("people", sa.JSON, nullable=False),
    sa.Column("strangers", sa.Integer, nullable=False),  # how many the server does not know
    sa.Index("ix_watchers_process", "process"),
)  # fmt: skip

phrases = sa.Table(
    "phrases", metadata,  # said at a table, until every process has passed them on
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("table_id", sa.String(32), nullable=False),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("phrase", sa.String(32), nullable=False),
    sa.Column("process", sa.String(16), nullable=False),  # through which it was said
    sa.Column("said_at", Moment, nullable=False),
    sa.Index("ix_phrases_table_id", "table_id", "seat"),
)  # fmt: skip

buckets = sa.Table(
    "buckets", metadata,  # limits on what one address may ask for, where they hold for all processes together
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("address_hash", sa.String(64), primary_key=True),
    sa.Column("full_at", Moment, nullable=False),
)  # fmt: skip
