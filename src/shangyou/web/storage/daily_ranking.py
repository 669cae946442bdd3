"""Results of daily deals: the ranking of each, a person's own results, the game of the agent everybody is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, Subquery, case, func, select, tuple_

from shangyou.web.daily import SEAT
from shangyou.web.storage import archive, daily_store
from shangyou.web.storage.daily_store import OF_DEAL, Deal
from shangyou.web.storage.database import now
from shangyou.web.storage.people import Person
from shangyou.web.storage.schema import daily_deals, daily_tries, games, people, players, tables
from shangyou.web.storage.table_store import RUNS
from shangyou.web.table import Table

LAST = -(1 << 62)  # in place of the points of who gave up or was late, below all others
MINE = 30  # results of a person that are shown


def _tries(which: ColumnElement[bool]) -> Select[Any]:
    """Tries with their points, which are those of a game finished in time; `running`: they may still be finished in time."""
    in_time = games.c.finished_at <= daily_deals.c.closes_at
    running = RUNS & (daily_deals.c.closes_at > now())
    mine = (players.c.game_id == games.c.id) & (players.c.seat == SEAT)
    joined = (
        daily_tries.join(daily_deals, OF_DEAL)
        .outerjoin(tables, tables.c.id == daily_tries.c.table_id)
        .outerjoin(games, games.c.table_id == daily_tries.c.table_id)
        .outerjoin(players, mine)
        .outerjoin(people, people.c.id == daily_tries.c.person)
    )
    name = case((daily_tries.c.named, func.coalesce(people.c.nickname, "")), else_="")
    points = case((in_time, players.c.score)).label("points")
    shown = name.label("name"), points, case((running, True), else_=False).label("running"), games.c.id.label("replay")
    return select(daily_tries, *shown).select_from(joined).where(which)


def _ranked(which: ColumnElement[bool]) -> Subquery:
    """Tries that are over: their place, how many there are and how many of those have fewer points."""
    one = _tries(which).subquery()
    points, deal = func.coalesce(one.c.points, LAST), (one.c.day, one.c.game)
    place = func.rank().over(partition_by=deal, order_by=points.desc()).label("place")
    below = (func.rank().over(partition_by=deal, order_by=points) - 1).label("below")
    total = func.count().over(partition_by=deal).label("total")
    return select(one, place, below, total).where(~one.c.running).subquery()


def _of(deal: Deal) -> ColumnElement[bool]:
    return (daily_tries.c.day == deal.day) & (daily_tries.c.game == deal.game)


def ranking(db: Connection, deal: Deal, limit: int, offset: int) -> Sequence[Row[Any]]:
    """Part of the ranking, best first; who has as many points has the same place."""
    row = _ranked(_of(deal))
    return db.execute(select(row).order_by(row.c.place, row.c.made_at, row.c.table_id).limit(limit).offset(offset)).all()


def count_over(db: Connection, deal: Deal) -> int:
    """How many have played."""
    row = _tries(_of(deal)).subquery()
    return db.execute(select(func.count()).select_from(row).where(~row.c.running)).scalar_one()


def find_try(db: Connection, deal: Deal, person: Person) -> Row[Any] | None:
    """That of a person; without `place` as long as it runs."""
    own = db.execute(_tries(_of(deal) & (daily_tries.c.person == person.id))).one_or_none()
    if own is None or own.running:
        return own
    row = _ranked(_of(deal))
    return db.execute(select(row).where(row.c.person == person.id)).one()


def results_of(db: Connection, person: Person) -> Sequence[Row[Any]]:
    """A person's latest tries that are over, latest first."""
    own = (daily_tries.c.person == person.id) & daily_tries.c.named
    latest = select(daily_tries.c.day, daily_tries.c.game).where(own).order_by(daily_tries.c.day.desc()).limit(MINE)
    row = _ranked(tuple_(daily_tries.c.day, daily_tries.c.game).in_(latest))
    mine = select(row).where(row.c.person == person.id, row.c.named)
    return db.execute(mine.order_by(row.c.day.desc(), row.c.made_at.desc())).all()


def champion_points(db: Connection, deal: Deal) -> int | None:
    """Of the agent's own game, once it is played."""
    own = (players.c.game_id == deal.replay) & (players.c.seat == SEAT)
    return db.execute(select(players.c.score).where(own)).scalar_one_or_none()


def add_champion(db: Connection, deal: Deal, table: Table, versions: Sequence[str]) -> None:
    """Store the agent's own game, unless there is one already."""
    if daily_store.name_champion(db, deal, table.replay):
        archive.add_finished(db, table, versions)
