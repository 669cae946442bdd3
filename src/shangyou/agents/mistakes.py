"""What is wrong with a play or a bid: its kind, and a sentence that says why, from the values of two choices and the table.

A sentence is made as the reasons of errors are (`games/errors.py`): a name and values, in English here and in Chinese in
`web/static/chinese_reasons.js`.
"""

from __future__ import annotations

from enum import StrEnum

from shangyou.engines.reference import View
from shangyou.games import PASS, Cards
from shangyou.games.errors import Reason, Sentence

FEW_LEFT = 3  # cards of an opponent that are worth a word


class Kind(StrEnum):
    """What the better choice has that the one made has not."""

    PASSED = "passed"  # a play was better
    OVERPLAYED = "overplayed"  # a pass was better
    BOMB_EARLY = "bomb_early"  # a bomb, where a pass or a play that is none was better
    BOMB_KEPT = "bomb_kept"  # a bomb was better
    KICKERS = "kickers"  # the same play with others was better
    SUIT = "suit"  # the same play in another suit was better
    BROKE = "broke"  # it breaks up a play of the hand that the better choice leaves whole
    PATTERN = "pattern"  # another pattern was better
    TOO_HIGH = "too_high"  # the right pattern, but a lower play was better
    TOO_LOW = "too_low"
    BID_HIGH = "bid_high"  # a lower bid was better
    BID_LOW = "bid_low"


class Because(Sentence):
    """Why a choice is worse, in English. `best` and `made` are the choices, `high` and `low` what they are worth."""

    passed = "{best} keeps {high}; {made} leaves {low}"
    overplayed = "{best} keeps {high}; putting {made} down leaves {low}"
    bomb_early = "{best} keeps {high}; the bomb {made} leaves {low}: better kept"
    bomb_kept = "the bomb {best} keeps {high}; {made} leaves {low}"
    kickers = "with other kickers {best} keeps {high}; {made} leaves {low}"
    suit = "in another suit {best} keeps {high}; {made} leaves {low}"
    broke = "{best} keeps {high}; {made} leaves only {low}"
    pattern = "another pattern, {best}, keeps {high}; {made} leaves {low}"
    too_high = "the lower {best} keeps {high}; {made} leaves {low}"
    too_low = "the higher {best} keeps {high}; {made} leaves {low}"
    bid_high = "{best} is worth {high}; {made} is worth {low}: too high"
    bid_low = "{best} is worth {high}; {made} is worth {low}: too low"
    # what stands in gaps
    passing = "passing"
    bid_of = "a bid of {n}"
    no_bid = "no bid"
    chance = "{n}%"
    points = "{n} points"
    and_fact = "{said}; {fact}"
    breaks = "{made} breaks up {group}"
    few_left = "an opponent has {n:card|cards} left"
    few_left_landlord = "the landlord has {n:card|cards} left"


SENTENCES = {
    Kind.PASSED: Because.passed,
    Kind.OVERPLAYED: Because.overplayed,
    Kind.BOMB_EARLY: Because.bomb_early,
    Kind.BOMB_KEPT: Because.bomb_kept,
    Kind.KICKERS: Because.kickers,
    Kind.SUIT: Because.suit,
    Kind.BROKE: Because.broke,
    Kind.PATTERN: Because.pattern,
    Kind.TOO_HIGH: Because.too_high,
    Kind.TOO_LOW: Because.too_low,
    Kind.BID_HIGH: Because.bid_high,
    Kind.BID_LOW: Because.bid_low,
}


def kind_of_play(view: View, made: int, put: Cards, best: int) -> Kind:
    """Of row `made`, for which the hand in `view` put down the cards `put`, where row `best` is better."""
    table = view.game.table
    bombs = bool(table.bomb[made]), bool(table.bomb[best])
    if made == PASS:
        return Kind.PASSED
    if bombs == (True, False):
        return Kind.BOMB_EARLY
    if best == PASS:
        return Kind.OVERPLAYED
    if bombs == (False, True):
        return Kind.BOMB_KEPT
    if bombs == (True, True):
        return Kind.TOO_HIGH if table.bomb[made] > table.bomb[best] else Kind.TOO_LOW
    alike = table.pattern[made] == table.pattern[best]
    if alike and table.strength[made] == table.strength[best]:
        return Kind.SUIT if table.cards[made] == table.cards[best] else Kind.KICKERS
    if broken_by(view, put, best) is not None:
        return Kind.BROKE
    if not alike:
        return Kind.PATTERN
    return Kind.TOO_HIGH if table.strength[made] > table.strength[best] else Kind.TOO_LOW


def broken_by(view: View, put: Cards, best: int) -> int | None:
    """The largest play without kickers, bombs first, of the hand in `view` that is broken up by putting down the cards `put`.

    It can be made of the hand, and still after row `best`, but no more after `put`, of which it is not a part.
    """
    table, hand = view.game.table, view.hand
    held = table.held(hand, table.plain)
    left = set(table.held(hand - put, held).tolist()) | set(table.held(put, held).tolist())
    kept = table.held(hand - view.game.pick(hand, best), held).tolist()
    broken = [row for row in kept if row not in left]
    return max(broken, key=lambda row: (table.bomb[row] > 0, table.size[row], -row), default=None)


def explain_play(view: View, made: int, put: Cards, best: int, high: Reason, low: Reason) -> tuple[Kind, Reason]:
    """About row `made`, worth `low`, put down as the cards `put`, where row `best` is worth `high`."""
    kind, labels = kind_of_play(view, made, put, best), view.game.table.labels
    named = [Because.passing() if row == PASS else labels[row] for row in (best, made)]
    said = SENTENCES[kind](best=named[0], made=named[1], high=high, low=low)
    fact = _fact(view, kind, made, broken_by(view, put, best))
    return kind, said if fact is None else Because.and_fact(said=said, fact=fact)


def _fact(view: View, kind: Kind, made: int, group: int | None) -> Reason | None:
    """What goes with this kind in this position: the play that is broken up, or few cards left; if there is such a thing."""
    if kind in (Kind.BROKE, Kind.OVERPLAYED):
        return None if group is None else Because.breaks(made=view.game.table.labels[made], group=view.game.table.labels[group])
    sides = view.game.sides(view.landlord)
    few = [(left, seat) for seat, left in enumerate(view.left) if sides[seat] != sides[0] and 0 < left <= FEW_LEFT]
    if not few or kind not in (Kind.PASSED, Kind.PATTERN, Kind.TOO_LOW):
        return None
    left, seat = min(few)
    return Because.few_left_landlord(n=left) if seat == view.landlord else Because.few_left(n=left)


def explain_bid(made: int, best: int, high: Reason, low: Reason) -> tuple[Kind, Reason]:
    kind = Kind.BID_HIGH if made > best else Kind.BID_LOW
    named = [Because.bid_of(n=bid) if bid else Because.no_bid() for bid in (best, made)]
    return kind, SENTENCES[kind](best=named[0], made=named[1], high=high, low=low)
