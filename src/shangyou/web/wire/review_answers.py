"""Reviews as they are stored and sent, and what many of them come to."""

from datetime import datetime
from typing import Literal

from shangyou.agents.mistakes import Kind
from shangyou.agents.review import Account, Grade, Measure
from shangyou.web.wire.play_answers import SuggestionOut
from shangyou.web.wire.reasons import Answer, Said

# -- a game -----------------------------------------------------------------------------------------------------------


class JudgementOut(Answer):
    """A decision in one measure: what is expected after the best choice and after the one made."""

    best: float
    made: float
    share: float  # lost, of what can be
    grade: Grade
    kind: Kind | None  # of those worse than good
    why: Said | None


class Judged(Answer):
    """In the measures that the adviser knows."""

    win: JudgementOut | None
    points: JudgementOut | None


class DecisionOut(Answer):
    """A play."""

    turn: int
    seat: int
    choices: int
    played: SuggestionOut
    rank: int  # of what was played, 0 is best
    candidates: list[SuggestionOut]  # the best in the main measure, with the best in the other
    judged: Judged


class BidWorth(Answer):
    bid: int
    points: float | None  # expected


class BidDecision(Answer):
    """A bid, or whether a seat doubles: 1 or 0."""

    kind: Literal["bid", "double"]
    number: int
    seat: int
    made: int
    advised: int  # what the adviser would have said
    choices: list[BidWorth]
    judged: Judged


class SeatSummary(Answer):
    decisions: int  # with more than one choice
    accuracy: float | None
    loss: float
    grades: dict[str, int]
    account: Account | None  # of a finished game


class SeatReview(Answer):
    """In both measures."""

    win: SeatSummary
    points: SeatSummary


class StoredReview(Answer):
    """An adviser's review of a game, as it is stored in the database."""

    adviser: str
    measure: Measure  # the one to show first
    measures: list[Measure]  # that the adviser knows
    paid: tuple[int, ...]  # the points of every place, where places are paid
    decisions: list[DecisionOut]
    bids: list[BidDecision]
    seats: list[SeatReview]


class ReviewOut(StoredReview):
    replay: str
    version: str
    can_think: bool  # whether the adviser can think longer about a turn


# -- many games -------------------------------------------------------------------------------------------------------


class ReviewedGame(Answer):
    """My seat of one game, in its main measure."""

    replay: str
    game: str
    role: str  # landlord or peasant; empty in games without a landlord
    finished_at: datetime
    seat: int
    score: int
    won: bool
    measure: Measure
    summary: SeatSummary


class RoleSums(Answer):
    """My games in one role, in the main measure of the game; means of a game."""

    game: str
    role: str
    measure: Measure
    games: int
    accuracy: float | None
    deal: float | None
    play: float | None
    rest: float | None


class KindSums(Answer):
    kind: Kind
    count: int
    share: float  # lost by it in all


class WorstDecision(Answer):
    replay: str
    game: str
    seat: int
    turn: int | None  # none: it was a bid
    grade: Grade
    share: float
    kind: Kind
    why: Said


class MyReviews(Answer):
    """My last games that have been reviewed, latest first, and what they come to."""

    games: list[ReviewedGame]
    waiting: int  # of the last games, without a review yet
    accuracy: float | None
    roles: list[RoleSums]
    kinds: list[KindSums]  # what cost most first
    worst: list[WorstDecision]
