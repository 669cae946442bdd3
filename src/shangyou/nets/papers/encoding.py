"""The dual representation of Deep ZSY: cards are counted in play and one-hot in learning.

    >>> expanded(torch.tensor([2, 1, 0]))  # two 3s, one 4, no 5
    row 0, four cards    0 0 0
    row 1, three cards   0 0 0
    row 2, two cards     1 0 0
    row 3, one card      0 1 0
    row 4, none          0 0 1

Four such arrays of 15 ranks side by side are the input of the papers' nets for a play: 5 x 60. N pairs of position and play.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from shangyou.nets.encoding import RANKS, Encoder
from shangyou.nets.inputs import Inputs

COPIES = 4  # of a rank at most
ROWS, COLUMNS = COPIES + 1, 4 * RANKS
BLANK = COPIES + 1  # the count of a column that is all zeros
STATES = COPIES + 2  # of a column: no card, 1, 2, 3, 4, or blank


class Past(NamedTuple):
    """The latest plays before a decision, the latest first."""

    plays: Tensor  # [N, T] rows of the table
    by: Tensor  # [N, T] 0 mine, 1 the opponent's, NOBODY where there was none


class Pairs(NamedTuple):
    """Positions with a play each, as packed cards."""

    mine: Tensor  # [N] what I have played before
    theirs: Tensor  # [N] what the opponent has
    after: Tensor  # [N] my hand after the play
    play: Tensor  # [N] its cards
    past: Past | None = None
    blank: Tensor | None = None  # [N, 2] bool: which of the first two sets are plain zeros, not as "none" of each rank


def expanded(counts: Tensor) -> Tensor:
    """[..., R] counts of ranks to [..., 5, R]: each column one-hot, four cards in row 0, none in row 4; zeros if blank."""
    levels = torch.arange(COPIES, -1, -1, device=counts.device)
    return counts[..., None, :] == levels[:, None]


class EncodedBatch:
    """Encoded inputs of N pairs. Each form is computed once, when the first net needs it.

    All nets of a stack read the same; or, with a dimension [K, ...] before the others, each reads pairs of its own.
    """

    def __init__(self, counts: Tensor, past: Tensor | None, dtype: torch.dtype) -> None:
        self.counts = counts  # [N, 60]
        self.past = past  # [N, T, 77]
        self.dtype = dtype

    @cached_property
    def array(self) -> Tensor:
        """[N, 5, 60]"""
        return expanded(self.counts).to(self.dtype)

    @cached_property
    def triples(self) -> Tensor:
        """[N, 58] the state, one of 6^3, of every three neighbouring columns."""
        left, middle, right = (self.counts[..., i : COLUMNS - 2 + i] for i in range(3))
        return (left * STATES + middle) * STATES + right

    @cached_property
    def windows(self) -> Tensor:
        """[N, 56] the state, one of 6^5, of every five neighbouring columns."""
        return self.triples[..., :-2] * STATES**2 + self.triples[..., 2:] % STATES**2

    @cached_property
    def which_triples(self) -> Tensor:
        """[N, 60, 216] the triples one-hot, by their first column; none begins in the last two."""
        begun = functional.pad(self.triples, (0, COLUMNS - self.triples.shape[-1]), value=-1)
        return (begun[..., None] == torch.arange(STATES**3, device=begun.device)).to(self.dtype)

    def apart(self, nets: int) -> EncodedBatch:
        """The first N / K pairs for the first net alone, and so on; for nets that do not read past plays."""
        return EncodedBatch(self.counts.view(nets, -1, COLUMNS), None, self.dtype)


class DualEncoder(Encoder):
    """Encodes pairs as the papers' arrays, from the same `Inputs` as every net."""

    def pairs(self, seen: Inputs, rows: Tensor, plays: Tensor) -> Pairs:
        """Plays [N] in positions rows [N]."""
        play, played = self.play_cards[plays], seen.played[rows]
        past = Past(seen.history[rows, : self.turns], seen.history_by[rows, : self.turns]) if self.turns else None
        return Pairs(played[:, 0, 0], played[:, 1, 0], seen.hand[rows, 0] - play, play, past)

    def encoded(self, pairs: Pairs, dtype: torch.dtype = torch.float32) -> EncodedBatch:
        """My played cards, the opponent's, the hand after the play, the play; and past plays, where nets read them."""
        counts = self.nibbles(torch.stack(pairs[:4], 1))  # [N, 4, 15]
        if pairs.blank is not None:
            counts[:, :2].masked_fill_(pairs.blank[:, :, None], BLANK)
        return EncodedBatch(counts.flatten(1), self.sequence(pairs.past, dtype) if pairs.past else None, dtype)

    def sequence(self, past: Past, dtype: torch.dtype) -> Tensor:
        """[N, T, 77]: each past play one-hot, and who made it."""
        cards = expanded(self.counts_of_plays(past.plays.long())).flatten(-2)
        return torch.cat([cards.to(dtype), self.seat(past.by).to(dtype)], -1)
