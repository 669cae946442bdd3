"""What the batch engine can play, and the error that names the rule or the row of a game that asks for more."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from shangyou.games import BadInput, Game, PlayTable
from shangyou.games.table import ANY

MOST_OF_A_RANK = 8  # cards: sums of two packs' counts stay in the four bits of a rank's lane
MOST_SEATS = 31  # a bit each in an int32
IN_KERNELS = ("deal", "is_over", "lead_order", "may_act_first", "pick")
"""Methods of a game that the kernels do themselves: a game may not have its own."""


def check_supported(game: Game) -> None:
    """BadInput that says what the kernels cannot express, if there is anything besides the table."""
    for holds, what in _rules_of(game):
        if not holds:
            raise BadInput(f"{game.name}: the batch engine cannot play it, since {what}")


def is_supported(game: Game) -> bool:
    """Whether the kernels can express the rules; the rows of its table are another matter."""
    return all(holds for holds, _ in _rules_of(game))


def _rules_of(game: Game) -> Iterator[tuple[bool, str]]:
    """What must hold, and what is wrong if it does not."""
    seats, deck, hands = game.seats, game.deck, [game.hand_sizes(first) for first in range(game.seats)]
    yield 2 <= seats <= MOST_SEATS, f"it has {seats} seats, not 2..{MOST_SEATS}"
    yield 1 <= game.outs_to_end <= seats, f"outs_to_end is {game.outs_to_end}, not 1..{seats}"
    yield deck.packs <= 2, f"it has {deck.packs} packs, more than 2"
    fit = all(min(sizes) > 0 and sum(sizes) + game.public_size <= len(deck.cards) for sizes in hands)
    yield fit, f"hands of {hands[0]} and {game.public_size} public cards cannot be dealt from {len(deck.cards)} cards"
    yield not (game.public_size and deck.suited and deck.packs == 2), "public cards of two packs with suits do not fit one word"
    yield not game.has_doubling, "the rule doubling is on, and it pays all losers alike"
    yield deck.suited or game.first_by != "spade3", "first_by is spade3, but its cards have no suits"
    for name in IN_KERNELS:
        yield getattr(type(game), name) is getattr(Game, name), f"{type(game).__name__} has its own `{name}`"
    if game.has_bidding:
        yield from _bidding_of(game)


def _bidding_of(game: Game) -> Iterator[tuple[bool, str]]:
    """Each seat bids once: 0 or more than the highest bid so far, until somebody bids the most."""
    waiting, most = [()], max(game.allowed_bids(()), default=0)
    while waiting:
        bids: tuple[int, ...] = waiting.pop()
        closed = len(bids) == game.seats or most in bids
        known = () if closed else (0, *range(max(bids, default=0) + 1, most + 1))
        yield game.allowed_bids(bids) == known, f"after bids {bids} it allows {game.allowed_bids(bids)}, not {known}"
        waiting += [(*bids, points) for points in known]


def check_rows(table: PlayTable) -> None:
    """BadInput that names the first row of a table that the kernels cannot express."""
    plays, kinds = table.groups, list(zip(table.family, table.suit.tolist(), strict=True))
    repeats = (row for row, groups in enumerate(plays) if len(dict(groups)) < len(groups))
    refuse_first(table, np.flatnonzero(table.size[1:] == 0) + 1, "has no cards")
    refuse_first(table, repeats, "has a rank in two groups")
    refuse_first(table, (row for row, groups in enumerate(plays) if any(n < 1 for _, n in groups)), "has a group of no cards")
    refuse_first(table, np.flatnonzero(table.need.max(axis=0) > MOST_OF_A_RANK), f"needs more than {MOST_OF_A_RANK} of a rank")
    refuse_first(table, () if table.deck.suited else np.flatnonzero(table.suit != ANY), "asks for suits, which its deck lacks")
    unsorted = (b for a, b in pairwise(range(1, len(table))) if kinds[a] == kinds[b] and plays[a] >= plays[b])
    refuse_first(table, unsorted, "does not come after the row before it in the order of groups")
    refuse_first(table, np.flatnonzero(table.bomb < 0), "has a bomb tier below 0")
    after_bombs = np.maximum.accumulate(table.bomb > 0) & (table.bomb == 0)
    refuse_first(table, np.flatnonzero(after_bombs), "is no bomb, yet stands after bombs")
    for bomb in sorted(table.bombs):
        stronger = (table.pattern == table.pattern[bomb]) & (table.strength > table.strength[bomb])
        not_higher = np.flatnonzero(stronger & (table.bomb <= table.bomb[bomb]))
        refuse_first(table, not_higher, f"is stronger than the bomb {table.labels[bomb]}, yet of no higher tier")


def refuse_first(table: PlayTable, rows: Iterable[int], reason: str) -> None:
    """BadInput that names the first of these rows, if there is one."""
    for row in rows:
        raise BadInput(f"the batch engine cannot play row {row} ({table.labels[row]}): it {reason}")
