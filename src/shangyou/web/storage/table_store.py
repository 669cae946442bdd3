"""Running tables in the database: each is stored as its deal and its actions, and restored by repeating them."""

from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from shangyou import games
from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.records.jsonl import deal_from_json, deal_to_json
from shangyou.web.storage.database import now
from shangyou.web.storage.people import Person
from shangyou.web.storage.schema import actions, tables
from shangyou.web.table import Seat, Status, Table

RUNS = tables.c.status.in_(("open", "running"))


def add_table(db: Connection, table: Table, first: State, store_deal: bool) -> None:
    """A new table that began at `first`. The deal is stored where it is not that of the seed."""
    deal = deal_to_json(table.game, first.start) if store_deal else None
    fixed = {"game": table.game.name, "rules": str(table.game.rules), "hints": table.hints, "pace": table.pace}
    fixed |= {"match": table.match or None, "number": table.number or None}
    values = {"id": table.id, "seed": first.seed, "deal": deal, "made_at": now(), **fixed, **_changing(table)}
    db.execute(insert(tables).values(values))
    add_actions(db, table, 0)


def add_actions(db: Connection, table: Table, since: int) -> None:
    """The actions since a version. Their number is part of the key, so storing one twice fails."""
    for number, action in enumerate(table.actions[since:], since):
        values = action._asdict() | {"cards": table.game.deck.format(action.cards)}
        db.execute(insert(actions).values(table_id=table.id, number=number, **values))


def change_table(db: Connection, table: Table) -> None:
    """All that can change besides the actions."""
    db.execute(update(tables).where(tables.c.id == table.id).values(_changing(table)))


def _changing(table: Table) -> dict[str, Any]:
    seats = [asdict(seat) for seat in table.seats]
    status = "running" if table.running else table.status.value  # the actions say whether bids or plays are due
    return {"seats": seats, "rated": table.rated, "status": status, "replay": table.replay, "touched_at": now()}


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
    table = replace(table, match=row.match or "", number=row.number or 0)
    for one in db.execute(select(actions).where(actions.c.table_id == id).order_by(actions.c.number)):
        table = table.bid(one.value, one.think_ms) if one.kind == "bid" else table.put(one.cards, one.think_ms)
    return table


def leave_tables(db: Connection, untouched_since: datetime) -> int:
    """Give up the tables at which nobody has acted since; how many."""
    idle = RUNS & (tables.c.touched_at < untouched_since)
    return db.execute(update(tables).where(idle).values(status=Status.LEFT.value)).rowcount


def tables_of(db: Connection, person: Person) -> list[str]:
    """The ids of the running tables at which a person or bot sits."""
    rows = db.execute(select(tables.c.id, tables.c.seats).where(RUNS).order_by(tables.c.made_at)).all()
    return [row.id for row in rows if any(seat["person"] == person.id for seat in row.seats)]


def count_tables(db: Connection) -> int:
    return db.execute(select(func.count()).select_from(tables).where(RUNS)).scalar_one()
