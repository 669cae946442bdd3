"""Running tables in the database: each is stored as its deal and its actions, and restored by repeating them."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from shangyou import games
from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.records.jsonl import deal_from_json, deal_to_json
from shangyou.web.clock import Clock
from shangyou.web.storage import daily_store
from shangyou.web.storage.database import now
from shangyou.web.storage.people import Person
from shangyou.web.storage.schema import actions, sitters, tables
from shangyou.web.table import Seat, Status, Table

MOST_IDLE = 200
MOST_SHOWN = 20  # of the tables of a person
RUNS = tables.c.status.in_(("open", "running"))


def add_table(db: Connection, table: Table, first: State, store_deal: bool) -> None:
    """A new table that began at `first`. The deal is stored where it is not that of the seed."""
    deal = deal_to_json(table.game, first.start) if store_deal else None
    fixed = {"game": table.game.name, "rules": str(table.game.rules), "pace": table.pace}
    fixed |= {"match": table.match or None, "number": table.number or None, "listed": table.listed}
    fixed |= {"clock": asdict(table.clock) if table.clock else None}
    values = {"id": table.id, "deal": deal, "made_at": now(), **fixed, **_changing(table)}
    db.execute(insert(tables).values(values))
    _add_sitters(db, table)
    add_actions(db, table, 0)
    if table.daily:
        daily_store.add_try(db, table)


def add_actions(db: Connection, table: Table, since: int) -> None:
    """The actions since a version. Their number is part of the key, so storing one twice fails."""
    for number, action in enumerate(table.actions[since:], since):
        values = action._asdict() | {"cards": table.game.deck.format(action.cards)}
        db.execute(insert(actions).values(table_id=table.id, number=number, **values))


def change_table(db: Connection, table: Table) -> None:
    """All that can change besides the actions."""
    db.execute(update(tables).where(tables.c.id == table.id).values(_changing(table)))


def change_sitters(db: Connection, table: Table) -> None:
    db.execute(delete(sitters).where(sitters.c.table_id == table.id))
    _add_sitters(db, table)


def _add_sitters(db: Connection, table: Table) -> None:
    rows = [{"table_id": table.id, "person": table.seats[seat].person} for seat in table.people]
    if rows:
        db.execute(insert(sitters), rows)


def _changing(table: Table) -> dict[str, Any]:
    seats = [asdict(seat) for seat in table.seats]
    status = "running" if table.running else table.status.value  # the actions say whether bids or plays are due
    unattended = table.clock is not None or any(seat.stand_in for seat in table.seats)
    when_dealt = {"hints": table.hints, "seed": table.state.seed}
    later = {"rated": table.rated, "replay": table.replay, "rematch": table.rematch, "unattended": unattended}
    return {"seats": seats, "status": status, "touched_at": now(), **when_dealt, **later}


def find_table(db: Connection, id: str) -> Table | None:
    row = db.execute(select(tables).where(tables.c.id == id)).one_or_none()
    if row is None:
        return None
    game = games.load_text(row.game, row.rules)
    state = reference.deal(game, row.seed)
    if row.deal is not None:
        state = reference.start(game, deal_from_json(game, row.deal), row.seed)
    seats = tuple(Seat(**seat) for seat in row.seats)
    left = row.status == Status.LEFT.value
    table = Table(row.id, state, seats, row.hints, row.pace, row.rated, left=left, replay=row.replay)
    clock = Clock(**row.clock) if row.clock else None
    table = replace(table, match=row.match or "", number=row.number or 0, listed=row.listed, clock=clock, rematch=row.rematch)
    table = replace(table, daily=daily_store.day_of_table(db, id))
    for one in db.execute(select(actions).where(actions.c.table_id == id).order_by(actions.c.number)):
        table = table.bid(one.value, one.think_ms) if one.kind == "bid" else table.put(one.cards, one.think_ms)
    return table


def idle_tables(db: Connection, untouched_since: datetime) -> Sequence[str]:
    """Tables that are not over and at which nobody has acted since; not too many at once."""
    idle = RUNS & (tables.c.touched_at < untouched_since)
    return db.execute(select(tables.c.id).where(idle).order_by(tables.c.touched_at).limit(MOST_IDLE)).scalars().all()


def unattended_tables(db: Connection) -> Sequence[str]:
    """Games that go on when nobody looks."""
    return db.execute(select(tables.c.id).where(tables.c.status == "running", tables.c.unattended)).scalars().all()


def tables_of(db: Connection, person: Person, most: int | None = MOST_SHOWN) -> Sequence[str]:
    """The tables at which a person or bot plays or waits, latest first."""
    mine = select(tables.c.id).join(sitters).where(sitters.c.person == person.id, RUNS)
    return db.execute(mine.order_by(tables.c.touched_at.desc()).limit(most)).scalars().all()


def count_tables(db: Connection) -> int:
    return db.execute(select(func.count()).select_from(tables).where(RUNS)).scalar_one()
