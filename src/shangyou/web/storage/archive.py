"""Finished games: stored with who played, the result and what it did to the ratings; found, reviewed, deleted."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, Integer, Row, delete, func, insert, select, update

from shangyou.engines.reference import State
from shangyou.games import NOBODY
from shangyou.records import Record
from shangyou.records.jsonl import from_json, to_json
from shangyou.web.errors import Why
from shangyou.web.storage import daily_store
from shangyou.web.storage.daily_store import is_hidden
from shangyou.web.storage.database import lock, now
from shangyou.web.storage.people import Person, forget_person
from shangyou.web.storage.ratings import key_of, rate_people
from shangyou.web.storage.schema import games, matches, people, players, ratings, reviews, tables
from shangyou.web.table import FORGOTTEN, Refused, Status, Table

BOT = "bot"  # in place of the version of an agent, for a bot from outside
MOST_SHOWN = 1000  # games of a history; the export has them all
MOST_SENT = 200  # records a person may have here
LONGEST_NAME = 120  # of a record and of its players
LONGEST_RECORD = 32_768  # characters of its line


@dataclass(frozen=True)
class StoredGame:
    id: str
    line: str  # of JSON Lines; reading it plays the game again
    players: Sequence[Row[Any]]  # of the table `players`, by seat; none for a record that was sent
    think_ms: list[int | None]
    rated: bool
    finished_at: datetime

    @cached_property
    def record(self) -> Record:
        return from_json(json.loads(self.line))


# -- a game ends ------------------------------------------------------------------------------------------------------


def add_finished(db: Connection, table: Table, versions: Sequence[str]) -> None:
    """The game of a table that is over, under the id in `table.replay`; `versions` of the agents, by seat."""
    record = Record.from_state(table.state, [seat.name or "?" for seat in table.seats])
    _add_game(db, table.replay, record, table.think_times, table_id=table.id, rated=table.counts, kept=_may_export(db, table))
    after = rate_people(db, table) if table.counts else {}
    rows = [
        {
            "game_id": table.replay, "seat": number, "name": seat.name, "person": seat.person, "version": versions[number],
            "score": table.state.scores[number], "won": number in table.state.winners and not seat.stand_in,
            "rating": after.get(number), "role": _role(table.state, number),
        }
        for number, seat in enumerate(table.seats)
    ]  # fmt: skip
    db.execute(insert(players), rows)


def _role(state: State, seat: int) -> str:
    if state.landlord == NOBODY:
        return ""
    return "landlord" if seat == state.landlord else "peasant"


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


# -- records that people send -----------------------------------------------------------------------------------------


def add_record(db: Connection, id: str, record: Record, sender: Person) -> None:
    """A game somebody sent: for its replay only."""
    _check_record(record)
    lock(db, f"records {sender.id}")
    if _count_sent(db, sender) >= MOST_SENT:
        raise Refused("too_many_records", Why.records_stored(n=MOST_SENT))
    think_ms = [None] * len(record.turns)
    _add_game(db, id, record, think_ms, table_id=None, rated=False, kept=False, sent_by=sender.id)


def _check_record(record: Record) -> None:
    for name in (record.name, *record.players):
        if len(name) > LONGEST_NAME or not name.isprintable():
            raise Refused("bad_name", Why.record_name(n=LONGEST_NAME))
    if len(json.dumps(to_json(record))) > LONGEST_RECORD:
        raise Refused("too_long", Why.record_long(n=LONGEST_RECORD))


def _count_sent(db: Connection, sender: Person) -> int:
    return db.execute(select(func.count()).select_from(games).where(games.c.sent_by == sender.id)).scalar_one()


def records_sent(db: Connection, sender: Person) -> Sequence[Row[Any]]:
    """Rows of `games`, latest first."""
    return db.execute(select(games).where(games.c.sent_by == sender.id).order_by(games.c.finished_at.desc())).all()


def delete_record(db: Connection, id: str, sender: Person) -> bool:
    """Whether this person has sent it."""
    return db.execute(delete(games).where(games.c.id == id, games.c.sent_by == sender.id)).rowcount > 0


def sweep_records(db: Connection, sent_before: datetime) -> int:
    """Delete old ones; how many."""
    return db.execute(delete(games).where(games.c.table_id.is_(None), games.c.finished_at < sent_before)).rowcount


# -- finished games ---------------------------------------------------------------------------------------------------


def find_game(db: Connection, id: str) -> StoredGame | None:
    """A finished game; nothing as long as it shows the cards of a daily deal that is not closed."""
    row = db.execute(select(games).where(games.c.id == id, ~is_hidden())).one_or_none()
    if row is None:
        return None
    return StoredGame(row.id, row.record, players_of(db, id), row.think_ms, row.rated, row.finished_at)


def players_of(db: Connection, id: str) -> Sequence[Row[Any]]:
    return db.execute(select(players).where(players.c.game_id == id).order_by(players.c.seat)).all()


def games_of(db: Connection, person: Person) -> Sequence[Row[Any]]:
    """The history of a person, latest first: rows of `games` with those of the person's seat."""
    mine = select(games, players.c.seat, players.c.score, players.c.won, players.c.rating).join(players)
    return db.execute(
        mine.where(players.c.person == person.id, ~is_hidden()).order_by(games.c.finished_at.desc()).limit(MOST_SHOWN)
    ).all()


