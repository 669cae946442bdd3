"""Double DQN (van Hasselt et al. 2016) with prioritized replay, alone, against bots, or against a pool of past versions.

    net = start("ddqn", Args("zsy4", minutes=1), RunFolder(path), report=print)

Q of a decision is learned as its reward and what is expected of the same seat's next decision: the net chooses there among the
legal plays, a copy of it, renewed now and then, says what the choice is worth. Turns without a choice are not stored; their
rewards count for the decision before them. For a seat the game ends when it is out of cards.

B games, S seats, T turns, n decisions drawn, P rows of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from shangyou.agents.batch import BatchAgent, first_best, load_batch
from shangyou.agents.batch.play import Played, play
from shangyou.agents.batch.value_net import QNetAgent
from shangyou.engines.batch import BatchEngine
from shangyou.games import PASS, BadInput, Game
from shangyou.nets.inputs import Inputs
from shangyou.nets.q_net import QNet
from shangyou.nets.value_net import Size
from shangyou.training.algorithm import Algorithm, Run, TimedArgs
from shangyou.training.ddqn.pool import LEARNER, Pool, PoolArgs
from shangyou.training.ddqn.replay import Collector, Decisions, Replay
from shangyou.training.self_play import Explorer

REWARDS = ("card", "play", "first", "points")
OTHERS = ("self", "bots", "pool")
LOSSES = {"huber": functional.smooth_l1_loss, "squared": functional.mse_loss}
FOR_A_CARD = 0.25


@dataclass(frozen=True)
class Args(TimedArgs):
    games: int = 32_768  # played before each round of learning
    steps: int = 64  # of the optimiser in a round
    minibatch: int = 16_384  # decisions a step
    capacity: int = 10_000_000  # decisions stored
    lr: float = 1e-3  # falls to nothing
    epsilon: float = 0.05  # share of plays made at random; falls to nothing
    discount: float = 0.99  # from one turn of a seat to its next
    n_step: int = 3  # decisions whose rewards are added up before the net is asked
    double: bool = True  # whether the net itself chooses what its copy values
    target_every: int = 64  # steps until the copy is renewed
    loss: str = "huber"  # of the error of Q: linear above 1; or squared
    replay: str = "prioritized"  # or uniform, or weighted: drawn evenly, weighted by priority
    alpha: float = 0.6  # priorities are errors to this power
    beta: float = 0.4  # how far weights make up for uneven drawing; grows to 1
    reward: str = "card"  # 0.25 for each card played, or each play, and 1 for the winner; first: 1 for the winner alone; points
    reward_scale: float = 1.0  # all rewards times this
    others: str = "pool"  # who plays with the learner: itself, bots, or a pool of past versions
    bots: tuple[str, ...] = ("greedy",)
    pool: PoolArgs = field(default_factory=PoolArgs)
    encoding: str = "own"  # cards: every card by itself, as in the project that this follows; counts: and cards counted by rank
    size: Size = field(default_factory=lambda: Size(trunk=512, trunk_depth=1, head=512, head_depth=2, turns=0))

    def __post_init__(self) -> None:
        for name, choices in (("reward", REWARDS), ("others", OTHERS), ("loss", LOSSES)):
            if getattr(self, name) not in choices:
                raise BadInput(f"{name} {getattr(self, name)!r}: there are {', '.join(choices)}")
        if self.n_step < 1:
            raise BadInput(f"n_step {self.n_step}: at least 1 decision")


def make_net(args: Args, game: Game) -> QNet:
    torch.manual_seed(args.seed)
    return QNet(game, args.size, args.encoding)


def train(args: Args, run: Run) -> QNet:
    net, progress = make_net(args, run.game).to(run.device), run.progress
    optimiser = torch.optim.Adam(net.parameters(), lr=args.lr, fused=run.device.type == "cuda")
    run.restore(net, optimiser)
    player, learner = QNetAgent(run.engine, net), Learner(args, run.engine, net, optimiser)
    table = Table(args, run, player)

    def state() -> dict[str, Any]:
        return {"net": net.state_dict(), "optimiser": optimiser.state_dict(), "pool": table.pool.state()}

    for left in run.steps(state, lambda: player):
        seed = args.seed * 1_000_003 + progress.iterations
        with run.timed("acting"):
            decisions, played = table.play(progress.iterations, args.epsilon * left, seed)
            learner.replay.add(decisions)
        with run.timed("learning"):
            progress.loss, progress.metrics = learner.learn(left, seed)
            player.refresh(net)
            progress.metrics |= table.after(net, played, progress.iterations)
        progress.count(args.games, int(played.turns.sum()), len(decisions))
    return net


class Table:
    """Who plays with the learner."""

    def __init__(self, args: Args, run: Run, player: QNetAgent) -> None:
        self.args, self.engine, self.player = args, run.engine, player
        self.pool = Pool(args.pool, player.net)
        if run.resumed is not None:
            self.pool.restore(run.resumed["pool"])
        self.bots = [load_batch(name, run.game) for name in args.bots] if args.others == "bots" else []
        self.versions: dict[str, QNetAgent] = {}
        self.sizes = torch.as_tensor(run.game.table.size, device=run.device)

    def play(self, batch: int, epsilon: float, seed: int) -> tuple[Decisions, Played]:
        """The next games, and the learner's decisions in them."""
        args = self.args
        draw = torch.Generator(self.engine.device).manual_seed(seed)
        explorer = Explorer(self.player, torch.zeros(args.games, dtype=torch.long, device=self.engine.device), epsilon)
        explorer.generator.manual_seed(seed)
        self.seats = self._seats(draw)
        collector = Collector(self.seats == 0, args.size.turns)
        start = self.engine.deal(args.games, args.seed, batch * args.games)
        played = play(self.engine, [explorer, *self._others()], self.seats, start, collector)
        rewards = partial(turn_reward, args.reward, self.sizes)
        return collector.decisions(rewards, terminal_reward(args.reward, played), args.discount, args.reward_scale), played

    def _seats(self, draw: torch.Generator) -> Tensor:
        """[B, S] 0, the learner, and the others by number."""
        games, seats = self.args.games, self.engine.game.seats
        if self.args.others == "self":
            return torch.zeros(games, seats, dtype=torch.long, device=draw.device)
        if self.args.others == "pool":
            return self.pool.seats(games, seats, draw)
        number = torch.arange(games, device=draw.device)
        bots = torch.randint(1, 1 + len(self.bots), (games, seats), generator=draw, device=draw.device)
        bots[number, number % seats] = 0
        return bots

    def _others(self) -> Sequence[BatchAgent]:
        if self.args.others != "pool":
            return self.bots
        for name in self.pool.names:
            if name not in self.versions:
                net = deepcopy(self.player.net)
                net.load_state_dict(self.pool.versions[name])
                self.versions[name] = QNetAgent(self.engine, net, name)
        self.versions = {name: self.versions[name] for name in self.pool.names}
        return list(self.versions.values())

    def after(self, net: QNet, played: Played, batch: int) -> dict[str, float]:
        """Ratings by the games, and now and then a new version; what is logged of the pool."""
        if self.args.others != "pool":
            return {}
        self.pool.rate(self.seats, played.places)
        if (batch + 1) % self.args.pool.every == 0:
            self.pool.admit(net)
        ratings = self.pool.ratings
        pool = [ratings[name].mu for name in self.pool.names]
        found = {"rating": ratings[LEARNER].mu, "lowest of pool": min(pool), "highest of pool": max(pool)}
        return found | {"versions": float(self.pool.admitted)}


