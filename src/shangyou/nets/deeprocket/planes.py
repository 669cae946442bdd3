"""The binary inputs of both nets: 15 x 19 x 21 for the policy, 15 x 9 x 3 for kickers (Tables 2 to 4 of the paper).

n positions, T turns, R ranks, C categories (families of the table), L labels, M prefixes of kickers. A count of cards of a rank
is four dots: at least 1, 2, 3, 4. What the paper leaves open is listed in docs/training.md.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from shangyou.games import NOBODY, PASS, BadInput, Game
from shangyou.games.labels import labels_of
from shangyou.nets.deeprocket.prefixes import Paths, Prefixes, paths_of
from shangyou.nets.encoding import RANKS, Encoder
from shangyou.nets.inputs import Inputs

ROUNDS = 6
PLANES, PADDED_PLANES = 21, 24  # a GPU convolves multiples of eight several times faster; the last three are zero
KICKER_ROWS, KICKER_PLANES = 9, 3
ROLES = 3  # landlord, the peasant after it, the peasant before it


class PlaneEncoder(Encoder):
    """`planes` for the policy, `kicker_planes` for kickers.

    With `context`, cells that the paper does not describe tell the cards left of the others, the public cards, the role and
    whether the seat leads.
    """

    def __init__(self, game: Game, context: bool = True) -> None:
        if game.name != "doudizhu":
            raise BadInput(f"the nets of DeepRocket play doudizhu, not {game.name}")
        super().__init__(game, turns=ROUNDS * game.seats)
        self.context = context
        labels = labels_of(game.table)
        self.labels, self.kickers = len(labels.names), len(labels.kicker_kinds)
        self.rows = self.copies + self.families  # 19 of the policy's input
        main = torch.as_tensor(labels.main)
        families = list(dict.fromkeys(labels.families))
        kind = functional.one_hot(torch.tensor([families.index(family) for family in labels.families]), len(families)) > 0
        ranks = (main > 0) | (main.sum(1) == 0)[:, None]  # a pass marks all ranks
        cards = [count << 4 * rank for count, rank in labels.kicker_kinds]
        self.label_of = nn.Buffer(torch.as_tensor(labels.label_of).short(), persistent=False)  # [P]
        self.kickers_of = nn.Buffer(_filled_with(labels.kickers, self.kickers), persistent=False)  # [P, K]
        self.marks = nn.Buffer(ranks[:, :, None] & kind[:, None, :], persistent=False)  # [L, R, C] category at its main ranks
        self.main_dots = nn.Buffer(self.more_than(main).float(), persistent=False)  # [L, R * 4]
        self.main_size = nn.Buffer(main.sum(1), persistent=False)  # [L]
        self.label_size = nn.Buffer(torch.as_tensor(labels.size), persistent=False)  # [L] kickers included
        self.main_cards = nn.Buffer((main << self.shifts).sum(1), persistent=False)  # [L] packed
        self.kicker_cards = nn.Buffer(torch.tensor([*cards, 0]), persistent=False)  # [28 + 1] packed; the last is none
        self.ranks = nn.Buffer(torch.arange(RANKS), persistent=False)

    def labels_of(self, plays: Tensor) -> Tensor:
        """[...] rows of the table to labels."""
        return self.label_of[plays.long()].long()

    def legal_labels(self, positions: int, rows: Tensor, plays: Tensor) -> Tensor:
        """[n, L] whether a play of the label is among the legal plays of the position."""
        legal = torch.zeros(positions * self.labels, dtype=torch.bool, device=rows.device)
        place = rows * self.labels + self.labels_of(plays)
        return legal.scatter(0, place, torch.ones_like(place, dtype=torch.bool)).view(-1, self.labels)

    def paths(self, rows: Tensor, plays: Tensor) -> Paths:
        """The prefixes of kickers of N legal plays, all of each position."""
        return paths_of(rows, self.labels_of(plays), self.kickers_of[plays.long()].long(), self.kicker_cards)

    def planes(self, seen: Inputs, dtype: torch.dtype) -> Tensor:
        """[n, 24, 15, 19], the last channels innermost in memory, as convolutions on a GPU want it."""
        past, by = seen.history[:, : self.turns].flip(1).long(), seen.history_by[:, : self.turns].flip(1)  # the oldest first
        counts = self.counts_of_plays(past)  # [n, T, R]
        before = self.all_played(seen) - counts.sum(1)
        sets = self.dots(torch.stack([before, self.counts(seen.unseen), self.counts(seen.hand)], 1))  # [n, 3, R, 4]
        marks = self.marks[self.labels_of(past)] & (by != NOBODY)[:, :, None, None]
        turns = torch.cat([self.dots(counts), marks], -1)
        first = torch.cat([sets[:, :1], self.context_cells(seen)[:, None]], -1)
        held = torch.cat([sets[:, 1:], self.categories(sets[:, 1:], dtype)], -1)
        padding = torch.zeros_like(first).expand(-1, PADDED_PLANES - PLANES, -1, -1)
        return torch.cat([first, turns, held, padding], 1).to(dtype).contiguous(memory_format=torch.channels_last)

    def all_played(self, seen: Inputs) -> Tensor:
        """[n, R] counts. Packed cards are not summed: onnxruntime sums int64 as floats, which have too few digits for them."""
        return self.counts(seen.played).sum(1)

    def dots(self, counts: Tensor) -> Tensor:
        """[..., R] to [..., R, 4]."""
        return counts[..., None] > self.steps

    def categories(self, dots: Tensor, dtype: torch.dtype) -> Tensor:
        """[..., R, 4] sets of cards to [..., R, C]: the ranks of every main group among them, for which there are enough cards.

        Passes are left out: all sets allow them.
        """
        flat = dots.flatten(-2).to(dtype)
        enough = flat @ self.main_dots.to(dtype)[1:].T > self.main_size[1:] - 0.5
        held = enough & (dots.sum((-2, -1))[..., None] >= self.label_size[1:])
        marked = held.to(dtype) @ self.marks[1:].flatten(1).to(dtype)
        return (marked > 0).reshape(*dots.shape[:-1], self.families)

    def context_cells(self, seen: Inputs) -> Tensor:
        """[n, R, C] in the category rows of plane 1, whose cards were put down in many plays."""
        if not self.context:
            return self.marks[:1].expand(seen.hand.shape[0], -1, -1) & False
        parts = [
            self.upto(seen.left[:, 1:]),
            self.dots(self.nibbles(seen.public)),
            self.everywhere(self.role_dots(seen.landlord)),
            self.everywhere((seen.last == PASS)[:, None]),
        ]
        filled = torch.cat(parts, -1)
        return functional.pad(filled, (0, self.families - filled.shape[-1]))

    def role(self, landlord: Tensor) -> Tensor:
        """[n] 0 the landlord, 1 the peasant after it, 2 the peasant before it."""
        return (self.seats - landlord.long()) % self.seats

    def role_dots(self, landlord: Tensor) -> Tensor:
        return functional.one_hot(self.role(landlord), ROLES) > 0

    def upto(self, numbers: Tensor) -> Tensor:
        """[n, k] numbers to [n, R, k]: the lowest ranks, as many as the number says; 15 stands for more too."""
        return numbers[:, None, :] > self.ranks[:, None]

    def everywhere(self, dots: Tensor) -> Tensor:
        """[n, k] to [n, R, k], the same at all ranks."""
        return dots[:, None, :].expand(-1, RANKS, -1)

    # -- kickers ------------------------------------------------------------------------------------------------------

    def kicker_planes(self, seen: Inputs, asked: Prefixes, dtype: torch.dtype) -> Tensor:
        """[M, 3, 15, 9] for prefixes of kickers in positions of their own, `seen [M]`."""
        main = self.main_cards[asked.labels]
        hand = seen.hand[:, 0] - main - asked.taken
        solos, pairs = asked.allowed[:, :RANKS], functional.pad(asked.allowed[:, RANKS:], (0, 2 * RANKS - self.kickers))
        unseen = self.dots(self.counts(seen.unseen))
        first = [self.everywhere(_columns(pairs.any(1), seen.landlord == 0, self.role(seen.landlord) == 2))]
        first += [self.dots(self.nibbles(hand)), _rows(solos, pairs)]
        second = [self.dots(self.all_played(seen)), _rows(self.nibbles(main) > 0, self._to_beat(seen))]
        second += [
            self.upto(torch.stack([asked.total, asked.total - asked.depth], 1)),
            self.everywhere(_columns(seen.last == PASS)),
        ]
        third = [unseen, _rows(solos | pairs, self.nibbles(asked.taken) > 0)]
        third += [self.upto(seen.left[:, 1:]), _rows(_above_all(unseen[..., 0]))]
        planes = torch.stack([torch.cat(parts, -1) for parts in (first, second, third)], 1)
        return planes.to(dtype).contiguous(memory_format=torch.channels_last)

    def _to_beat(self, seen: Inputs) -> Tensor:
        """[M, R] the ranks of the main group to beat; none for a leader."""
        return self.nibbles(self.main_cards[self.labels_of(seen.last)]) > 0


def _rows(*dots: Tensor) -> Tensor:
    """[M, R] each to [M, R, k]."""
    return torch.stack(dots, -1)


def _columns(*dots: Tensor) -> Tensor:
    """[M] each to [M, k]."""
    return torch.stack(dots, -1)


def _above_all(held: Tensor) -> Tensor:
    """[M, R] ranks held by others to [M, R]: the ranks above all of them."""
    return held.flip(1).long().cumsum(1).flip(1) == 0


def _filled_with(kickers: object, none: int) -> Tensor:
    """[P, K] int8, with `none` in place of what is below 0."""
    found = torch.as_tensor(kickers)
    return torch.where(found < 0, none, found).to(torch.int8)