def strength_of(db: Connection, person: Person) -> Sequence[Row[Any]]:
    """Finished games of a person in each game and role: their number, wins and points."""
    sums = (
        func.count().label("games"),
        func.sum(players.c.won.cast(Integer)).label("wins"),
        func.sum(players.c.score).label("points"),
    )
    mine = select(games.c.game, players.c.role, *sums).join(players).where(players.c.person == person.id)
    return db.execute(mine.group_by(games.c.game, players.c.role).order_by(games.c.game, players.c.role)).all()


def records_of(db: Connection, person: Person) -> str:
    """All games of a person as JSON Lines."""
    mine = select(games.c.record).join(players).where(players.c.person == person.id, ~is_hidden()).order_by(games.c.finished_at)
    return "".join(f"{line}\n" for line in db.execute(mine).scalars())


# -- games are forgotten ----------------------------------------------------------------------------------------------


def forget_games(db: Connection, person: Person) -> int:
    """Delete games played alone against agents; take the name off games with others, which are never exported then.

    Those of daily deals count as games with others: rankings have them. Games that were given up are deleted too, and so are
    the ratings and duplicate matches. How many finished games there were.
    """
    own_match = matches.c.person == person.id
    seconds = select(tables.c.second).join(matches, matches.c.id == tables.c.match).where(own_match)
    db.execute(delete(games).where(games.c.id.in_(seconds)))
    db.execute(delete(matches).where(own_match))
    mine = select(players.c.game_id).where(players.c.person == person.id)
    finished = len(db.execute(mine).all())
    with_others = select(players.c.game_id).where(players.c.game_id.in_(mine), players.c.person != person.id)
    for id in {*db.execute(with_others).scalars(), *daily_store.shared_games(db, person)}:
        _forget_name(db, id, person)  # these are no longer `mine`
    daily_store.forget_tries(db, person)
    db.execute(delete(tables).where(tables.c.id.in_(select(games.c.table_id).where(games.c.id.in_(mine)))))
    db.execute(delete(games).where(games.c.id.in_(mine)))  # rows that refer to these go with them
    db.execute(delete(ratings).where(ratings.c.player == key_of(person.id)))
    for row in db.execute(select(tables.c.id, tables.c.seats).where(tables.c.status == Status.LEFT.value)).all():
        if any(seat["person"] == person.id for seat in row.seats):
            db.execute(delete(tables).where(tables.c.id == row.id))
    return finished


def forget_everything(db: Connection, person: Person) -> int:
    """Delete the person and all that is theirs; how many finished games there were."""
    finished = forget_games(db, person)
    db.execute(delete(games).where(games.c.sent_by == person.id))
    forget_person(db, person)
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


def last_reviews(db: Connection, person: Person, most: int) -> Sequence[Row[Any]]:
    """The last finished games of a person, latest first: rows of `games` with the person's seat, and any review.

    Without those in which the person did not make every play of the seat: games that were left, or that began in the middle.
    """
    mine = select(games, *(players.c[name] for name in ("seat", "role", "score", "won")), reviews.c.version, reviews.c.content)
    joined = mine.select_from(games.join(players).outerjoin(reviews, reviews.c.game_id == games.c.id))
    found = db.execute(
        joined.where(players.c.person == person.id, ~is_hidden()).order_by(games.c.finished_at.desc()).limit(most)
    )
    return [row for row in found if _all_played_by_person(row)]


def _all_played_by_person(row: Row[Any]) -> bool:
    """Whether think times are known of all turns of the seat: they are those of a person."""
    plays = json.loads(row.record)["plays"]
    return all(ms is not None for (seat, _), ms in zip(plays, row.think_ms, strict=True) if seat == row.seat)


def store_review(db: Connection, id: str, version: str, content: dict[str, Any]) -> None:
    """In place of any other; of a game that was forgotten meanwhile nothing is stored."""
    lock(db, f"review {id}")
    db.execute(delete(reviews).where(reviews.c.game_id == id))
    if db.execute(select(games.c.id).where(games.c.id == id)).one_or_none():
        db.execute(insert(reviews).values(game_id=id, version=version, content=content))
