"""Duplicate matches in the database. Every deal of one is a table, which knows its match; what it says of scores is that of
finished games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from shangyou import games
from shangyou.games import Game
from shangyou.web.storage import archive
from shangyou.web.storage.database import now
from shangyou.web.storage.people import Person
from shangyou.web.storage.schema import matches, people, players, tables
from shangyou.web.table import Table

MOST_SHOWN = 20  # matches of a person
LANDLORD = 0


@dataclass(frozen=True, slots=True)
class Match:
    id: str
    person: int
    game: str
    rules: str
    deals: int
    opponent: str
    partner: str
    hints: bool
    pace: int

    def load_game(self) -> Game:
        return games.load_text(self.game, self.rules)


def add_match(db: Connection, match: Match) -> None:
    db.execute(insert(matches).values(**asdict(match), made_at=now()))


def find_match(db: Connection, id: str) -> Row[Any] | None:
    """The row of a match, with the nickname of its person."""
    return db.execute(_named().where(matches.c.id == id)).one_or_none()


def matches_of(db: Connection, person: Person) -> Sequence[Row[Any]]:
    """Latest first."""
    return db.execute(_named().where(matches.c.person == person.id).order_by(matches.c.made_at.desc()).limit(MOST_SHOWN)).all()


def _named() -> Any:
    return select(matches, people.c.nickname).join(people)


def match_of(row: Row[Any]) -> Match:
    return Match(**{name: getattr(row, name) for name in Match.__slots__})


def deals_of(db: Connection, id: str) -> Sequence[Row[Any]]:
    """The deals so far, in order: rows of `tables`, with the landlord's score at both tables where it is known."""
    first, second = players.alias(), players.alias()
    joined = tables.outerjoin(first, (first.c.game_id == tables.c.replay) & (first.c.seat == LANDLORD)).outerjoin(
        second, (second.c.game_id == tables.c.second) & (second.c.seat == LANDLORD)
    )
    columns = select(tables, first.c.score.label("first_score"), second.c.score.label("second_score")).select_from(joined)
    return db.execute(columns.where(tables.c.match == id).order_by(tables.c.number)).all()


def add_second(db: Connection, first: str, second: Table, versions: Sequence[str]) -> None:
    """The game of the second table of a deal, whose first table is `first`; nothing if there is one already."""
    free = (tables.c.id == first) & tables.c.second.is_(None)
    if db.execute(update(tables).where(free).values(second=second.replay)).rowcount:
        archive.add_finished(db, second, versions)
