"""What the reviews of many games of one person come to: accuracy by role, luck and skill apart, mistakes by kind."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from shangyou.agents.mistakes import Kind
from shangyou.web.wire.review_answers import (
    JudgementOut,
    KindSums,
    MyReviews,
    ReviewedGame,
    RoleSums,
    StoredReview,
    WorstDecision,
)

WORST_SHOWN = 8


class Reviewed(NamedTuple):
    """My seat of a game, with its review."""

    game: ReviewedGame
    review: StoredReview


def reviewed(content: Any, **game: Any) -> Reviewed:
    """A stored review and the fields of the game and my seat in it."""
    review = StoredReview.model_validate(content)
    seat = review.seats[game["seat"]]
    summary = seat.points if review.measure == "points" else seat.win
    return Reviewed(ReviewedGame(measure=review.measure, summary=summary, **game), review)


def add_up(found: Sequence[Reviewed], waiting: int) -> MyReviews:
    """`found` latest first; so many games wait for a review."""
    roles: defaultdict[tuple[str, str], list[ReviewedGame]] = defaultdict(list)
    for one, _ in found:
        roles[one.game, one.role].append(one)
    judged = [mistake for one in found for mistake in _mistakes(one)]
    return MyReviews(
        games=[one for one, _ in found],
        waiting=waiting,
        accuracy=_accuracy(one for one, _ in found),
        roles=[_role(games) for _, games in sorted(roles.items())],
        kinds=_kinds(judged),
        worst=sorted(judged, key=lambda one: -one.share)[:WORST_SHOWN],
    )


def _role(games: list[ReviewedGame]) -> RoleSums:
    first = games[0]
    accounts = [one.summary.account for one in games if one.summary.account]
    mean: Callable[[str], float | None] = lambda name: (  # noqa: E731
        sum(getattr(one, name) for one in accounts) / len(accounts) if accounts else None
    )
    parts = {name: mean(name) for name in ("deal", "play", "rest")}
    return RoleSums(
        game=first.game, role=first.role, measure=first.measure, games=len(games), accuracy=_accuracy(games), **parts
    )


def _accuracy(games: Iterable[ReviewedGame]) -> float | None:
    """The mean of all decisions."""
    known = [(one.summary.accuracy, one.summary.decisions) for one in games if one.summary.accuracy is not None]
    decisions = sum(count for _, count in known)
    return sum(accuracy * count for accuracy, count in known) / decisions if decisions else None


def _kinds(mistakes: list[WorstDecision]) -> list[KindSums]:
    shares: defaultdict[Kind, list[float]] = defaultdict(list)
    for one in mistakes:
        shares[one.kind].append(one.share)
    sums = [KindSums(kind=kind, count=len(lost), share=sum(lost)) for kind, lost in shares.items()]
    return sorted(sums, key=lambda one: -one.share)


def _mistakes(one: Reviewed) -> Iterator[WorstDecision]:
    """My decisions that were worse than good, in the main measure of the game."""
    game, review = one
    about: dict[str, Any] = {"replay": game.replay, "game": game.game, "seat": game.seat}
    made: list[tuple[int | None, JudgementOut | None]] = []
    for bid in review.bids:
        made += [(None, bid.judged.points)] if bid.seat == game.seat else []
    for play in review.decisions:
        found = play.judged.points if review.measure == "points" else play.judged.win
        made += [(play.turn, found)] if play.seat == game.seat else []
    for turn, judged in made:
        if judged and judged.kind and judged.why:
            yield WorstDecision(**about, turn=turn, grade=judged.grade, share=judged.share, kind=judged.kind, why=judged.why)
