"""Daily deals in the database: the secret behind them, the deals, who has had a try, and what they still hide."""

from __future__ import annotations

import secrets as random_bits
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, exists, insert, select, update

from shangyou.web.storage.database import now
from shangyou.web.storage.people import Person
from shangyou.web.storage.schema import daily_deals, daily_tries, games, players, secrets, tables
from shangyou.web.table import Status, Table

SECRET = "daily"
OF_DEAL = (daily_tries.c.day == daily_deals.c.day) & (daily_tries.c.game == daily_deals.c.game)


@dataclass(frozen=True, slots=True)
class Deal:
    """The deal of a day in one game. Its cards follow from the secret, so they are not stored."""

    day: str
    game: str
    rules: str
    agent: str
    closes_at: datetime
    replay: str | None = None  # of the agent's own game

    @property
    def hidden(self) -> bool:
        return self.closes_at > now()


# -- the secret and the deals -----------------------------------------------------------------------------------------


def find_secret(db: Connection) -> bytes:
    """256 random bits, made when they are first needed."""
    value = db.execute(select(secrets.c.value).where(secrets.c.name == SECRET)).scalar_one_or_none()
    if value is None:
        value = random_bits.token_hex(32)
        db.execute(insert(secrets).values(name=SECRET, value=value))
    return bytes.fromhex(value)


def add_deal(db: Connection, deal: Deal) -> None:
    db.execute(insert(daily_deals).values(asdict(deal)))


def find_deal(db: Connection, day: str, game: str) -> Deal | None:
    row = db.execute(select(daily_deals).where(daily_deals.c.day == day, daily_deals.c.game == game)).one_or_none()
    return Deal(**row._mapping) if row else None


def recent_deals(db: Connection, before: str, most: int) -> Sequence[Row[Any, Any]]:
    """`day` and `game` of those on the days before this one, latest first."""
    earlier = select(daily_deals.c.day, daily_deals.c.game).where(daily_deals.c.day < before)
    return db.execute(earlier.order_by(daily_deals.c.day.desc(), daily_deals.c.game).limit(most)).all()


def name_champion(db: Connection, deal: Deal, replay: str) -> bool:
    """The agent's own game of a deal; whether there was none yet."""
    here = (daily_deals.c.day == deal.day) & (daily_deals.c.game == deal.game) & daily_deals.c.replay.is_(None)
    return db.execute(update(daily_deals).where(here).values(replay=replay)).rowcount > 0


# -- tries ------------------------------------------------------------------------------------------------------------


def add_try(db: Connection, table: Table) -> None:
    """The person at a new table has their try at its deal. A second one fails: there is a unique key on it."""
    (person,) = (seat.person for seat in table.seats if seat.kind == "person")
    fixed = {"table_id": table.id, "day": table.daily, "game": table.game.name, "person": person}
    db.execute(insert(daily_tries).values(**fixed, named=True, made_at=now()))


def day_of_table(db: Connection, id: str) -> str:
    """The day of the deal that is played at a table; empty for any other table."""
    return db.execute(select(daily_tries.c.day).where(daily_tries.c.table_id == id)).scalar_one_or_none() or ""


def days_finished(db: Connection, person: Person) -> Sequence[str]:
    """The days on which a person finished a deal in time."""
    in_time = games.c.finished_at <= daily_deals.c.closes_at
    found = select(daily_tries.c.day).join(daily_deals, OF_DEAL).join(games, games.c.table_id == daily_tries.c.table_id)
    return db.execute(found.where(daily_tries.c.person == person.id, daily_tries.c.named, in_time).distinct()).scalars().all()


# -- what is hidden ---------------------------------------------------------------------------------------------------


def is_hidden() -> ColumnElement[bool]:
    """Of a row of `games`: whether it shows the cards of a deal that is not closed yet."""
    played = exists().where(daily_tries.c.table_id == games.c.table_id, OF_DEAL, daily_deals.c.closes_at > now())
    by_agent = select(daily_deals.c.replay).where(daily_deals.c.replay.is_not(None), daily_deals.c.closes_at > now())
    return played | games.c.id.in_(by_agent)


# -- what is forgotten ------------------------------------------------------------------------------------------------


def shared_games(db: Connection, person: Person) -> Sequence[str]:
    """Finished games of daily deals: a ranking counts them, so they stay, without the name of the person."""
    mine = select(games.c.id).join(players).join(daily_tries, daily_tries.c.table_id == games.c.table_id)
    return db.execute(mine.where(players.c.person == person.id)).scalars().all()


def forget_tries(db: Connection, person: Person) -> None:
    """Take the name off the tries of a person. Who has had a try at a deal that still runs is known until it is closed."""
    mine = daily_tries.c.person == person.id
    over = tables.c.status == Status.OVER.value
    db.execute(delete(tables).where(tables.c.id.in_(select(daily_tries.c.table_id).where(mine)), over))
    db.execute(update(daily_tries).where(mine).values(named=False))
    db.execute(update(daily_tries).where(mine, exists().where(OF_DEAL, daily_deals.c.closes_at <= now())).values(person=None))
