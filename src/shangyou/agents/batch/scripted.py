"""The scripted agents on tensors, each equal to its namesake decision by decision."""

from abc import abstractmethod
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

from shangyou.agents.batch.agent import BatchAgent
from shangyou.agents.scripted.bidding import bid_by_strength
from shangyou.agents.scripted.greedy import NEVER_IF_AVOIDABLE
from shangyou.engines.batch import Legal, View
from shangyou.engines.forest import ONES
from shangyou.games import PASS, Game, PlayTable
from shangyou.games.shuffle import GOLDEN, HAND_KEY, MIX_1, MIX_2, TWICE_KEY, seed_key


class CountingAgent(BatchAgent):
    """Chooses a place in each game's list of legal plays, without looking at the plays."""

    @abstractmethod
    def place(self, view: View, legal: Legal) -> Tensor:
        """[n] which of each game's legal plays, from 0."""

    def values(self, view: View, legal: Legal) -> Tensor:
        chosen = legal.starts[:-1] + self.place(view, legal)
        return torch.zeros(len(legal.plays), device=legal.plays.device).index_fill_(0, chosen, 1.0)

    def act(self, view: View, legal: Legal) -> Tensor:
        """[n] what the values say, without going through them."""
        return legal.plays[legal.starts[:-1] + self.place(view, legal)]


class RandomBatchAgent(CountingAgent):
    """`RandomAgent`, draw by draw."""

    name = "random"

    def __init__(self, game: Game, seed: int = 0) -> None:
        super().__init__(game)
        self.key = seed_key(seed)

    def place(self, view: View, legal: Legal) -> Tensor:
        return hash_choices(self.key, view.turns, view.hand, legal.counts)

    def bid(self, view: View, highest: Tensor) -> Tensor:
        bids_made = (view.bids >= 0).sum(1)
        above = max(self.game.allowed_bids(())) - highest
        drawn = hash_choices(self.key, bids_made - self.game.seats, view.hand, above + 1)
        return torch.where(drawn > 0, highest + drawn, 0)


class PaperGreedyBatchAgent(CountingAgent):
    """`PaperGreedyAgent`: the second play of the list."""

    name = "paper-greedy"

    def place(self, view: View, legal: Legal) -> Tensor:
        return (legal.counts - 1).clamp(max=1)


def hash_choices(key: int, turns: Tensor, hand: Tensor, choices: Tensor) -> Tensor:
    """[n] int64 `games.shuffle.hash_choice` of many draws: turns [n], hand [n, W], choices [n]."""
    x = turns.long() * _signed(GOLDEN) + _signed(key)
    for word, salt in zip(hand.unbind(1), (HAND_KEY, TWICE_KEY), strict=False):
        x = x + word * _signed(salt)
    return _shifted(_mix(x), 32) * choices >> 32


def _mix(x: Tensor) -> Tensor:
    x = (x ^ _shifted(x, 30)) * _signed(MIX_1)
    x = (x ^ _shifted(x, 27)) * _signed(MIX_2)
    return x ^ _shifted(x, 31)


def _shifted(x: Tensor, bits: int) -> Tensor:
    """To the right, with zeros coming in: torch's own shift brings in the sign."""
    return x >> bits & (1 << (64 - bits)) - 1


def _signed(x: int) -> int:
    """64 bits as the int64 they are."""
    return x - (x >> 63 << 64)


# -- greedy ----------------------------------------------------------------------------------------------------------


class _Columns(NamedTuple):
    cards: Tensor  # [P] int64 counts of ranks
    size: Tensor  # [P] float, as all below
    strength: Tensor
    bomb: Tensor  # 1 for a bomb


@cache
def _columns(table: PlayTable, device: torch.device) -> _Columns:
    cards = torch.as_tensor(table.cards, device=device)
    columns = (table.size, table.strength, table.bomb > 0)
    return _Columns(cards, *(torch.as_tensor(column, dtype=torch.float32, device=device) for column in columns))


class GreedyBatchAgent(BatchAgent):
    """`GreedyAgent`, whose docstring has the rule."""

    name = "greedy"

    def __init__(self, game: Game) -> None:
        super().__init__(game, bid_by_strength)

    def values(self, view: View, legal: Legal) -> Tensor:
        table = _columns(self.game.table, legal.plays.device)
        plays = legal.plays.long()
        sheds_lowest = (table.cards[plays] & _lowest_lane(view.hand)[legal.rows]) != 0
        leading = table.size[plays] + 2 * NEVER_IF_AVOIDABLE * sheds_lowest
        following = -table.strength[plays] - 2 * NEVER_IF_AVOIDABLE * (plays == PASS)
        return torch.where(view.last[legal.rows] == PASS, leading, following) - NEVER_IF_AVOIDABLE * table.bomb[plays]


def _lowest_lane(hand: Tensor) -> Tensor:
    """[n] all four bits of the lowest rank held; word 0 has every rank, whether as counts or as suits."""
    word = hand[:, 0]
    held = (word | word >> 1 | word >> 2 | word >> 3) & ONES
    return (held & -held) * 15
