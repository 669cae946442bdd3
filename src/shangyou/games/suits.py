"""Which cards a play takes out of a hand where suits matter.

The table lists a pair of sevens once; the hand may hold three. One fixed rule picks the cards: first those that break no
flush run (three or more consecutive ranks of one suit) in the hand, and among these by suit, spades first.
"""

from shangyou.games.cards import Cards
from shangyou.games.table import MIXED, PlayTable

FLUSH_RUN = 3  # the shortest run of one suit that is kept together


def pick(table: PlayTable, hand: Cards, play: int, run_ranks: int) -> Cards:
    """The cards of `hand` that `play` puts down; `run_ranks` is how many ranks, from 3 up, straights run over."""
    deck, suit, groups = table.deck, int(table.suit[play]), sorted(table.groups[play])
    if suit >= 0:
        return sum(count * deck.card(rank, suit) for rank, count in groups)
    copies = deck.copies_by_suit(hand)
    offers = [_in_order(copies, rank, run_ranks) for rank, _ in groups]
    chosen = [offer[:count] for offer, (_, count) in zip(offers, groups, strict=True)]
    if suit == MIXED:
        _mix(offers, chosen)
    return sum(deck.card(rank, suit) for (rank, _), suits in zip(groups, chosen, strict=True) for suit in suits)


def _in_order(copies: list[tuple[int, ...]], rank: int, run_ranks: int) -> list[int]:
    """The suits held of a rank, one entry a card, in the order in which they are given up."""
    spare, needed = [], []
    for suit, held in enumerate(copies[rank]):
        kept = min(held, 1) if _in_flush_run(copies, rank, suit, run_ranks) else 0
        spare += [suit] * (held - kept)
        needed += [suit] * kept
    return spare + needed


def _in_flush_run(copies: list[tuple[int, ...]], rank: int, suit: int, run_ranks: int) -> bool:
    starts = range(max(0, rank - FLUSH_RUN + 1), min(rank, run_ranks - FLUSH_RUN) + 1)
    return any(all(copies[r][suit] for r in range(start, start + FLUSH_RUN)) for start in starts)


def _mix(offers: list[list[int]], chosen: list[list[int]]) -> None:
    """Cards that came out all of one suit would be a flush: exchange one, at the lowest rank that has another suit."""
    suit = chosen[0][0]
    if any(other != suit for suits in chosen for other in suits):
        return
    for suits, offer in zip(chosen, offers, strict=True):
        others = [other for other in offer if other != suit]
        if others:
            suits[-1] = others[0]
            return
