"""A linear value of plays from hand-made features.

The features of the agent that came before Deep ZSY are lost; these are ours. They describe the hand after the play, how many
cards and ranks are left and how high they are beside the unseen cards, and the play.

N pairs of position and play, F features, R ranks.
"""

import torch
from torch import Tensor, nn

from shangyou.games import Game
from shangyou.games.cards import ACE, SMALL_JOKER, TWO
from shangyou.nets.encoding import RANKS
from shangyou.nets.papers import NetSpec, PairNet
from shangyou.nets.papers.encoding import BLANK, EncodedBatch

FEATURES = (
    "one", "cards left", "opponent's cards left", "ranks left", "singles", "pairs", "triples", "fours", "low singles",
    "low pairs", "aces", "twos", "jokers", "ranks above all unseen", "highest is mine", "links of chains", "is pass",
    "cards played", "is four of a kind", "highest rank played", "opponent has one card", "opponent has two or three",
    "nothing left", "one piece left",
)  # fmt: skip
LOW = 9  # below the queen


class Linear(PairNet):
    """`forward` gives [1, N] logits."""

    def __init__(self, game: Game) -> None:
        super().__init__()
        self.game, self.spec, self.nets, self.numbers_held = game, NetSpec(()), 1, 1000
        self.cards_each = game.largest_hand
        self.weight = nn.Parameter(torch.zeros(len(FEATURES)))
        self.deck = nn.Buffer(torch.tensor(game.deck.counts(game.deck.full)), persistent=False)
        self.ranks = nn.Buffer(torch.arange(RANKS), persistent=False)

    def forward(self, encoded: EncodedBatch) -> Tensor:
        return (self.features(encoded) @ self.weight)[None]

    def features(self, encoded: EncodedBatch) -> Tensor:
        """[N, F] all of about the size of 1; a blank column counts as no cards."""
        mine, theirs, after, play = (encoded.counts % BLANK).view(-1, 4, RANKS).unbind(1)  # [N, R] each
        unseen = self.deck - mine - theirs - after - play
        top_unseen = _highest(unseen, self.ranks)
        left, opponent, played = after.sum(1), self.cards_each - theirs.sum(1), play.sum(1)
        singles, pairs_held = after == 1, after == 2
        above_all = (after > 0) & (self.ranks > top_unseen[:, None])
        links = (after[:, :TWO] >= 2) & (after[:, 1 : TWO + 1] >= 2)
        pieces = (after > 0).sum(1)
        columns = [
            torch.ones_like(left), left / 10, opponent / 10, pieces / 10, singles.sum(1) / 5, pairs_held.sum(1) / 5,
            (after == 3).sum(1) / 2, (after == 4).sum(1), singles[:, :LOW].sum(1) / 5, pairs_held[:, :LOW].sum(1) / 5,
            after[:, ACE] / 2, after[:, TWO] / 2, after[:, SMALL_JOKER:].sum(1), above_all.sum(1) / 2,
            _highest(after, self.ranks) > top_unseen, links.sum(1) / 3, played == 0, played / 5,
            (play == 4).sum(1) * (played == 4), _highest(play, self.ranks) / 10, opponent == 1,
            (opponent == 2) | (opponent == 3), left == 0, pieces == 1,
        ]  # fmt: skip
        return torch.stack([column.to(self.weight.dtype) for column in columns], 1)


def _highest(counts: Tensor, ranks: Tensor) -> Tensor:
    """[N] the highest rank held, 0 if none is."""
    return ((counts > 0) * ranks).amax(1)
