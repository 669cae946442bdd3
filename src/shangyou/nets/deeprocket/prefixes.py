"""Kickers as a sequence: the kickers that may follow the ones already chosen, for all legal plays at once.

A play with kickers is a path: its label, then its kickers in ascending order. A prefix is a label and some first kickers of a
legal play; what may come next are the next kickers of the legal plays that begin so. All legal plays of a position are given.
So all prefixes at all depths are known before a net is asked, and one call of the kicker net answers for all of them.

N legal plays of n positions, K kickers at most in a play, M prefixes that leave a choice, k kinds of kickers.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Prefixes(NamedTuple):
    """Those with two next kickers or more: with one, its probability is 1."""

    rows: Tensor  # [M] the position
    labels: Tensor  # [M]
    taken: Tensor  # [M] packed cards of the kickers chosen before
    depth: Tensor  # [M] how many those are
    total: Tensor  # [M] kickers of the whole play
    allowed: Tensor  # [M, k] bool which may come next

    def at(self, which: Tensor) -> Prefixes:
        return Prefixes(*(field[which] for field in self))


class Paths(NamedTuple):
    """The prefixes of N legal plays, and where each play meets them."""

    prefixes: Prefixes
    places: Tensor  # [K, N] prefix * k + the kicker after it; M * k where there is no choice

    def log_probs(self, answers: Tensor) -> Tensor:
        """[N] the sum over the kickers of each play, from the log-probability of every kicker after every prefix [M, k]."""
        return torch.cat([answers.flatten(), answers.new_zeros(1)])[self.places].sum(0)

    def of_plays(self, chosen: Tensor) -> tuple[Prefixes, Tensor]:
        """The prefixes that some of the plays, at most one of each position, go through; and the kicker [M'] after each."""
        which, kicker = self.met(chosen)
        return self.prefixes.at(which), kicker

    def met(self, chosen: Tensor) -> tuple[Tensor, Tensor]:
        """The numbers [M'] of these prefixes, play by play, and the kicker [M'] after each."""
        kinds, places = self.prefixes.allowed.shape[1], self.places[:, chosen].T.flatten()
        places = places[places < self.prefixes.allowed.numel()]
        return places // kinds, places % kinds

    def next_probs(self, probs: Tensor) -> Tensor:
        """[M, k] the probability of every kicker after every prefix, from those of the N plays; 0 for what is not legal."""
        prefixes, kinds = self.prefixes.allowed.shape
        sums = probs.new_zeros(prefixes * kinds + 1).index_add(0, self.places.flatten(), probs.repeat(len(self.places)))
        found = sums[:-1].view(prefixes, kinds)
        return found / found.sum(1, keepdim=True)


def paths_of(rows: Tensor, labels: Tensor, kickers: Tensor, kicker_cards: Tensor) -> Paths:
    """Of plays [N] in positions `rows`, ascending in each, with kickers [N, K]; `kicker_cards [k + 1]`, the last for none."""
    plays = torch.arange(rows.shape[0], device=rows.device)
    key = (rows * (labels.max() + 1) + labels) * rows.shape[0] + plays  # longer planes stand between the plays of one label
    order = torch.argsort(key)
    return _sorted_paths(rows[order], labels[order], kickers[order].T, kicker_cards, order)


def _sorted_paths(rows: Tensor, labels: Tensor, kickers: Tensor, kicker_cards: Tensor, order: Tensor) -> Paths:
    """Plays that share a prefix stand side by side: rows of a table are sorted by their groups. Kickers are [K, N]."""
    kinds, (most, plays) = len(kicker_cards) - 1, kickers.shape
    has = kickers < kinds
    parted = _parted(torch.stack([rows, labels, *kickers]))  # [2 + K, N]
    begins, branches = has & parted[1:-1], has & parted[2:]  # a prefix; a next kicker of one
    number = begins.flatten().cumsum(0).reshape(most, plays) - 1
    nexts = torch.zeros(most * plays, dtype=torch.int64, device=rows.device)
    nexts = nexts.scatter_add(0, number.clamp(min=0).flatten(), branches.long().flatten())
    chooses = has & (nexts[number.clamp(min=0)] > 1)
    begins &= chooses
    depth, play = torch.nonzero(begins).unbind(1)  # [M] each
    number = begins.flatten().cumsum(0).reshape(most, plays) - 1
    places = torch.where(chooses, number * kinds + kickers, depth.shape[0] * kinds)
    allowed = torch.zeros(depth.shape[0] * kinds + 1, dtype=torch.bool, device=rows.device)
    allowed = allowed.scatter(0, places.flatten(), torch.ones_like(places, dtype=torch.bool).flatten())
    cards = kicker_cards[kickers]
    taken = (cards.cumsum(0) - cards)[depth, play]
    prefixes = Prefixes(rows[play], labels[play], taken, depth, has.sum(0)[play], allowed[:-1].reshape(-1, kinds))
    return Paths(prefixes, torch.zeros_like(places).scatter(1, order.expand(most, -1), places))


def _parted(columns: Tensor) -> Tensor:
    """[c, N] whether a play differs from the one before it in this column or an earlier one."""
    number = torch.arange(columns.shape[1], device=columns.device)
    differs = (columns != columns[:, (number - 1).clamp(min=0)]) | (number == 0)
    return differs.long().cumsum(0) > 0
