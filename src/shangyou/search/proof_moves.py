"""The moves of a position with all cards known, for the kernel of `proof.py`: rows of the table of plays, and where suits
matter every choice of cards that can make a difference."""

from typing import Any, NamedTuple

import numpy as np

from shangyou.engines.forest import ONES
from shangyou.engines.kernels.cpu_bits import at_least, lowest_bit, number_of_bits
from shangyou.engines.kernels.cpu_cache import part
from shangyou.engines.kernels.cpu_legal import legal_one
from shangyou.engines.kernels.layout import LAST, PLAY_SUIT, TURN
from shangyou.games.table import MIXED, PASS


class Moves(NamedTuple):
    """The moves of all positions on the way down, those of a position side by side."""

    rows: Any  # room for the legal plays of one
    row: Any
    cards: Any
    key: Any  # of the position a move leads to; 0 where the game is over
    pn: Any
    dn: Any


@part
def flush_cards(held: int, run: int, ranks: int) -> int:
    """The cards of a hand that are in a run of one suit of `run` ranks, all below `ranks`; with `run` 0 none."""
    if run == 0:
        return 0
    below = held & ((np.int64(1) << (4 * ranks)) - 1)
    starts = below
    for i in range(1, run):
        starts &= below >> (4 * i)
    cards = starts
    for i in range(1, run):
        cards |= starts << (4 * i)
    return cards


@part
def spread(held: int, need: int, mixed: int, special: int, out: Any, n: int) -> int:
    """All choices of cards for a play where suits matter, into out[n:]; cards that no flush can need are alike."""
    first = n
    out[n] = 0
    n += 1
    for rank in range(15):
        wanted = need >> (4 * rank) & 15
        if wanted == 0:
            continue
        lane = held >> (4 * rank) & 15
        flush = special >> (4 * rank) & 15
        end = n
        for choice in range(1, 16):
            if choice & ~lane or number_of_bits(choice) != wanted:
                continue
            plain = choice & ~flush
            others = lane & ~flush & ~plain
            if plain and others and lowest_bit(others) < highest_bit(plain):
                continue  # of cards that are alike the lowest go first
            for i in range(first, end):
                out[n] = out[i] | (choice << (4 * rank))
                n += 1
        for i in range(end, n):
            out[first + i - end] = out[i]
        n = first + n - end
    if mixed:
        end, n = n, first
        for i in range(first, end):
            one_suit = False
            for suit in range(4):
                one_suit |= out[i] & ~(ONES << suit) == 0
            if not one_suit:
                out[n] = out[i]
                n += 1
    return n


@part
def highest_bit(x: int) -> int:
    """Of four bits."""
    return 3 if x & 8 else 2 if x & 4 else 1 if x & 2 else 0


@part
def moves_of(k: Any, t: Any, cards: Any, scalars: Any, b: int, run: int, ranks: int, moves: Moves, n: int) -> int:
    """Every move of the seat to act, from place n of the moves on; where they end, -1 if there is no room."""
    held = cards[b, scalars[b, TURN]]
    count = legal_one(k, t.nodes, t.fans, t.segments, t.walks, t.plays, held, 0, scalars[b, LAST], moves.rows, 0)
    if n + count + 4096 > len(moves.row):
        return -1
    if not k.suited:
        for i in range(count):
            row = moves.rows[i]
            moves.row[n + i], moves.cards[n + i] = row, t.play_cards[row]
        return n + count
    special = flush_cards(held, run, ranks)
    for i in range(count):
        row = moves.rows[i]
        need, suit, first = t.play_cards[row], t.plays[row, PLAY_SUIT], n
        if n + 4096 > len(moves.row):
            return -1
        if row == PASS:
            moves.cards[n] = 0
            n += 1
        elif suit >= 0:
            moves.cards[n] = at_least(need, 1) << suit
            n += 1
        else:
            n = spread(held, need, suit == MIXED, special, moves.cards, n)
        for j in range(first, n):
            moves.row[j] = row
    return n


@part
def only(moves: Moves, start: int, i: int) -> int:
    """Leaves one move, which decides; where the moves end then."""
    moves.row[start], moves.cards[start], moves.key[start] = moves.row[i], moves.cards[i], moves.key[i]
    moves.pn[start], moves.dn[start] = moves.pn[i], moves.dn[i]
    return start + 1
