"""Ratings of people, season by season. Only games change them; agents have measured ratings, which stay fixed (`rated.py`)."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, and_, func, or_, select, update

from shangyou.evaluation.ratings import RatedGame, Rating, rate, rated_game
from shangyou.evaluation.strength import bot_ratings
from shangyou.web.storage.database import insert_missing
from shangyou.web.storage.people import Person
from shangyou.web.storage.schema import people, ratings
from shangyou.web.table import Seat, Table

SEASON = 2  # the open one; 1 has the ratings of people and agents before clocks and standard rules
DRIFT = 25 / 300  # uncertainty a game adds: people learn
SURE = ratings.c.mu - 3 * ratings.c.sigma  # almost certainly reached: the order of the ladder


class Placed(NamedTuple):
    """A row of `ratings`, the name to show and the place on the ladder, from 1."""

    row: Row[Any]
    name: str
    place: int


def key_of(person: int) -> str:
    return f"person:{person}"


# -- a game is rated --------------------------------------------------------------------------------------------------


def rate_people(db: Connection, table: Table) -> dict[int, float]:
    """Bring the ratings of the people of a finished game up to date; the new ones by seat."""
    names = [_player(seat) for seat in table.seats]
    game, after = rated_game(table.state, names), {}
    seen = {seat: rated for seat in range(len(names)) if (rated := _as_rated(table, seat, game, names[seat])) is not None}
    people = [name for name, seat in zip(names, table.seats, strict=True) if seat.person is not None]
    rows = _locked_rows(db, table, people, [names[seat] for seat in seen])
    known = {f"agent:{name}": rating for name, rating in bot_ratings(table.game).items()}
    known |= {name: Rating(row["mu"], row["sigma"]) for name, row in rows.items()}
    for seat, rated in seen.items():
        after[seat] = rate([rated], known, DRIFT)[names[seat]]
    for seat, rating in after.items():
        _count(rows[names[seat]], rating, table, seat)
        _store(db, rows[names[seat]])
    return {seat: rating.mu for seat, rating in after.items()}


def _player(seat: Seat) -> str:
    return f"agent:{seat.agent}" if seat.person is None else key_of(seat.person)


def _as_rated(table: Table, seat: int, game: RatedGame, name: str) -> RatedGame | None:
    """The game as it counts for a seat: who left has lost; a partner of one who left is unrated unless they win; agents are."""
    if table.seats[seat].person is None:
        return None
    if table.seats[seat].stand_in:
        return game.lost_by(name)
    sides = table.game.sides(table.state.landlord)
    deserted = any(one.stand_in for one, side in zip(table.seats, sides, strict=True) if side == sides[seat])
    return None if deserted and seat not in table.state.winners else game


def _locked_rows(db: Connection, table: Table, people: Sequence[str], rated: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The rows of these people, those that are rated now with a new one if they have none.

    No other game changes them before the transaction ends. They are made and locked in the order of their keys: games that
    end at the same moment wait for each other, but never in a circle.
    """
    new = {"season": SEASON, "game": table.game.name, "wins": 0, "points": 0} | asdict(Rating())
    insert_missing(db, ratings, [new | {"player": name} for name in sorted(rated)])
    mine = ratings.c.season == SEASON, ratings.c.game == table.game.name, ratings.c.player.in_(people)
    stored = db.execute(select(ratings).where(*mine).order_by(ratings.c.player).with_for_update())
    return {name: new | {"player": name} for name in people} | {row.player: row._asdict() for row in stored}


def _count(row: dict[str, Any], rating: Rating, table: Table, seat: int) -> None:
    """Who left has won neither the game nor points."""
    left, points = bool(table.seats[seat].stand_in), table.state.scores[seat]
    row |= {"mu": rating.mu, "sigma": rating.sigma, "games": row["games"] + 1}
    row["wins"] += seat in table.state.winners and not left
    row["points"] += min(0, points) if left else points


def _store(db: Connection, row: dict[str, Any]) -> None:
    key = (ratings.c.season == row["season"]) & (ratings.c.game == row["game"]) & (ratings.c.player == row["player"])
    db.execute(update(ratings).where(key).values(row))


# -- the ladder -------------------------------------------------------------------------------------------------------


def list_ratings(db: Connection, game: str, season: int, limit: int, offset: int) -> list[Placed]:
    """Part of the ladder, best first."""
    rows = db.execute(_ladder(game, season).order_by(SURE.desc(), ratings.c.player).limit(limit).offset(offset)).all()
    names = _nicknames(db, rows)
    return [Placed(row, names[row.player], place) for place, row in enumerate(rows, offset + 1)]


def rating_of(db: Connection, game: str, season: int, person: Person) -> Placed | None:
    """The row of a person, wherever it is on the ladder."""
    row = db.execute(_ladder(game, season).where(ratings.c.player == key_of(person.id))).one_or_none()
    if row is None:
        return None
    mine = row.mu - 3 * row.sigma
    above = or_(mine < SURE, and_(mine == SURE, ratings.c.player < row.player))
    return Placed(row, person.nickname, 1 + _count_rows(db, _ladder(game, season).where(above)))


def count_ratings(db: Connection, game: str, season: int) -> int:
    return _count_rows(db, _ladder(game, season))


def _ladder(game: str, season: int) -> Select[Any]:
    return select(ratings).where(ratings.c.season == season, ratings.c.game == game)


def _count_rows(db: Connection, rows: Select[Any]) -> int:
    return db.execute(select(func.count()).select_from(rows.subquery())).scalar_one()


def _nicknames(db: Connection, rows: Sequence[Row[Any]]) -> dict[str, str]:
    """The name to show of each player."""
    ids = [int(row.player.removeprefix("person:")) for row in rows if row.player.startswith("person:")]
    known = {key_of(id): name for id, name in db.execute(select(people.c.id, people.c.nickname).where(people.c.id.in_(ids)))}
    return {row.player: known.get(row.player, row.player.removeprefix("agent:")) for row in rows}
