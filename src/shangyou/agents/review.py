"""A game decision by decision against an adviser: what each play and bid cost, how bad that is, what of the result was luck.

    states, names = with_bids(record), adviser_names("champion/zsy4")
    decisions = review(states, {measure: load(name, record.game) for measure, name in names.items()})
    sums = [sum_up(decisions, "win", seat, states[-1]) for seat in range(4)]

Everything is said in two measures, the chance of winning and points. Losses are compared as shares: of 1, or of the points
between winning and losing what is played for at that moment.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import pairwise
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from shangyou.agents.advice import Suggestion, suggest
from shangyou.agents.agent import Agent
from shangyou.agents.mistakes import Because, Kind, explain_bid, explain_play
from shangyou.agents.models.model_files import is_model
from shangyou.engines import reference
from shangyou.engines.reference import State, View
from shangyou.games import Game
from shangyou.games.errors import Reason
from shangyou.games.game import PLAYS_COUNTED, Phase

Measure = Literal["win", "points"]
MEASURES: tuple[Measure, ...] = ("win", "points")


class Grade(StrEnum):
    BEST = "best"
    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


MOST_LOST = {Grade.BEST: 0.005, Grade.GOOD: 0.02, Grade.INACCURACY: 0.05, Grade.MISTAKE: 0.1}
"""The largest share a decision of each grade loses; beyond the last it is a blunder."""

WORSE = (Grade.INACCURACY, Grade.MISTAKE, Grade.BLUNDER)
"""The grades for which a kind and a sentence are given."""

HALVED_BY = 0.15
"""The share whose loss halves the accuracy of a decision."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A decision in one measure."""

    best: float  # expected with the best choice
    made: float  # and with the one that was made
    share: float  # of what can be lost
    grade: Grade
    kind: Kind | None = None  # of those grades that are WORSE
    why: Reason | None = None

    @property
    def loss(self) -> float:
        return self.best - self.made


@dataclass(frozen=True, slots=True)
class Decision:
    """A play or a bid, of one seat. A bid is a `Suggestion` too, with the bid in place of the row."""

    seat: int
    number: int  # of the turn, or of the bid
    phase: Phase  # a bid, whether the seat doubles, or a play
    view: View
    choices: tuple[Suggestion, ...]  # as the adviser ranks them, best first; bids in ascending order
    made: Suggestion
    advised: int  # what the adviser would have done
    judged: Mapping[Measure, Judgement]  # in the measures the adviser knows

    @property
    def bidding(self) -> bool:
        """Whether it came before the first play."""
        return self.phase != "play"

    def label_of(self, move: int) -> str:
        return next(one.label for one in self.choices if one.play == move)

    def judgement(self, measure: Measure) -> Judgement | None:
        """In this measure, or the other where the adviser does not know this one: no chances are known of bids."""
        return self.judged.get(measure) or next(iter(self.judged.values()), None)


@runtime_checkable
class BidForecaster(Protocol):
    """An agent that may know the points expected of bids."""

    def bid_points(self, view: View, bids: tuple[int, ...]) -> list[float] | None: ...


# -- what is judged by ------------------------------------------------------------------------------------------------


def main_measure(game: Game) -> Measure:
    """Where places are paid, second is better than last: points."""
    return "points" if game.place_points else "win"


def points_at_stake(state: State, seat: int) -> float:
    """The points between the best and the worst ending for a seat, if no more bombs are played and nobody is shut out.

    While bids are made: of the bid that would raise it most.
    """
    if state.bidding:
        after = [reference.bid(state, points) for points in reference.legal_bids(state)]
        return max((points_at_stake(one, seat) for one in after if not one.bidding), default=1.0)
    game = state.game
    orders = [tuple((first + i) % game.seats for i in range(game.outs_to_end)) for first in range(game.seats)]
    played = (PLAYS_COUNTED,) * game.seats
    points = [game.scores(replace(state.ending(out), plays=played))[seat] for out in orders]
    return float(max(points) - min(points)) or 1.0


def grade_of(share: float) -> Grade:
    return next((grade for grade, most in MOST_LOST.items() if share <= most), Grade.BLUNDER)


def accuracy_of(share: float) -> float:
    """0 to 100, of one decision that loses this share."""
    return 100 * math.exp2(-share / HALVED_BY)


# -- decisions --------------------------------------------------------------------------------------------------------

Advisers = Mapping[Measure, Agent]
"""Who is asked for the chances of winning, and who for points: a net plays for one or the other."""


def adviser_names(name: str) -> dict[Measure, str]:
    """What to load as advisers for an agent of this name."""
    return {"win": name, "points": f"{name}:points" if is_model(name) else name}


Explain = Callable[[int, Reason, Reason], tuple[Kind, Reason]]
"""The kind and the sentence of a mistake, from the best choice and what the best and the one made are worth."""


