"""The net of Double DQN: one answer, Q, the discounted reward to expect of a play.

n positions, N pairs of position and play, W words a set of cards.
"""

from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from shangyou.games import BadInput, Game
from shangyou.nets.encoding import Encoder, join_features, padded
from shangyou.nets.inputs import Inputs
from shangyou.nets.net import Net
from shangyou.nets.value_net import Residual, Size

TRICKS = 8  # seven patterns, and none


class CardEncoder(Encoder):
    """224 numbers: 8 for the pattern to beat, 54 each for its cards, all cards played, the hand and the play considered.

    A number of the 54 is how many copies of a card there are. Past plays, if any are shown, come on top.
    """

    reads_cards = True

    def __init__(self, game: Game, turns: int, how: str) -> None:
        if not game.deck.suited:
            raise BadInput(f"encoding 'cards': cards of one rank are alike in {game.name}; choose 'own'")
        super().__init__(game, turns, how)
        names = [game.table.pattern_of(play).split(" x")[0] for play in range(len(game.table))]
        tricks = list(dict.fromkeys(names))
        self.trick = nn.Buffer(torch.tensor([tricks.index(name) for name in names]), persistent=False)  # [P]
        self.places = nn.Buffer(torch.tensor([4 * rank + suit for rank, suit in game.deck.kinds]), persistent=False)
        self.width = padded(TRICKS + 3 * len(self.places) + self.past_width)
        self.action_width = padded(len(self.places))

    def copies_of_cards(self, words: Tensor) -> Tensor:
        """[..., W] to [..., R, 4] copies of each card."""
        return self.bits(words).sum(-3)

    def by_card(self, copies: Tensor) -> list[Tensor]:
        """[n, w] each, from copies [n, R, 4]: the 54 numbers of a set of cards."""
        return [copies.flatten(1)[:, self.places]]

    def state(self, seen: Inputs, dtype: torch.dtype) -> Tensor:
        trick = functional.one_hot(self.trick[seen.last.long()], TRICKS)
        played = self.copies_of_cards(seen.played).sum(1)
        sets = self.copies_of_cards(seen.last_cards), played, self.copies_of_cards(seen.hand)
        return join_features(
            [trick, *(part for copies in sets for part in self.by_card(copies)), *self.past(seen, dtype)], dtype
        )

    def action(self, hand: Tensor, plays: Tensor, cards: Tensor | None, dtype: torch.dtype) -> Tensor:
        assert cards is not None  # `reads_cards`
        return join_features(self.by_card(self.copies_of_cards(cards)), dtype)


class CountEncoder(CardEncoder):
    """The same 224 numbers, and what follows from them: how many cards of each rank a set has, and the hand after the play.

    It tells nothing new. But whether two or three of a rank would be left is hard to learn from the cards one by one.
    """

    def __init__(self, game: Game, turns: int, how: str) -> None:
        super().__init__(game, turns, how)
        of_set = len(self.places) + self.counts_width
        self.width = padded(TRICKS + 3 * of_set + self.past_width)
        self.action_width = padded(of_set + self.counts_width)

    def by_card(self, copies: Tensor) -> list[Tensor]:
        return [*super().by_card(copies), self.more_than(copies.sum(-1))]

    def action(self, hand: Tensor, plays: Tensor, cards: Tensor | None, dtype: torch.dtype) -> Tensor:
        assert cards is not None
        held, copies = self.copies_of_cards(hand), self.copies_of_cards(cards)
        return join_features([*self.by_card(copies), self.more_than((held - copies).sum(-1))], dtype)


ENCODERS = {"cards": CardEncoder, "counts": CountEncoder, "own": Encoder}


class Answer(nn.Linear):
    """One number for each row, in float32 always: the plays to choose from differ by little."""

    def forward(self, features: Tensor) -> Tensor:
        """[N] from features [N, w]."""
        return (features.float() * self.weight[0].float()).sum(1) + self.bias[0]  # faster than a product


class QNet(Net):
    """`forward` gives Q of N pairs of position and play. Layers as in `ValueNet`."""

    answers: ClassVar = ("value",)

    def __init__(self, game: Game, size: Size, encoding: str) -> None:
        super().__init__()
        if size.opponent_kind:
            raise BadInput("size.opponent_kind=true: only the nets of dmc have the kind of opponent as an input")
        if encoding not in ENCODERS:
            raise BadInput(f"encoding {encoding!r}: there are {', '.join(ENCODERS)}")
        self.encoder: Encoder = ENCODERS[encoding](game, size.turns, size.history)
        self.look = nn.Linear(self.encoder.width, size.trunk)
        self.trunk = nn.Sequential(*(Residual(size.trunk, size.norm) for _ in range(size.trunk_depth)))
        self.to_head = nn.Linear(size.trunk, size.head)
        self.of_action = nn.Linear(self.encoder.action_width, size.head, bias=False)
        self.head = nn.Sequential(*(Residual(size.head, size.norm) for _ in range(size.head_depth)))
        self.answer = Answer(size.head, 1)

    def position(self, seen: Inputs) -> Tensor:
        """[n, head] what the head needs to know of each position."""
        x = functional.relu(self.look(self.encoder.state(seen, self.look.weight.dtype)))
        return self.to_head(self.trunk(x))  # type: ignore[no-any-return]

    def of_pairs(self, position: Tensor, hand: Tensor, plays: Tensor, cards: Tensor | None) -> Tensor:
        """[N] Q, from position [N, head], hand [N, W], plays [N] and their very cards [N, W] if the encoder reads them."""
        action = self.of_action(self.encoder.action(hand, plays, cards, self.of_action.weight.dtype))
        return self.answer(self.head(functional.relu(position + action)))  # type: ignore[no-any-return]

    def forward(self, seen: Inputs, rows: Tensor, plays: Tensor, cards: Tensor | None = None) -> Tensor:
        return self.of_pairs(self.position(seen)[rows], seen.hand[rows], plays, cards)

    def example(self) -> dict[str, tuple[str, Tensor]]:
        cards = {"play_cards": ("pairs", torch.zeros(5, self.encoder.words, dtype=torch.int64))}
        return super().example() | (cards if self.encoder.reads_cards else {})
