"""Finished games: stored with who played, the result and what it did to the ratings; found, reviewed, deleted."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from shangyou.records import Record
from shangyou.records.jsonl import from_json, to_json
from shangyou.web.storage.database import now
from shangyou.web.storage.people import Person
from shangyou.web.storage.ratings import key_of, rate_people
from shangyou.web.storage.schema import games, matches, people, players, ratings, reviews, tables
from shangyou.web.table import Status, Table

MOST_SHOWN = 1000  # games of a history; the export has them all
FORGOTTEN = "somebody"  # in place of the name of a person who deleted their games


@dataclass(frozen=True, slots=True)
class StoredGame:
    id: str
    record: Record
    players: Sequence[Row[Any]]  # of the table `players`, by seat; none for a record that was sent
    think_ms: list[int | None]
    rated: bool
    finished_at: datetime


# -- a game ends ------------------------------------------------------------------------------------------------------


def add_finished(db: Connection, table: Table, versions: Sequence[str]) -> None:
    """The game of a table that is over, under the id in `table.replay`; `versions` of the agents, by seat."""
    record = Record.from_state(table.state, [seat.name or "?" for seat in table.seats])
    _add_game(db, table.replay, record, table.think_times, table_id=table.id, rated=table.counts, kept=_may_export(db, table))
    after = rate_people(db, table) if table.counts else {}
    rows = [
        {
            "game_id": table.replay, "seat": number, "name": seat.name, "person": seat.person, "version": versions[number],
            "score": table.state.scores[number], "rating": after.get(number),
            "won": number in table.state.winners and not seat.stand_in,
        }
        for number, seat in enumerate(table.seats)
    ]  # fmt: skip
    db.execute(insert(players), rows)


def add_record(db: Connection, id: str, record: Record) -> None:
    """A game somebody sent: for its replay only."""
    _add_game(db, id, record, [None] * len(record.turns), table_id=None, rated=False, kept=False)


def _add_game(db: Connection, id: str, record: Record, think_ms: Sequence[int | None], **columns: Any) -> None:
    values = {"id": id, "game": record.game.name, "rules": str(record.game.rules), "record": json.dumps(to_json(record))}
    db.execute(insert(games).values(**values, think_ms=list(think_ms), finished_at=now(), **columns))


def _may_export(db: Connection, table: Table) -> bool:
    """Whether people played to the end at the table and all of them allow it."""
    if any(seat.stand_in for seat in table.seats):
        return False
    ids = {seat.person for seat in table.seats if seat.kind == "person"}
    allow = db.execute(select(people.c.id).where(people.c.id.in_(ids), people.c.keep)).all()
    return bool(ids) and len(allow) == len(ids)


# -- finished games ---------------------------------------------------------------------------------------------------


def find_game(db: Connection, id: str) -> StoredGame | None:
    row = db.execute(select(games).where(games.c.id == id)).one_or_none()
    if row is None:
        return None
    record = from_json(json.loads(row.record))
    return StoredGame(row.id, record, players_of(db, id), row.think_ms, row.rated, row.finished_at)


def players_of(db: Connection, id: str) -> Sequence[Row[Any]]:
    return db.execute(select(players).where(players.c.game_id == id).order_by(players.c.seat)).all()


def games_of(db: Connection, person: Person) -> Sequence[Row[Any]]:
    """The history of a person, latest first: rows of `games` with those of the person's seat."""
    mine = select(games, players.c.seat, players.c.score, players.c.won, players.c.rating).join(players)
    return db.execute(mine.where(players.c.person == person.id).order_by(games.c.finished_at.desc()).limit(MOST_SHOWN)).all()


def records_of(db: Connection, person: Person) -> str:
    """All games of a person as JSON Lines."""
    mine = select(games.c.record).join(players).where(players.c.person == person.id).order_by(games.c.finished_at)
    return "".join(f"{line}\n" for line in db.execute(mine).scalars())


# -- games are forgotten ----------------------------------------------------------------------------------------------


def forget_games(db: Connection, person: Person) -> int:
    """Delete games played alone against agents; take the name off games with others, which are never exported then.

    Games that were given up are deleted too, and so are the ratings and duplicate matches. How many finished games there were.
    """
    own_match = matches.c.person == person.id
    seconds = select(tables.c.second).join(matches, matches.c.id == tables.c.match).where(own_match)
    db.execute(delete(games).where(games.c.id.in_(seconds)))
    db.execute(delete(matches).where(own_match))
    mine = select(players.c.game_id).where(players.c.person == person.id)
    finished = len(db.execute(mine).all())
    with_others = select(players.c.game_id).where(players.c.game_id.in_(mine), players.c.person != person.id)
    for id in set(db.execute(with_others).scalars()):
        _forget_name(db, id, person)  # these are no longer `mine`
    db.execute(delete(tables).where(tables.c.id.in_(select(games.c.table_id).where(games.c.id.in_(mine)))))
    db.execute(delete(games).where(games.c.id.in_(mine)))  # rows that refer to these go with them
    db.execute(delete(ratings).where(ratings.c.player == key_of(person.id)))
    for row in db.execute(select(tables.c.id, tables.c.seats).where(tables.c.status == Status.LEFT.value)).all():
        if any(seat["person"] == person.id for seat in row.seats):
            db.execute(delete(tables).where(tables.c.id == row.id))
    return finished


def _forget_name(db: Connection, id: str, person: Person) -> None:
    mine = (players.c.game_id == id) & (players.c.person == person.id)
    seats = db.execute(select(players.c.seat).where(mine)).scalars().all()
    record = json.loads(db.execute(select(games.c.record).where(games.c.id == id)).scalar_one())
    record["players"] = [FORGOTTEN if seat in seats else name for seat, name in enumerate(record["players"])]
    db.execute(update(players).where(mine).values(person=None, name=FORGOTTEN))
    db.execute(update(games).where(games.c.id == id).values(record=json.dumps(record), kept=False))


# -- reviews ----------------------------------------------------------------------------------------------------------


def find_review(db: Connection, id: str, version: str) -> dict[str, Any] | None:
    """The review by this version of an adviser."""
    here = (reviews.c.game_id == id) & (reviews.c.version == version)
    return db.execute(select(reviews.c.content).where(here)).scalar_one_or_none()


def store_review(db: Connection, id: str, version: str, content: dict[str, Any]) -> None:
    db.execute(delete(reviews).where(reviews.c.game_id == id))
    db.execute(insert(reviews).values(game_id=id, version=version, content=content))
