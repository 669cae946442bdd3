"""Games of an evaluation on the batch engine: scripted agents, models, and nets on the device they are trained on."""

from collections.abc import Sequence
from dataclasses import replace

import torch

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.play import Bids, play
from shangyou.engines.batch import BatchEngine, State
from shangyou.engines.kernels.layout import LANDLORD
from shangyou.evaluation.backends import BidsMade, Ints, OnBids, Results
from shangyou.games import Deal


class BatchBackend:
    """Agents on tensors, with the seed of the deals they play, or the deals."""

    def __init__(self, engine: BatchEngine, agents: Sequence[BatchAgent], seed: int, given: Sequence[Deal] = ()) -> None:
        self.engine, self.game, self.agents, self.seed, self.given = engine, engine.game, agents, seed, given

    def play(self, seats: Ints, deals: Ints, on_bids: OnBids | None = None) -> Results:
        def observe(bids: Bids) -> None:
            if on_bids is not None:
                turns = (bids.view.bids >= 0).sum(1)
                on_bids(BidsMade(*(column.cpu().numpy() for column in (seated[bids.games, bids.seat], turns, bids.points))))

        seated = torch.as_tensor(seats, device=self.engine.device)
        played = play(self.engine, self.agents, seated, self._start(deals), on_bids=observe)
        columns = played.places, played.scores, played.turns
        return Results(
            played.state.scalars[LANDLORD].cpu().numpy(),
            played.won.cpu().numpy(),
            *(column.cpu().numpy() for column in columns),
        )

    def _start(self, deals: Ints) -> State:
        device, deck = self.engine.device, self.game.deck
        numbers = torch.as_tensor(deals, device=device)
        if not self.given:
            return self.engine.deal_these(numbers, self.seed)
        dealt = [self.given[number] for number in deals.tolist()]
        hands = torch.tensor([[deck.words(hand) for hand in deal.hands] for deal in dealt], device=device)  # [B, S, W]
        public, first = torch.tensor([(deal.public, deal.first) for deal in dealt], device=device).T
        return replace(self.engine.start(hands, public, first), index=numbers, seed=self.seed)  # what a redeal goes on from