def review(states: Sequence[State], advisers: Advisers) -> list[Decision]:
    """Every play and bid between these states."""
    pairs = pairwise(states)
    return [_bid(before, after, advisers) if before.bidding else _play(before, after, advisers) for before, after in pairs]


def _play(before: State, after: State, advisers: Advisers) -> Decision:
    view, turn = reference.view(before), after.history[-1]
    ranked = _ranked(view, advisers)
    made = next(one for one in ranked if one.play == turn.play)
    judged = _judge(before, ranked, made, partial(explain_play, view, turn.play, turn.cards))
    return Decision(before.turn, len(before.history), "play", view, ranked, made, ranked[0].play, judged)


def _ranked(view: View, advisers: Advisers) -> tuple[Suggestion, ...]:
    """The legal plays as the adviser of the main measure ranks them, in both measures by the adviser for each."""
    asked = {agent: suggest(view, agent) for agent in set(advisers.values())}
    win = {one.play: one.win for one in asked[advisers["win"]]}
    points = {one.play: one.points for one in asked[advisers["points"]]}
    ranked = asked[advisers[main_measure(view.game)]]
    return tuple(replace(one, win=win[one.play], points=points[one.play]) for one in ranked)


def _bid(before: State, after: State, advisers: Advisers) -> Decision:
    view, bids, adviser = reference.view(before), reference.legal_bids(before), advisers["points"]
    known = None
    if before.phase == "bid" and isinstance(adviser, BidForecaster):  # nobody knows what doubling is worth
        known = adviser.bid_points(view, bids)
    points: Sequence[float | None] = known or [None] * len(bids)
    choices = tuple(Suggestion(bid, str(bid), worth or 0.0, None, worth) for bid, worth in zip(bids, points, strict=True))
    made = choices[bids.index(after.bids[-1])]
    judged = _judge(before, choices, made, partial(explain_bid, made.play))
    return Decision(before.turn, len(before.bids), before.phase, view, choices, made, adviser.say(view, bids), judged)


def _judge(before: State, choices: Sequence[Suggestion], made: Suggestion, explain: Explain) -> dict[Measure, Judgement]:
    """In every measure that the adviser knows; among equals the best is the first."""
    judged: dict[Measure, Judgement] = {}
    for measure in MEASURES:
        worth = [getattr(one, measure) for one in choices]
        low = getattr(made, measure)
        if low is None:
            continue
        high, best = max(worth), choices[int(np.argmax(worth))]
        share = (high - low) / (points_at_stake(before, before.turn) if measure == "points" else 1)
        grade = grade_of(share)
        said = explain(best.play, _words(measure, high), _words(measure, low)) if grade in WORSE else (None, None)
        judged[measure] = Judgement(high, low, share, grade, *said)
    return judged


def _words(measure: Measure, worth: float) -> Reason:
    return Because.points(n=f"{worth:+.2f}".replace("-", "−")) if measure == "points" else Because.chance(n=round(100 * worth))


# -- a game in all ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Account:
    """What a result was made of, in chance of winning or in points: even + deal + play + rest = result."""

    even: float  # what a seat has before any cards are known
    deal: float  # what the adviser expects at the seat's first decision, beyond that
    play: float  # what the seat's decisions lost, 0 or less
    rest: float  # what the others' decisions and the cards nobody saw did
    result: float


@dataclass(frozen=True, slots=True)
class Summary:
    """The decisions of one seat in one measure."""

    decisions: int  # with more than one choice
    accuracy: float | None  # 0 to 100, the mean of these decisions
    loss: float  # in all, of those known in this measure
    grades: dict[Grade, int]
    account: Account | None  # of a finished game


def sum_up(decisions: Sequence[Decision], measure: Measure, seat: int, end: State) -> Summary:
    """Of a seat, in the game that came to `end`."""
    mine = [one for one in decisions if one.seat == seat]
    chosen = [found for one in mine if len(one.choices) > 1 and (found := one.judgement(measure))]
    valued = [one.judged[measure] for one in mine if measure in one.judged]
    loss = sum(one.loss for one in valued)
    return Summary(
        decisions=len(chosen),
        accuracy=sum(accuracy_of(one.share) for one in chosen) / len(chosen) if chosen else None,
        loss=loss,
        grades=dict(Counter(one.grade for one in chosen)),
        account=_account(valued[0].best, loss, measure, seat, end) if valued and end.over else None,
    )


def _account(first: float, loss: float, measure: Measure, seat: int, end: State) -> Account:
    even = 1 / len(set(end.game.sides(end.landlord))) if measure == "win" else 0.0
    result = float(seat in end.winners) if measure == "win" else float(end.scores[seat])
    return Account(even, first - even, -loss, result - first + loss, result)
