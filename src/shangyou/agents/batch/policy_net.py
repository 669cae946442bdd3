"""An agent that plays a batch of games by the nets of DeepRocket, on the device of the nets."""

from copy import deepcopy

import torch
from torch import Tensor

from shangyou.agents.batch.agent import BatchAgent, whole_positions
from shangyou.agents.scripted.bidding import bid_by_strength
from shangyou.engines.batch import Legal, View
from shangyou.games import Game
from shangyou.nets.deeprocket import DeepRocket
from shangyou.nets.inputs import inputs_of

PAIRS_AT_ONCE, POSITIONS_AT_ONCE = 1 << 17, 1 << 13  # more would only take memory


class PolicyNetAgent(BatchAgent):
    """Values are log-probabilities. Plays by its own copy of the nets, in half precision on a GPU; `refresh` copies again."""

    def __init__(self, game: Game, net: DeepRocket, name: str = "deeprocket") -> None:
        super().__init__(game, bid_by_strength)
        self.name = name
        self.net = deepcopy(net).eval().requires_grad_(False)
        if self.net.kicker.answer.weight.is_cuda:
            for part in (*self.net.policies, self.net.kicker):
                part.to_bf16()

    @torch.no_grad()
    def refresh(self, net: DeepRocket) -> None:
        for mine, learned in zip(self.net.state_dict().values(), net.state_dict().values(), strict=True):
            mine.copy_(learned)

    @torch.no_grad()
    def values(self, view: View, legal: Legal) -> Tensor:
        seen, pieces = inputs_of(view, torch.zeros_like(view.last)), []
        for games, pairs in whole_positions(legal, PAIRS_AT_ONCE, POSITIONS_AT_ONCE):
            pieces.append(self.net(seen.at(games), legal.rows[pairs] - games.start, legal.plays[pairs]))
        return torch.cat(pieces)