def turn_reward(kind: str, sizes: Tensor, plays: Tensor) -> Tensor:
    """[T] for making a play; sizes [P] are the cards of each row."""
    if kind == "card":
        return FOR_A_CARD * sizes[plays]
    return FOR_A_CARD * (plays != PASS) if kind == "play" else torch.zeros_like(plays, dtype=torch.float)


def terminal_reward(kind: str, played: Played) -> Tensor:
    """[B, S] for the outcome."""
    return played.scores.float() if kind == "points" else played.won.float()


class Learner:
    """Steps of the optimiser on decisions drawn from the replay."""

    def __init__(self, args: Args, engine: BatchEngine, net: QNet, optimiser: torch.optim.Optimizer) -> None:
        self.args, self.engine, self.net, self.optimiser = args, engine, net, optimiser
        self.device = engine.device
        self.target = deepcopy(net).requires_grad_(False)
        self.replay = Replay(args.capacity, args.replay, args.alpha, engine.device)
        self.steps = 0
        compiled = torch.compile(dynamic=True) if engine.device.type == "cuda" else lambda function: function
        self._of_net, self._of_target = compiled(net.forward), compiled(self.target.forward)

    def learn(self, left: float, seed: int) -> tuple[float, dict[str, float]]:
        """The mean loss of a round of steps, and what is logged of it; `left` is the share of the run that is left."""
        generator = torch.Generator(self.device).manual_seed(seed)
        for group in self.optimiser.param_groups:
            group["lr"] = self.args.lr * left
        found = [self.step(left, generator) for _ in range(self.args.steps)]
        loss, q, gradient = torch.stack(found).unbind(1)
        metrics = {"Q": q.mean(), "gradient": gradient.mean(), "steepest": gradient.max()}
        return loss.mean().item(), {name: value.item() for name, value in metrics.items()}

    def step(self, left: float, generator: torch.Generator) -> Tensor:
        """[3] the loss, the mean Q, and the norm of the gradient."""
        args, replay = self.args, self.replay
        if self.steps % args.target_every == 0:
            self.target.load_state_dict(self.net.state_dict())
        self.steps += 1
        rows, weights = replay.draw(args.minibatch, 1 - (1 - args.beta) * left, generator)
        expected = self.targets(rows)
        assert replay.stored is not None
        seen, plays = replay.stored.seen.at(rows), replay.stored.plays[rows].long()
        q = self._q(self._of_net, seen, torch.arange(len(rows), device=self.device), plays)
        loss = (weights * LOSSES[args.loss](q, expected, reduction="none")).mean()
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        gradient = nn.utils.get_total_norm([weight.grad for weight in self.net.parameters() if weight.grad is not None])
        self.optimiser.step()
        replay.update(rows, q - expected)
        return torch.stack([loss.detach(), q.detach().mean(), gradient])

    @torch.no_grad()
    def targets(self, rows: Tensor) -> Tensor:
        """[n] what is to be expected of decisions [n]."""
        reward, discount, after = self.replay.ahead(rows, self.args.n_step)
        assert self.replay.stored is not None
        seen = self.replay.stored.seen.at(after)
        legal = self.engine.legal_of(seen.hand, seen.last)
        values = self._q(self._of_net if self.args.double else self._of_target, seen, legal.rows, legal.plays.long())
        best = first_best(values, legal)
        if self.args.double:
            everybody = torch.arange(len(rows), device=self.device)
            return reward + discount * self._q(self._of_target, seen, everybody, legal.plays[best].long())
        return reward + discount * values[best]

    def _q(self, net: Any, seen: Inputs, rows: Tensor, plays: Tensor) -> Tensor:
        cards = self.engine.cards_of(seen.hand[rows], plays) if self.net.encoder.reads_cards else None
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            return net(seen, rows, plays, cards)  # type: ignore[no-any-return]


PRESETS = {"zsy4": {"encoding": "counts"}}
FOR_CPU = {
    "games": 256, "steps": 8, "minibatch": 512, "capacity": 200_000, "eval_deals": 500,
    "size": Size(trunk=128, trunk_depth=1, head=128, head_depth=1, turns=0),
}  # fmt: skip
ALGORITHM = Algorithm(Args, train, make_net, PRESETS, FOR_CPU)
