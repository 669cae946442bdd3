"""Running tables in the database: enough of each to find it again as it was."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from shangyou import games as rulebook
from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.games import Deal, Game
from shangyou.web.schema import actions, tables
from shangyou.web.storage import now
from shangyou.web.table import Action, ActionKind, Seat, SeatKind, Status, Table, again


def load_game(name: str, rules: str) -> Game:
    return rulebook.load_text(name, rules)


def add_table(db: Connection, table: Table, first: State, given: bool) -> None:
    """A new table that began at `first`; its cards are kept if they were given, else the seed says them."""
    values = {
        "id": table.id, "game": table.game.name, "rules": str(table.game.rules), "seed": first.seed,
        "deal": _deal_out(table.game, first.start) if given else None, "seats": _seats_out(table), "hints": table.hints,
        "pace": table.pace, "rated": table.rated, "status": _kept_status(table), "replay": "",
        "made_at": now(), "touched_at": now(),
    }  # fmt: skip
    db.execute(insert(tables).values(values))
    for number, action in enumerate(table.actions):
        add_action(db, table, number, action)


def add_action(db: Connection, table: Table, number: int, action: Action) -> None:
    """The key of the row is the table and the number: what is done twice fails."""
    cards = table.game.deck.format(action.cards)
    values = {"table_id": table.id, "number": number, "seat": action.seat, "kind": action.kind.value, "value": action.value}
    db.execute(insert(actions).values({**values, "cards": cards, "think_ms": action.think_ms}))


def change_table(db: Connection, table: Table) -> None:
    """All that is not an action; and that somebody is still there."""
    values = {"seats": _seats_out(table), "rated": table.rated, "status": _kept_status(table), "replay": table.replay}
    db.execute(update(tables).where(tables.c.id == table.id).values({**values, "touched_at": now()}))


def find_table(db: Connection, id: str) -> Table | None:
    row = db.execute(select(tables).where(tables.c.id == id)).one_or_none()
    if row is None:
        return None
    done = db.execute(select(actions).where(actions.c.table_id == id).order_by(actions.c.number)).all()
    return _restore(row, done)


def leave_tables(db: Connection, untouched_since: datetime) -> int:
    """Tables that everybody has left are given up; how many."""
    running = tables.c.status.in_(("open", "running")) & (tables.c.touched_at < untouched_since)
    return db.execute(update(tables).where(running).values(status=Status.LEFT.value)).rowcount


def count_tables(db: Connection) -> int:
    return db.execute(select(func.count()).select_from(tables).where(tables.c.status.in_(("open", "running")))).scalar_one()


def _kept_status(table: Table) -> str:
    """Whether bids or plays are due follows from the actions."""
    return "running" if table.running else table.status.value


def _restore(row: Row[Any], done: Any) -> Table:
    game = load_game(row.game, row.rules)
    state = reference.deal(game, row.seed)
    if row.deal is not None:
        state = reference.start(game, _deal_in(game, row.deal), row.seed)
    seats = tuple(Seat(SeatKind(seat["kind"]), seat["name"], seat["person"]) for seat in row.seats)
    left = row.status == Status.LEFT.value
    table = Table(row.id, state, seats, row.hints, row.pace, row.rated, left=left, replay=row.replay)
    for one in done:
        table = again(table, Action(one.seat, ActionKind(one.kind), one.value, game.deck.parse(one.cards), one.think_ms))
    return table


def _seats_out(table: Table) -> list[dict[str, Any]]:
    return [{"kind": seat.kind.value, "name": seat.name, "person": seat.person} for seat in table.seats]


def _deal_out(game: Game, deal: Deal) -> dict[str, Any]:
    text = game.deck.format
    return {"hands": [text(hand) for hand in deal.hands], "public": text(deal.public), "first": deal.first}


def _deal_in(game: Game, kept: dict[str, Any]) -> Deal:
    read = game.deck.parse
    return game.make_deal(tuple(read(hand) for hand in kept["hands"]), read(kept["public"]), kept["first"])
