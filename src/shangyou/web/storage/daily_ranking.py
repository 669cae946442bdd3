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
MOST_RESULTS = 14  # of a person that are shown


def _tries(which: ColumnElement[bool]) -> Subquery:
    """Tries with their points, those of a game finished in time; `running`: they may still be. `worth` is what ranks them."""
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
    name = case((daily_tries.c.named, func.coalesce(people.c.nickname, "")), else_="").label("name")
    points = case((in_time, players.c.score))
    worth = func.coalesce(points, LAST).label("worth")
    others = points.label("points"), worth, case((running, True), else_=False).label("running"), games.c.id.label("replay")
    return select(daily_tries, name, *others).select_from(joined).where(which).subquery()


def _standings(which: ColumnElement[bool], person: Person) -> Select[Any]:
    """The tries of a person among all that are over: their place, how many there are, how many of those have fewer points."""
    one, mine = _tries(which), _tries(which & (daily_tries.c.person == person.id))
    same_deal = (one.c.day == mine.c.day) & (one.c.game == mine.c.game) & ~one.c.running
    above, below = (
        func.coalesce(func.sum(case((other, 1), else_=0)), 0)
        for other in (one.c.worth > mine.c.worth, one.c.worth < mine.c.worth)
    )
    sums = (above + 1).label("place"), below.label("below"), func.count(one.c.table_id).label("total")
    return select(mine, *sums).select_from(mine.outerjoin(one, same_deal)).group_by(*mine.c)


def _of(deal: Deal) -> ColumnElement[bool]:
    return (daily_tries.c.day == deal.day) & (daily_tries.c.game == deal.game)


def ranking(db: Connection, deal: Deal, limit: int, offset: int) -> Sequence[Row[Any]]:
    """Part of the ranking, best first; who has as many points has the same place."""
    one = _tries(_of(deal))
    place = func.rank().over(order_by=one.c.worth.desc()).label("place")
    over = select(one, place).where(~one.c.running)
    return db.execute(over.order_by(place, one.c.made_at, one.c.table_id).limit(limit).offset(offset)).all()


def count_over(db: Connection, deal: Deal) -> int:
    """How many have played."""
    one = _tries(_of(deal))
    return db.execute(select(func.count()).select_from(one).where(~one.c.running)).scalar_one()


def find_try(db: Connection, deal: Deal, person: Person) -> Row[Any] | None:
    """That of a person; its place means nothing as long as it runs."""
    return db.execute(_standings(_of(deal), person)).one_or_none()


def results_of(db: Connection, person: Person) -> Sequence[Row[Any]]:
    """A person's latest tries that are over, latest first."""
    own = (daily_tries.c.person == person.id) & daily_tries.c.named
    latest = select(daily_tries.c.day, daily_tries.c.game).where(own).order_by(daily_tries.c.day.desc()).limit(MOST_RESULTS)
    found = db.execute(_standings(tuple_(daily_tries.c.day, daily_tries.c.game).in_(latest), person))
    rows = [row for row in found if row.named and not row.running]
    return sorted(rows, key=lambda row: (row.day, row.made_at), reverse=True)


def champion_points(db: Connection, deal: Deal) -> int | None:
    """Of the agent's own game, once it is played."""
    own = (players.c.game_id == deal.replay) & (players.c.seat == SEAT)
    return db.execute(select(players.c.score).where(own)).scalar_one_or_none()


def add_champion(db: Connection, deal: Deal, table: Table, versions: Sequence[str]) -> None:
    """Store the agent's own game, unless there is one already."""
    if daily_store.name_champion(db, deal, table.replay):
        archive.add_finished(db, table, versions)
