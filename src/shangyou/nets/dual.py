"""The dual representation of Deep ZSY: cards are counted in play and told one-hot in learning.

    >>> expanded(torch.tensor([2, 1, 0]))  # two 3s, one 4, no 5
    row 0, four cards    0 0 0
    row 1, three cards   0 0 0
    row 2, two cards     1 0 0
    row 3, one card      0 1 0
    row 4, none          0 0 1

Four such arrays of 15 ranks side by side are what the papers' nets are told of a play: 5 x 60. N pairs of position and play.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from shangyou.games import Game
from shangyou.nets.encoding import RANKS, Encoder
from shangyou.nets.inputs import Inputs

COPIES = 4  # of a rank at most
ROWS, COLUMNS = COPIES + 1, 4 * RANKS


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
    blank: Tensor | None = None  # [N, 2] bool: which of the first two sets are told as plain zeros, not as "none" of each rank


def expanded(counts: Tensor) -> Tensor:
    """[..., R] counts of ranks to [..., 5, R]: each column one-hot, four cards in row 0, none in row 4."""
    levels = torch.arange(COPIES, -1, -1, device=counts.device)
    return counts[..., None, :] == levels[:, None]


class DualEncoder(Encoder):
    """Pairs as the papers' arrays. What it is told of a position are the same inputs as every net's."""

    def pairs(self, seen: Inputs, rows: Tensor, plays: Tensor) -> Pairs:
        """Plays [N] in positions rows [N]."""
        play, played = self.play_cards[plays], seen.played[rows]
        past = Past(seen.history[rows, : self.turns], seen.history_by[rows, : self.turns]) if self.turns else None
        return Pairs(played[:, 0, 0], played[:, 1, 0], seen.hand[rows, 0] - play, play, past)

    def array(self, pairs: Pairs) -> Tensor:
        """[N, 5, 60] bool: my played cards, the opponent's, the hand after the play, the play."""
        sets = torch.stack(pairs[:4], 1)  # [N, 4]
        told = expanded(self.nibbles(sets))  # [N, 4, 5, 15]
        if pairs.blank is not None:
            told[:, :2] &= ~pairs.blank[:, :, None, None]
        return told.transpose(1, 2).reshape(-1, ROWS, COLUMNS)

    def sequence(self, past: Past, dtype: torch.dtype) -> Tensor:
        """[N, T, 77]: each past play one-hot, and who made it."""
        cards = expanded(self.counts_of_plays(past.plays.long())).flatten(-2)
        return torch.cat([cards.to(dtype), self.seat(past.by).to(dtype)], -1)


def sequence_width(game: Game) -> int:
    return ROWS * RANKS + game.seats
