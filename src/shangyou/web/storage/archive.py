"""Finished games: kept with who played, what came of it and what it did to the ratings; shown, exported, forgotten."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from shangyou.evaluation.ratings import Rating, rate, rated_game
from shangyou.records import Record
from shangyou.records.jsonl import from_json, to_json
from shangyou.web.storage.database import now
from shangyou.web.storage.people import Person
from shangyou.web.storage.schema import actions, games, people, players, ratings, reviews, tables
from shangyou.web.tables.table_value import Seat, SeatKind, Status, Table

DRIFT = 25 / 300  # uncertainty a game adds: people learn
MOST_SHOWN = 1000  # games of a history; the export has them all
FORGOTTEN = "somebody"  # in the place of a name that was asked to be forgotten


@dataclass(frozen=True, slots=True)
class KeptGame:
    id: str
    record: Record
    players: list[dict[str, Any]]  # name, kind, version, score, won
    think_ms: list[int | None]
    rated: bool
    finished_at: datetime


# -- a game ends ------------------------------------------------------------------------------------------------------


def keep_finished(db: Connection, table: Table, versions: Sequence[str]) -> None:
    """The game of a table that is over, under the id its table names."""
    record = Record.from_state(table.state, [seat.name or "?" for seat in table.seats])
    kept = all(_may_keep(db, seat) for seat in table.seats)
    _add_game(db, table.replay, record, table.think_times, table_id=table.id, rated=table.rated, kept=kept)
    after = _rate(db, table) if table.rated else {}
    rows = [
        {
            "game_id": table.replay, "seat": number, "name": seat.name, "person": seat.person, "version": versions[number],
            "score": table.state.scores[number], "won": number in table.state.winners, "rating": after.get(player_key(seat)),
        }
        for number, seat in enumerate(table.seats)
    ]  # fmt: skip
    db.execute(insert(players), rows)


def keep_record(db: Connection, id: str, record: Record) -> None:
    """A game somebody sent: for its replay only."""
    _add_game(db, id, record, [None] * len(record.turns), table_id=None, rated=False, kept=False)


def _add_game(
    db: Connection, id: str, record: Record, think_ms: Sequence[int | None], *, table_id: str | None, rated: bool, kept: bool
) -> None:
    values = {"id": id, "game": record.game.name, "rules": str(record.game.rules), "record": json.dumps(to_json(record))}
    times = {"think_ms": list(think_ms), "finished_at": now()}
    db.execute(insert(games).values({**values, **times, "table_id": table_id, "rated": rated, "kept": kept}))


def _may_keep(db: Connection, seat: Seat) -> bool:
    if seat.kind is SeatKind.AGENT:
        return True
    return bool(db.execute(select(people.c.keep).where(people.c.id == seat.person)).scalar_one_or_none())


# -- ratings ----------------------------------------------------------------------------------------------------------


def player_key(seat: Seat) -> str:
    return f"agent:{seat.name}" if seat.kind is SeatKind.AGENT else f"person:{seat.person}"


def _rate(db: Connection, table: Table) -> dict[str, float]:
    """What the game does to the ratings of those who played it; the new ones."""
    state, names = table.state, [player_key(seat) for seat in table.seats]
    here = (ratings.c.game == table.game.name) & ratings.c.player.in_(names)
    rows = {row.player: row for row in db.execute(select(ratings).where(here))}
    known = {name: Rating(row.mu, row.sigma, row.games) for name, row in rows.items()}
    after = rate([rated_game(state, names)], known, DRIFT)
    db.execute(delete(ratings).where(here))
    for name in dict.fromkeys(names):
        seats = [number for number, other in enumerate(names) if other == name]
        old, new = rows.get(name), after[name]
        values = {
            "game": table.game.name, "player": name, "mu": new.mu, "sigma": new.sigma,
            "games": (old.games if old else 0) + len(seats),
            "wins": (old.wins if old else 0) + sum(seat in state.winners for seat in seats),
            "points": (old.points if old else 0) + sum(state.scores[seat] for seat in seats),
        }  # fmt: skip
        db.execute(insert(ratings).values(values))
    return {name: after[name].mu for name in names}


def list_ratings(db: Connection, game: str) -> list[dict[str, Any]]:
    """Everybody rated in a game, with the name to show."""
    rows = db.execute(select(ratings).where(ratings.c.game == game)).all()
    numbers = [int(row.player.partition(":")[2]) for row in rows if row.player.startswith("person:")]
    known = db.execute(select(people.c.id, people.c.nickname).where(people.c.id.in_(numbers)))
    nicknames = {row.id: row.nickname for row in known}
    return [_rating_row(row, nicknames) for row in rows]


def _rating_row(row: Row[Any], nicknames: dict[int, str]) -> dict[str, Any]:
    kind, _, name = row.player.partition(":")
    person = int(name) if kind == "person" else None
    shown = name if person is None else nicknames.get(person, FORGOTTEN)
    numbers = {"mu": row.mu, "sigma": row.sigma, "games": row.games, "wins": row.wins, "points": row.points}
    return {"name": shown, "kind": kind, "person": person, **numbers}


# -- finished games ---------------------------------------------------------------------------------------------------


def find_game(db: Connection, id: str) -> KeptGame | None:
    row = db.execute(select(games).where(games.c.id == id)).one_or_none()
    return _kept_game(db, row) if row else None


def _kept_game(db: Connection, row: Row[Any]) -> KeptGame:
    record = from_json(json.loads(row.record))
    seated = db.execute(select(players).where(players.c.game_id == row.id).order_by(players.c.seat)).all()
    return KeptGame(row.id, record, [_player(one) for one in seated], row.think_ms, row.rated, row.finished_at)


def _player(row: Row[Any]) -> dict[str, Any]:
    kind = "agent" if row.version else "person"
    return {"name": row.name, "kind": kind, "version": row.version, "score": row.score, "won": row.won}


def games_of(db: Connection, person: Person) -> list[dict[str, Any]]:
    """The history of a person, latest first."""
    mine = select(games, players.c.seat, players.c.score, players.c.won, players.c.rating).join(players)
    rows = db.execute(mine.where(players.c.person == person.id).order_by(games.c.finished_at.desc()).limit(MOST_SHOWN)).all()
    return [
        {
            "replay": row.id, "game": row.game, "rules": row.rules, "finished_at": row.finished_at, "seat": row.seat,
            "score": row.score, "won": row.won, "rating": row.rating, "rated": row.rated,
            "players": json.loads(row.record)["players"],
        }
        for row in rows
    ]  # fmt: skip


def records_of(db: Connection, person: Person) -> str:
    """All games of a person as JSON Lines."""
    mine = select(games.c.record).join(players).where(players.c.person == person.id).order_by(games.c.finished_at)
    return "".join(f"{line}\n" for line in db.execute(mine).scalars())


def forget_games(db: Connection, person: Person) -> int:
    """Games played alone against agents are deleted; from games with others the name goes, and nobody gets them.

    Games that were given up go too. How many finished games it were.
    """
    ids = db.execute(select(players.c.game_id).where(players.c.person == person.id)).scalars().all()
    shared = select(players.c.game_id).where(
        players.c.game_id.in_(ids), players.c.person.is_not(None), players.c.person != person.id
    )
    with_others = set(db.execute(shared).scalars())
    for id in ids:
        if id in with_others:
            _forget_name(db, id, person)
        else:
            _delete_game(db, id)
    db.execute(delete(ratings).where(ratings.c.player == f"person:{person.id}"))
    for row in db.execute(select(tables.c.id, tables.c.seats).where(tables.c.status == Status.LEFT.value)).all():
        if any(seat["person"] == person.id for seat in row.seats):
            _delete_table(db, row.id)
    return len(ids)


def _forget_name(db: Connection, id: str, person: Person) -> None:
    mine = (players.c.game_id == id) & (players.c.person == person.id)
    seats = db.execute(select(players.c.seat).where(mine)).scalars().all()
    record = json.loads(db.execute(select(games.c.record).where(games.c.id == id)).scalar_one())
    record["players"] = [FORGOTTEN if seat in seats else name for seat, name in enumerate(record["players"])]
    db.execute(update(players).where(mine).values(person=None, name=FORGOTTEN))
    db.execute(update(games).where(games.c.id == id).values(record=json.dumps(record), kept=False))


def _delete_game(db: Connection, id: str) -> None:
    table = db.execute(select(games.c.table_id).where(games.c.id == id)).scalar_one()
    for rows in (players.c.game_id == id, reviews.c.game_id == id, games.c.id == id):
        db.execute(delete(rows.left.table).where(rows))
    _delete_table(db, table)


def _delete_table(db: Connection, id: str) -> None:
    db.execute(delete(actions).where(actions.c.table_id == id))
    db.execute(delete(tables).where(tables.c.id == id))


# -- reviews ----------------------------------------------------------------------------------------------------------


def find_review(db: Connection, id: str, version: str) -> dict[str, Any] | None:
    """A review that was made by this judge."""
    here = (reviews.c.game_id == id) & (reviews.c.version == version)
    return db.execute(select(reviews.c.content).where(here)).scalar_one_or_none()


def keep_review(db: Connection, id: str, version: str, content: dict[str, Any]) -> None:
    db.execute(delete(reviews).where(reviews.c.game_id == id))
    db.execute(insert(reviews).values(game_id=id, version=version, content=content))


# -- for training -----------------------------------------------------------------------------------------------------


def kept_games(db: Connection) -> Iterator[dict[str, Any]]:
    """Games people played and let others learn from. People go unnamed, agents with their versions."""
    rows: Iterable[Row[Any]] = db.execute(select(games).where(games.c.kept).order_by(games.c.finished_at))
    for row in rows:
        seated = db.execute(select(players).where(players.c.game_id == row.id).order_by(players.c.seat)).all()
        names = [f"{one.name}@{one.version}" if one.version else "human" for one in seated]
        record = json.loads(row.record) | {"players": names}
        yield {"id": row.id, "record": record, "think_ms": row.think_ms, "rated": row.rated, "finished_at": row.finished_at}
