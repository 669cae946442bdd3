"""The answers of the HTTP API about daily deals. None of them has cards; replays are named when the deal is closed."""

from datetime import datetime
from typing import Literal

from shangyou.web.wire.reasons import Answer

DailyStatus = Literal["open", "closing", "closed"]  # closing: the day is over, tries begun in it may still be finished


class DailyTry(Answer):
    """Mine. A try that was given up, or not finished in time, is lost: it comes last and has no points."""

    table: str
    running: bool
    points: int | None
    place: int | None  # so far, until the deal is closed
    total: int | None  # tries that are over
    beaten: float | None  # the share of the others who have fewer points
    replay: str | None


class DailyDeal(Answer):
    day: str
    game: str
    status: DailyStatus
    seat: int  # that everybody has
    role: str  # landlord, after or before; empty in games without a landlord
    players: int  # who have played
    mine: DailyTry | None
    champion: int | None  # points of the agent in the same seat, once it has played; known after my try, or when closed


class DailyRow(Answer):
    """Somebody's try in the ranking; without points it was given up, or not finished in time."""

    place: int
    name: str
    points: int | None
    me: bool
    replay: str | None


class DailyOut(DailyDeal):
    """A deal with its ranking, which is empty until my try is over or the deal is closed."""

    rules: str
    agent: str  # in all other seats
    ends_at: datetime  # from then on nobody can begin
    closes_at: datetime  # what is finished later does not count; until then the cards are hidden
    champion_replay: str | None
    rows: list[DailyRow]
    next: int | None  # the offset of the rows that follow


class NamedDeal(Answer):
    day: str
    game: str


class DailyToday(Answer):
    day: str
    seconds_left: int  # until the next deals
    deals: list[DailyDeal]  # of today, one of each game
    recent: list[NamedDeal]  # of the days before, latest first


class DailyResult(NamedDeal):
    """A try of mine that is over."""

    points: int | None
    place: int  # so far, until the deal is closed
    total: int


class MyDaily(Answer):
    """My results: days in a row on which I finished a deal, and my latest tries, the last first."""

    streak: int
    longest: int
    results: list[DailyResult]
