"""DouZero's Deep Monte-Carlo (Zha et al. 2021), with its nets and settings, on the batch engine: a yardstick for doudizhu.

    net = start("douzero", Args("doudizhu", minutes=10), RunFolder(path), report=print)

Each role has a net of its own, which learns from every turn of that role what reward its game ended with, by squared error.
docs/douzero.md lists what differs from the published program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn import functional

from shangyou.agents.batch.value_net import DouZeroAgent
from shangyou.games import BadInput, Game
from shangyou.nets.douzero import ROLES, DouZeroNet, Size
from shangyou.nets.inputs import Inputs
from shangyou.nets.spec import OBJECTIVES
from shangyou.training.algorithm import Algorithm, Run, WarmArgs
from shangyou.training.cuda_graph import CudaGraphStep
from shangyou.training.learning_rate import LearningRate
from shangyou.training.self_play import Explorer, TrainingBatch, play_training_batch
from shangyou.training.self_play_batches import Batches


@dataclass(frozen=True)
class Args(WarmArgs):
    MAY_CHANGE: ClassVar = WarmArgs.MAY_CHANGE | {"batch", "ahead"}

    batch: int = 32_768  # games played before learning from them; each process plays so many
    minibatch: int = 3_200  # turns of one role a step of its net
    lr: float = 1e-4  # of RMSprop, the same to the end
    alpha: float = 0.99  # of RMSprop
    rms_epsilon: float = 1e-5  # of RMSprop
    clip: float = 40.0  # the largest norm of the gradient of a role's net
    ahead: bool = False  # play the next batch while learning from this one: by nets older by one batch
    epsilon: float = 0.01  # share of decisions made at random
    objective: str = "win"  # 1 for a win and -1 for a loss; or points: doubled with every bomb
    size: Size = field(default_factory=Size)

    def __post_init__(self) -> None:
        if self.objective not in OBJECTIVES:
            raise BadInput(f"objective {self.objective!r}: there are {', '.join(OBJECTIVES)}")


def make_net(args: Args, game: Game) -> DouZeroNet:
    torch.manual_seed(args.seed)
    return DouZeroNet(game, args.size)


def make_optimiser(args: Args, net: DouZeroNet) -> torch.optim.Optimizer:
    """One for all roles: the weights of those that have no gradient stay as they are."""
    device = net.net_of(0).answer.weight.device
    groups = [
        {"params": list(net.net_of(role).parameters()), "lr": torch.tensor(args.lr, device=device)}
        for role in range(len(ROLES))
    ]
    return torch.optim.RMSprop(groups, alpha=args.alpha, eps=args.rms_epsilon, capturable=device.type == "cuda")


def train(args: Args, run: Run) -> DouZeroNet:
    progress, net = run.progress, make_net(args, run.game).to(run.device)
    optimiser = make_optimiser(args, net)
    run.restore(net, optimiser)
    player, learner = DouZeroAgent(run.game, net), Learner(net, optimiser, args, run)
    objective = torch.full((args.batch,), OBJECTIVES.index(args.objective), device=run.device)
    explorer = Explorer(player, objective, args.epsilon)
    play = partial(play_batch, args, run, explorer)
    with closing(Batches(play, player, net, args.ahead)) as batches:
        for _ in run.learn(net, optimiser, batches.settled):
            with run.timed("acting"):
                batch = batches.take(progress.iterations)
            with run.timed("learning"):
                losses = learner.learn(batch, seed=progress.iterations)
            progress.loss = sum(losses) / len(losses)
            progress.metrics = dict(zip(("landlord", "next", "last"), losses, strict=True))
            progress.count(*run.context.total(args.batch, batch.decisions, len(batch.plays), batch.pairs))
    return net


def play_batch(args: Args, run: Run, explorer: Explorer, iteration: int) -> TrainingBatch:
    """The games of an iteration, every turn of them."""
    number = iteration * run.context.count + run.context.rank
    explorer.generator.manual_seed(args.seed * 1_000_003 + number)
    seats = torch.zeros(args.batch, run.game.seats, dtype=torch.int64, device=run.device)
    start = run.engine.deal(args.batch, args.seed, number * args.batch)
    return play_training_batch(run.engine, explorer, [], seats, start, forced=True)


class Learner:
    """Learning from a batch of games, once through, in random minibatches of one role each, roles in turn."""

    def __init__(self, net: DouZeroNet, optimiser: torch.optim.Optimizer, args: Args, run: Run) -> None:
        self.net, self.optimiser, self.args, self.context = net, optimiser, args, run.context
        self.rates = [LearningRate(optimiser, args.warmup, role) for role in range(len(ROLES))]
        on_gpu = run.device.type == "cuda"
        nets = [net.net_of(role) for role in range(len(ROLES))]
        self.answers = [torch.compile(one) if on_gpu else one for one in nets]
        steps = [partial(self.step, role) for role in range(len(ROLES))]
        self.steps = [CudaGraphStep(step) for step in steps] if on_gpu and run.context.count == 1 else steps

    def learn(self, batch: TrainingBatch, seed: int) -> list[float]:
        """The mean loss of each role; 0 for one that had no minibatch."""
        totals = torch.zeros(len(ROLES), 2, device=batch.plays.device)
        for role, columns in self.minibatches(batch, seed):
            self.rates[role].set(self.args.lr)
            totals[role, 0] += self.steps[role](columns)
            totals[role, 1] += 1
        return (totals[:, 0] / totals[:, 1].clamp(min=1)).tolist()

    def minibatches(self, batch: TrainingBatch, seed: int) -> Iterator[tuple[int, Sequence[Tensor]]]:
        """A role, and turns of it with their rewards. What fills no minibatch is left out."""
        generator, role = torch.Generator(batch.plays.device).manual_seed(seed), self.net.encoder.role(batch.seen.landlord)
        columns, parts, counts = [*batch.seen, batch.plays, self.rewards(batch, role)], [], []
        for number in range(len(ROLES)):
            own = torch.nonzero(role == number)[:, 0]
            own = own[torch.randperm(len(own), generator=generator, device=own.device)]
            parts.append([column[own] for column in columns])  # once: slices cost nothing
            counts.append(self.context.least(len(own)) // self.args.minibatch)
        for i in range(max(counts)):
            part = slice(i * self.args.minibatch, (i + 1) * self.args.minibatch)
            yield from (
                (number, [column[part] for column in parts[number]]) for number in range(len(ROLES)) if i < counts[number]
            )

    def rewards(self, batch: TrainingBatch, role: Tensor) -> Tensor:
        """[D] what is learned: 1 or -1, or the points of a peasant; the landlord, paid by two, learns half of its points."""
        return 2 * batch.won - 1 if self.args.objective == "win" else torch.where(role == 0, batch.points / 2, batch.points)

    def step(self, role: int, columns: Sequence[Tensor]) -> Tensor:
        """One step of a role's net; its loss."""
        *seen, plays, rewards = columns
        loss = functional.mse_loss(self.answers[role](Inputs(*seen), plays.long()), rewards)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        parameters = list(self.net.net_of(role).parameters())
        self.context.average_gradients(parameters)
        torch.nn.utils.clip_grad_norm_(parameters, self.args.clip)
        self.optimiser.step()
        return loss.detach()


FOR_CPU: dict[str, Any] = {"batch": 256, "minibatch": 800, "eval_deals": 200, "size": Size(units=32, width=128)}
ALGORITHM = Algorithm(Args, train, make_net, cpu=FOR_CPU)
