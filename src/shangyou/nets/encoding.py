"""The encoder: packed cards to the numbers that nets read. Training and exported models use the same one.

An exported model unpacks cards by division, since ONNX has no shifts of int64; elsewhere shifts are several times faster. It
unpacks the whole table of plays, which its runtime does once, when the model is loaded.

Past plays are concatenated, or go through a block that learns (`nets/history.py`).
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from shangyou.games import NOBODY, Game
from shangyou.nets import history
from shangyou.nets.inputs import Inputs
from shangyou.nets.spec import OBJECTIVES

RANKS = 15
MOST_BOMBS = 4  # more than that count as that many
NO_SUIT = 2  # table.suit starts at -2
GRAIN = 16  # widths are multiples of this, filled up with zeros: a GPU multiplies others at a fraction of its speed


class Encoder(nn.Module):
    """Positions as `[n, width]`, plays as `[N, play_width]`. A set of cards has a number for every copy of a rank."""

    reads_cards = False  # whether `action` needs the very cards of a play

    def __init__(self, game: Game, turns: int, how: str = history.FLAT, objectives: int = len(OBJECTIVES)) -> None:
        super().__init__()
        self.objectives = objectives  # how many a net can be asked for
        table, deck = game.table, game.deck
        families = list(dict.fromkeys(table.family))
        kinds = [families.index(family) for family in table.family]
        self.turns, self.seats, self.suited = turns, game.seats, deck.suited
        self.words = deck.packs if deck.suited else 1
        self.copies = 4 * deck.packs  # of one rank
        self.most_cards = game.largest_hand
        self.families, self.suits = len(families), int(table.suit.max()) + NO_SUIT + 1
        self.shifts = nn.Buffer(4 * torch.arange(RANKS), persistent=False)
        self.powers = nn.Buffer(16 ** torch.arange(RANKS), persistent=False)
        self.lanes = nn.Buffer(2 ** torch.arange(4), persistent=False)
        self.steps = nn.Buffer(torch.arange(self.copies), persistent=False)
        self.play_cards = nn.Buffer(torch.as_tensor(table.cards), persistent=False)  # [P]
        kind = torch.tensor(kinds) * self.suits + torch.as_tensor(table.suit).long() + NO_SUIT
        self.play_kind = nn.Buffer(kind, persistent=False)  # [P] family and suit in one number
        self.counts_width = RANKS * self.copies
        self.set_width = self.counts_width + (RANKS * 4 * self.words if self.suited else 0)
        self.play_width = padded(self.counts_width + self.families + self.suits)
        turn_width = self.counts_width + self.seats
        self.history = history.make_block(how, turns, padded(turn_width))
        sets = (2 + self.seats) * self.set_width + self.counts_width  # hand, unseen, played; public cards have no suits
        scalars = self.seats * (self.most_cards + 1) + 3 * self.seats + MOST_BOMBS + objectives
        self.past_width = turns * turn_width if self.history is None else history.UNITS
        self.width = padded(sets + self.play_width + scalars + self.past_width)
        self.action_width = padded(2 * self.counts_width + self.families + self.suits)

    def state(self, seen: Inputs, dtype: torch.dtype) -> Tensor:
        """[n, width] the position, which does not depend on the play considered."""
        parts = [
            self.card_set(seen.hand),
            self.card_set(seen.unseen),
            self.card_set(seen.played).flatten(1),
            self.more_than(self.nibbles(seen.public)),
            self.play(seen.last.long(), dtype),
            functional.one_hot(seen.left.long().clamp(0, self.most_cards), self.most_cards + 1).flatten(1),
            self.seat(seen.last_by),
            self.seat(seen.landlord),
            seen.passed,
            seen.bombs[:, None] > self.steps[:MOST_BOMBS],
            functional.one_hot(seen.objective.long(), self.objectives),
            *self.past(seen, dtype),
        ]
        return join_features(parts, dtype)

    def past(self, seen: Inputs, dtype: torch.dtype) -> list[Tensor]:
        """[n, w] each: the last plays, and who made them."""
        plays, by = seen.history[:, : self.turns].long(), seen.history_by[:, : self.turns]
        cards, seats = self.more_than_of_plays(plays), self.seat(by)  # [n, T, w] each
        if self.history is None:
            return [cards.flatten(1), seats.flatten(1)]
        return [self.history(join_features([cards, seats], dtype), by != NOBODY)]

    def nibbles(self, cards: Tensor) -> Tensor:
        """[...] packed to [..., R]."""
        if torch.compiler.is_exporting():
            return cards[..., None] // self.powers % 16
        return cards[..., None] >> self.shifts & 15

    def more_than(self, counts: Tensor) -> Tensor:
        """[..., R] to [..., R * copies]: whether there are more than 0, 1, 2, ... cards of a rank."""
        return (counts[..., None] > self.steps).flatten(-2)

    def counts_of_plays(self, plays: Tensor) -> Tensor:
        """[...] rows of the table to [..., R]."""
        return self._unpacked(plays, self.nibbles)

    def more_than_of_plays(self, plays: Tensor) -> Tensor:
        """[...] rows of the table to [..., R * copies]."""
        return self._unpacked(plays, lambda cards: self.more_than(self.nibbles(cards)))

    def _unpacked(self, plays: Tensor, unpack: Callable[[Tensor], Tensor]) -> Tensor:
        if torch.compiler.is_exporting():
            return unpack(self.play_cards)[plays]
        return unpack(self.play_cards[plays])

    def counts(self, words: Tensor) -> Tensor:
        """[..., W] to [..., R] cards of each rank."""
        if not self.suited:
            return self.nibbles(words[..., 0])
        return self.bits(words).sum((-1, -3))

    def bits(self, words: Tensor) -> Tensor:
        """[..., W] to [..., W, R, 4], the suits held."""
        return self.nibbles(words)[..., None] // self.lanes % 2

    def card_set(self, words: Tensor) -> Tensor:
        """[..., W] to [..., set_width]."""
        counted = self.more_than(self.counts(words))
        return torch.cat([counted, self.bits(words).flatten(-3) > 0], -1) if self.suited else counted

    def seat(self, seat: Tensor) -> Tensor:
        """One-hot, all zero for NOBODY."""
        return functional.one_hot((seat - NOBODY).long(), self.seats + 1)[..., 1:]

    def play(self, plays: Tensor, dtype: torch.dtype) -> Tensor:
        """[N] rows of the table to [N, play_width]: the cards, family and suit of each play."""
        return join_features(self._play_parts(plays), dtype)

    def _play_parts(self, plays: Tensor) -> list[Tensor]:
        kind = self.play_kind[plays]
        family = functional.one_hot(kind // self.suits, self.families)
        suit = functional.one_hot(kind % self.suits, self.suits)
        return [self.more_than_of_plays(plays), family, suit]

    def action(self, hand: Tensor, plays: Tensor, cards: Tensor | None, dtype: torch.dtype) -> Tensor:
        """[N, action_width] plays [N] and hands [N, W] after them; the very cards [N, W] of the plays are not needed."""
        return join_features([*self._play_parts(plays), self.hand_after(self.counts(hand), plays)], dtype)

    def hand_after(self, held: Tensor, plays: Tensor) -> Tensor:
        """[N, R] counts of hands and [N] plays to [N, counts_width]: the hand after the play, ranks only."""
        return self.more_than(held - self.counts_of_plays(plays))


def padded(width: int) -> int:
    return -(-width // GRAIN) * GRAIN


def join_features(parts: list[Tensor], dtype: torch.dtype) -> Tensor:
    """Concatenates [..., w] each, and zeros up to a multiple of GRAIN."""
    zeros = -sum(part.shape[-1] for part in parts) % GRAIN
    return torch.cat([*(part.to(dtype) for part in parts), parts[0].new_zeros(*parts[0].shape[:-1], zeros, dtype=dtype)], -1)
