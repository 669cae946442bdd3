"""Learning to bid: bid, play the game out with a net that does not change, learn what became of every bid.

Deep Monte-Carlo again, on a decision with at most four choices. When nobody bids, cards are dealt again, which pays nothing.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from shangyou.agents.batch.exploring import ExploringAgent
from shangyou.agents.batch.play import Bids, play
from shangyou.agents.batch.value_net import TorchNetAgent
from shangyou.engines.batch import BatchEngine, State, View
from shangyou.games import BadInput, Game
from shangyou.nets.bid_net import BidNet
from shangyou.nets.spec import POINTS
from shangyou.training.algorithm import Algorithm, Run, TimedArgs

LEAST_EXPLORATION = 0.1  # of epsilon: a net that does not bid at all would never meet a game to learn from


@dataclass(frozen=True)
class Args(TimedArgs):
    MAY_CHANGE: ClassVar = TimedArgs.MAY_CHANGE | {"player"}

    minutes: float = 2.0
    player: str = ""  # the run whose net plays the hands that are bid for
    batch: int = 65_536  # games before learning
    minibatch: int = 8_192
    lr: float = 1e-3
    epsilon: float = 0.2  # share of bids made at random at the start; it falls to a tenth of that
    width: int = 256


class BidBatch(NamedTuple):
    hand: Tensor  # [D, W]
    bids: Tensor  # [D, S]
    bid: Tensor  # [D]
    points: Tensor  # [D] float


def make_net(args: Args, game: Game) -> BidNet:
    torch.manual_seed(args.seed)
    return BidNet(game, args.width)


def train(args: Args, run: Run) -> BidNet:
    """A net that bids for hands which the net of the run `player` will play, for points."""
    if not args.player:
        raise BadInput("bids: --set player=RUN names the run whose net plays the hands")
    generator, net = torch.Generator(run.device).manual_seed(args.seed), make_net(args, run.game).to(run.device)
    optimiser = torch.optim.Adam(net.parameters(), lr=args.lr)
    run.restore(net, optimiser)
    agent = TorchNetAgent(run.game, run.load_net(args.player), POINTS)
    for left in run.learn(net, optimiser):
        start = run.engine.deal(args.batch, args.seed, run.progress.iterations * args.batch)
        batch = bid_and_play(run.engine, agent, net, start, args.epsilon * max(left, LEAST_EXPLORATION), generator)
        run.progress.loss = learn(net, optimiser, batch, args.lr * left, args.minibatch)
        shares = (torch.bincount(batch.bid, minlength=net.choices) / len(batch.bid)).tolist()
        run.progress.metrics = {f"bid {points}": share for points, share in enumerate(shares)}
        run.progress.count(args.batch)
    return net


def learn(net: BidNet, optimiser: torch.optim.Optimizer, batch: BidBatch, lr: float, minibatch: int) -> float:
    """Once through the bids; the mean loss."""
    losses = []
    for group in optimiser.param_groups:
        group["lr"] = lr
    for rows in torch.split(torch.randperm(len(batch.bid), device=batch.bid.device), minibatch):
        hand, bids, bid, points = (column[rows] for column in batch)
        loss = functional.mse_loss(net(hand, bids).gather(1, bid[:, None])[:, 0], points)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        losses.append(loss.detach())
    return torch.stack(losses).mean().item()


def bid_and_play(
    engine: BatchEngine, agent: TorchNetAgent, net: BidNet, state: State, epsilon: float, generator: torch.Generator
) -> BidBatch:
    columns: list[tuple[Tensor, ...]] = []

    def collect(bids: Bids) -> None:
        columns.append((bids.games, bids.deals, bids.seat, bids.view.hand, bids.view.bids, bids.points))

    bidder = Bidder(agent, net, epsilon, generator)
    played = play(engine, [bidder] * engine.game.seats, None, state, on_bids=collect)
    game, deal, seat, hand, bids, bid = map(torch.cat, zip(*columns, strict=True))
    points = torch.where(played.state.index[game] == deal, played.scores[game, seat], 0).float()
    return BidBatch(hand, bids, bid.long(), points)


class Bidder(ExploringAgent):
    """Bids by a net that learns, a share `epsilon` of the bids at random, and plays by another."""

    def __init__(self, player: TorchNetAgent, net: BidNet, epsilon: float, generator: torch.Generator) -> None:
        super().__init__(player, generator.device)
        self.net, self.epsilon, self.generator = net, epsilon, generator

    def bid(self, view: View, highest: Tensor) -> Tensor:
        return choose(self.net, view.hand, view.bids, self.epsilon, self.generator)


@torch.no_grad()
def choose(net: BidNet, hand: Tensor, bids: Tensor, epsilon: float, generator: torch.Generator) -> Tensor:
    """[n] the bids that promise most, but a random allowed one in a share `epsilon`."""
    may = net.allowed(bids)
    best = net(hand, bids).where(may, -torch.inf).argmax(1)
    drawn = torch.multinomial(may.float(), 1, generator=generator)[:, 0]
    explores = torch.rand(len(best), generator=generator, device=best.device) < epsilon
    return torch.where(explores, drawn, best)


PRESETS = {"doudizhu": {"rules": "bidding=true", "opponents": ()}}
ALGORITHM = Algorithm(Args, train, make_net, PRESETS, {"batch": 256, "minibatch": 256}, file="bids")
