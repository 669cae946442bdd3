"""The answers of the HTTP API about ratings: people season by season, and agents as tournaments measured them."""

from typing import Literal

from shangyou.web.wire.reasons import Answer


class RatingOut(Answer):
    """Somebody on the ladder of a season; agents are on that of season 1 only."""

    place: int  # from 1
    name: str
    kind: Literal["person", "agent"]
    me: bool
    games: int
    wins: int
    win_rate: float
    win_interval: tuple[float, float]  # 95%
    points: float  # a game
    rating: float
    sigma: float
    sure: float  # rating - 3 sigma, by which the list is ordered


class RatingsOut(Answer):
    """Part of the ladder of a season, and where I am on it."""

    game: str
    season: int
    open: bool  # games still change it
    seasons: list[int]
    total: int
    rows: list[RatingOut]
    next: int | None  # the offset of the rows that follow
    me: RatingOut | None


class MeasuredAgent(Answer):
    name: str
    games: int
    win_rate: float
    points: float  # a game
    rating: float
    sigma: float


class LevelOut(Answer):
    level: str  # beginner, casual, skilled, expert or champion
    agent: str  # who plays it
    usual: bool  # who has not chosen plays against this one
    measured: MeasuredAgent | None  # in the tournament under these rules, if there was one


class LevelsOut(Answer):
    """Opponents by strength, weakest first, as far as their agents play under these rules."""

    game: str
    rules: str
    contestants: int  # agents of the tournament that measured them; 0: there was none under these rules
    levels: list[LevelOut]


class AgentLadder(Answer):
    """Agents under some rules, strongest first, as a tournament measured them."""

    game: str
    rules: str
    command: str  # that measured them
    rows: list[MeasuredAgent]
