"""Running tables in the database: each is stored as its deal and its actions, and restored by repeating them."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, exists, func, insert, select, update

from shangyou import games
from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.records.jsonl import deal_from_json, deal_to_json
from shangyou.web.clock import Clock
from shangyou.web.storage import daily_store
from shangyou.web.storage.database import now
from shangyou.web.storage.people import Person
from shangyou.web.storage.schema import actions, sitters, tables, watchers
from shangyou.web.table import Seat, Status, Table

SAME = ("hints", "rated", "replay", "listed", "rematch", "revision", "turned_at", "keeper")  # as they are stored
MOST_IDLE = 200
MOST_LISTED = 200
MOST_SHOWN = 20  # of the tables of a person
CHANNEL = "shangyou"  # of NOTIFY
RUNS = tables.c.status.in_(("open", "running"))


class Conflict(Exception):
    """The table has been changed by another process meanwhile."""


def add_table(db: Connection, table: Table, first: State, store_deal: bool) -> None:
    """A new table that began at `first`. The deal is stored where it is not that of the seed."""
    deal = deal_to_json(table.game, first.start) if store_deal else None
    fixed = {"game": table.game.name, "rules": str(table.game.rules), "pace": table.pace}
    fixed |= {"match": table.match or None, "number": table.number or None, "listed": table.listed}
    fixed |= {"clock": asdict(table.clock) if table.clock else None}
    values = {"id": table.id, "deal": deal, "made_at": now(), **fixed, **_changing(table)}
    db.execute(insert(tables).values(values))
    _add_sitters(db, table)
    _add_actions(db, table, 0)
    if table.daily:
        daily_store.add_try(db, table)


def change_table(db: Connection, table: Table, before: Table) -> None:
    """What has changed since `before`, which must be what the database has: else a `Conflict`.

    The row is changed first, and locked by that: who changes the same table waits, and then finds another revision.
    """
    here = (tables.c.id == table.id) & (tables.c.revision == before.revision)
    if db.execute(update(tables).where(here).values(_changing(table))).rowcount == 0:
        raise Conflict(table.id)
    _add_actions(db, table, before.version)
    if table.people != before.people:
        db.execute(delete(sitters).where(sitters.c.table_id == table.id))
        _add_sitters(db, table)


def notify(db: Connection, news: str) -> None:
    """Tell the other processes, once this transaction is committed, what they should read again. They may not hear it.

    PostgreSQL commits such transactions one after another, so it is not done for tables that no other process has open.
    """
    if db.dialect.name == "postgresql":
        db.execute(select(func.pg_notify(CHANNEL, news)))


def _add_actions(db: Connection, table: Table, since: int) -> None:
    """The actions since a version. Their number is part of the key, so storing one twice fails."""
    for number, action in enumerate(table.actions[since:], since):
        values = action._asdict() | {"cards": table.game.deck.format(action.cards)}
        db.execute(insert(actions).values(table_id=table.id, number=number, **values))


def _add_sitters(db: Connection, table: Table) -> None:
    rows = [{"table_id": table.id, "person": table.seats[seat].person} for seat in table.people]
    if rows:
        db.execute(insert(sitters), rows)


def _changing(table: Table) -> dict[str, Any]:
    seats = [asdict(seat) for seat in table.seats]
    status = "running" if table.running else table.status.value  # the actions say whether bids or plays are due
    unattended = table.clock is not None or any(seat.stand_in for seat in table.seats)
    when_dealt = {"hints": table.hints, "seed": table.state.seed}
    changed = {"revision": table.revision, "turned_at": table.turned_at, "keeper": table.keeper}
    later = changed | {"rated": table.rated, "replay": table.replay, "rematch": table.rematch, "unattended": unattended}
    return {"seats": seats, "status": status, "touched_at": now(), **when_dealt, **later}


def find_table(db: Connection, id: str, known: Table | None = None) -> Table | None:
    """The table as it is stored; what is `known` of it already is not read and played again."""
    row = db.execute(select(tables).where(tables.c.id == id)).one_or_none()
    if row is None:
        return None
    if known is None or known.state.seed != row.seed:  # cards are dealt, from a seed of their own, when the last seat is taken
        game = games.load_text(row.game, row.rules)
        state = reference.deal(game, row.seed)
        if row.deal is not None:
            state = reference.start(game, deal_from_json(game, row.deal), row.seed)
        daily = daily_store.day_of_table(db, id)
        known = Table(id, state, (), pace=row.pace, match=row.match or "", number=row.number or 0, daily=daily)
    seats, clock = tuple(Seat(**seat) for seat in row.seats), Clock(**row.clock) if row.clock else None
    same = {name: getattr(row, name) for name in SAME}
    table = replace(known, seats=seats, left=row.status == Status.LEFT.value, clock=clock, **same)
    unknown = (actions.c.table_id == id) & (actions.c.number >= known.version)
    for one in db.execute(select(actions).where(unknown).order_by(actions.c.number)):
        table = table.bid(one.value, one.think_ms) if one.kind == "bid" else table.put(one.cards, one.think_ms)
    return table


def revisions(db: Connection, ids: Sequence[str]) -> dict[str, int]:
    """Of those of these tables that there are."""
    return {row.id: row.revision for row in db.execute(select(tables.c.id, tables.c.revision).where(tables.c.id.in_(ids)))}


def idle_tables(db: Connection, untouched_since: datetime) -> Sequence[str]:
    """Tables that are not over and at which nobody has acted since; not too many at once."""
    idle = RUNS & (tables.c.touched_at < untouched_since)
    return db.execute(select(tables.c.id).where(idle).order_by(tables.c.touched_at).limit(MOST_IDLE)).scalars().all()


def abandoned_tables(db: Connection, alive: Iterable[str]) -> Sequence[str]:
    """Games that go on when nobody looks, whose keeper is none of these processes."""
    found = select(tables.c.id).where(tables.c.status == "running", tables.c.unattended, tables.c.keeper.not_in(list(alive)))
    return db.execute(found).scalars().all()


def listed_tables(db: Connection, opened_since: datetime) -> Sequence[str]:
    """Public tables with a free seat which somebody has open, or that were changed since."""
    watched = exists().where(watchers.c.table_id == tables.c.id)
    found = select(tables.c.id).where(
        tables.c.status == "open", tables.c.listed, watched | (tables.c.touched_at > opened_since)
    )
    return db.execute(found.order_by(tables.c.touched_at.desc()).limit(MOST_LISTED)).scalars().all()


def tables_of(db: Connection, person: Person, most: int | None = MOST_SHOWN) -> Sequence[str]:
    """The tables at which a person or bot plays or waits, latest first."""
    mine = select(tables.c.id).join(sitters).where(sitters.c.person == person.id, RUNS)
    return db.execute(mine.order_by(tables.c.touched_at.desc()).limit(most)).scalars().all()


def count_tables(db: Connection) -> int:
    return db.execute(select(func.count()).select_from(tables).where(RUNS)).scalar_one()
