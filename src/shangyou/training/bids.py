"""Learning to bid: bid, play the game out with a net that does not change, learn what became of every bid.

Deep Monte-Carlo again, on a decision with at most four choices. When nobody bids, cards are dealt again: that is worth nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from shangyou import games
from shangyou.agents.batch.agent import BatchAgent
from shangyou.agents.batch.play import Bids, play
from shangyou.agents.batch.value_net import TorchNetAgent
from shangyou.engines.batch import BatchEngine, Legal, State, View, check_device
from shangyou.games import Game
from shangyou.nets.bid_net import BidNet
from shangyou.nets.spec import POINTS
from shangyou.nets.value_net import ValueNet
from shangyou.training.ranks import local_device


@dataclass(frozen=True)
class Args:
    minutes: float = 2.0
    device: str = "cuda"
    seed: int = 0
    batch: int = 65_536  # games before learning
    minibatch: int = 8_192
    lr: float = 1e-3
    epsilon: float = 0.2  # share of bids made by lot at the start; it falls to nothing
    width: int = 256


class Progress(NamedTuple):
    seconds: float
    games: int
    loss: float
    bids: list[float]  # share of each bid among all that were made


class Lessons(NamedTuple):
    hand: Tensor  # [D, W]
    bids: Tensor  # [D, S]
    bid: Tensor  # [D]
    points: Tensor  # [D] float


def bidding_game() -> Game:
    return games.load("doudizhu", bidding=True)


def keep(args: Args, net: BidNet, progress: Progress) -> dict[str, Any]:
    """A net and how it came about, to be kept."""
    return {"args": asdict(args), "net": net.state_dict(), "progress": progress._asdict()}


def load_net(kept: dict[str, Any]) -> BidNet:
    net = BidNet(bidding_game(), kept["args"]["width"])
    net.load_state_dict(kept["net"])
    return net


def train(args: Args, player: ValueNet, report: Callable[[Progress], None] = lambda progress: None) -> BidNet:
    """A net that bids for hands which `player` will play, for points."""
    game, device = bidding_game(), check_device(local_device(args.device))
    torch.manual_seed(args.seed)
    engine, generator = BatchEngine(game, device), torch.Generator(device).manual_seed(args.seed)
    net = BidNet(game, args.width).to(device)
    optimiser = torch.optim.Adam(net.parameters(), lr=args.lr)
    agent = TorchNetAgent(game, player.to(device), POINTS)
    began, iterations = time.perf_counter(), 0
    while (left := 1 - (time.perf_counter() - began) / (60 * args.minutes)) > 0:
        state = engine.deal(args.batch, args.seed, iterations * args.batch)
        lessons = bid_and_play(engine, agent, net, state, args.epsilon * left, generator)
        for group in optimiser.param_groups:
            group["lr"] = args.lr * left
        losses = []
        for rows in torch.split(torch.randperm(len(lessons.bid), device=device), args.minibatch):
            hand, bids, bid, points = (column[rows] for column in lessons)
            expected = net(hand, bids).gather(1, bid[:, None])[:, 0]
            loss = functional.mse_loss(expected, points)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            losses.append(loss.detach())
        iterations += 1
        shares = (torch.bincount(lessons.bid, minlength=net.choices) / len(lessons.bid)).tolist()
        report(Progress(time.perf_counter() - began, iterations * args.batch, torch.stack(losses).mean().item(), shares))
    return net


def bid_and_play(
    engine: BatchEngine, agent: TorchNetAgent, net: BidNet, state: State, epsilon: float, generator: torch.Generator
) -> Lessons:
    noted: list[Bids] = []
    bidder = Bidder(agent, net, epsilon, generator)
    played = play(engine, [bidder] * engine.game.seats, None, state, on_bids=noted.append)
    columns = ([getattr(bids, name) for bids in noted] for name in ("games", "deals", "seat", "points"))
    number, deal, seat, bid = map(torch.cat, columns)
    hand, bids = (torch.cat([getattr(bids.view, name) for bids in noted]) for name in ("hand", "bids"))
    points = torch.where(played.state.index[number] == deal, played.scores[number, seat], 0).float()
    return Lessons(hand, bids, bid.long(), points)


class Bidder(BatchAgent):
    """Bids by a net that learns, a share `epsilon` of the bids at random, and plays by another agent."""

    def __init__(self, player: BatchAgent, net: BidNet, epsilon: float, generator: torch.Generator) -> None:
        super().__init__(player.game)
        self.name, self.player, self.net, self.epsilon, self.generator = player.name, player, net, epsilon, generator

    def values(self, view: View, legal: Legal) -> Tensor:
        return self.player.values(view, legal)

    def bid(self, view: View, highest: Tensor) -> Tensor:
        return choose(self.net, view.hand, view.bids, self.epsilon, self.generator)


@torch.no_grad()
def choose(net: BidNet, hand: Tensor, bids: Tensor, epsilon: float, generator: torch.Generator) -> Tensor:
    """[n] the bids that promise most, but any allowed one by lot in a share `epsilon`."""
    may = net.allowed(bids)
    best = net(hand, bids).where(may, -torch.inf).argmax(1)
    drawn = torch.multinomial(may.float(), 1, generator=generator)[:, 0]
    by_lot = torch.rand(len(best), generator=generator, device=best.device) < epsilon
    return torch.where(by_lot, drawn, best)
