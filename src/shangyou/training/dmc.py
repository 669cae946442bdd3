"""Deep Monte-Carlo self-play: play a batch of games to their end, learn what became of every decision, repeat.

    net = start("dmc", Args("zsy2", minutes=10), RunFolder(path), report=print)

The value of a play is learned as it is: whether the game was won and for how many points, by cross entropy and squared error.
No bootstrapping, no replay: games are cheap here, and the freshest are the best.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.agents.batch.value_net import TorchNetAgent
from shangyou.games import BadInput, Game
from shangyou.nets.inputs import Inputs
from shangyou.nets.spec import OBJECTIVES, POINTS, TO_BEAT_SPARRING, WIN
from shangyou.nets.value_net import Residual, Size, ValueNet
from shangyou.training.algorithm import Algorithm, Run, WarmArgs
from shangyou.training.cuda_graph import CudaGraphStep
from shangyou.training.distributed import DistributedContext
from shangyou.training.learning_rate import LearningRate
from shangyou.training.self_play import Explorer, TrainingBatch, play_training_batch, seats_with_partners
from shangyou.training.self_play_batches import Batches


@dataclass(frozen=True)
class Args(WarmArgs):
    MAY_CHANGE: ClassVar = WarmArgs.MAY_CHANGE | {"against", "ahead"}

    batch: int = 262_144  # games played before learning from them; each process plays so many
    minibatch: int = 32_768  # decisions a step of the optimiser
    lr: float = 1e-3
    weight_decay: float = 0.0  # share of the learning rate by which weights shrink in a step
    bias: float = 0.0  # added to the biases with which hidden layers begin: above 0, more units fire at first
    ahead: bool = False  # play the next batch while learning from this one: by a net older by one batch
    epsilon: float = 0.01  # share of decisions made at random
    temperature: float = 0.0  # of these, in win chances: 0, any legal play alike; else mostly those nearly as good as the best
    objectives: tuple[str, ...] = OBJECTIVES  # what the games are played for, in equal parts
    points_scale: float = 4.0  # points are learned in units of this
    points_weight: float = 1.0  # of their error beside the cross entropy of winning
    sparring: tuple[str, ...] = ()  # agents that have one side in a share of the games; in the others the net plays itself
    sparring_share: float = 0.4
    against: str = ""  # the run of a frozen net that has one side in every game instead, and is what is learned to beat
    size: Size = field(default_factory=Size)


SMALL = Size(trunk=192, trunk_depth=1, head=128, head_depth=2, turns=6)
FOR_CPU = {"size": SMALL, "batch": 512, "minibatch": 512, "eval_deals": 500}
PRESETS: dict[str, dict[str, Any]] = {
    "zsy2": {
        "opponents": ("random", "greedy", "paper-greedy"),
        "objectives": ("win",),  # a game is won or lost and nothing else: points tell nothing new
        "points_scale": 1.0,
        "size": Size(trunk=512, head=384),  # one rival and at most 18 cards: a wider net learns no more
        "sparring": ("random", "random", "greedy", "paper-greedy"),  # a net that only knows itself lets the weak off lightly
        "batch": 524_288,  # short games: more of them at once to keep a GPU busy
        "minibatch": 16_384,
    },
    "zsy4": {"points_scale": 3.0},
}


class Losses(NamedTuple):
    win: Tensor
    points: Tensor


def make_net(args: Any, game: Game) -> ValueNet:
    """Of any settings with a seed, a size and a scale of points."""
    torch.manual_seed(args.seed)
    return ValueNet(game, args.size, args.points_scale)


def make_optimiser(args: Args, net: ValueNet) -> torch.optim.Optimizer:
    """Its learning rate is a tensor, so that it can change in a step that was recorded."""
    device = net.answer.weight.device
    on_gpu = device.type == "cuda"
    rate = torch.tensor(args.lr, device=device)
    return torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=args.weight_decay, fused=on_gpu, capturable=on_gpu)


@torch.no_grad()
def raise_biases(net: ValueNet, by: float) -> None:
    """Of the layers whose output goes through a ReLU."""
    for layer in (net.look, net.to_head, *(block.linear for block in (*net.trunk, *net.head) if isinstance(block, Residual))):
        layer.bias.add_(by)


def train(args: Args, run: Run) -> ValueNet:
    progress, net = run.progress, make_net(args, run.game).to(run.device)
    if args.bias:
        raise_biases(net, args.bias)
    optimiser = make_optimiser(args, net)
    run.restore(net, optimiser)
    by_kind = args.size.opponent_kind  # evaluation is against opponents of the sparring kind
    learner = TorchNetAgent(run.game, net, TO_BEAT_SPARRING if by_kind else WIN)
    partners, share = [load_batch(name, run.game) for name in args.sparring], args.sparring_share
    if args.against:
        run.rivals["frozen"] = TorchNetAgent(run.game, run.load_net(args.against))
        partners, share = list(run.rivals.values()), 1.0
    if by_kind and not (partners and share):
        raise BadInput("size.opponent_kind=true: no opponent is of another kind than the net itself; --sparring names some")
    explorer, seats = seat_explorer(args, learner, len(partners), share)
    step = Step(net, optimiser, args, run.context)
    play = partial(play_batch, args, run, explorer, partners, seats)
    with closing(Batches(play, learner, net, args.ahead)) as batches:
        for left in run.learn(net, optimiser, batches.settled):
            with run.timed("acting"):
                batch = batches.take(progress.iterations)
            with run.timed("learning"):
                progress.loss = step.learn(batch, left, seed=progress.iterations)
            progress.count(*run.context.total(args.batch, batch.decisions, len(batch.plays), batch.pairs))
    return net


def seat_explorer(args: Args, learner: TorchNetAgent, partners: int, share: float) -> tuple[Explorer, Tensor]:
    """The learner as it explores, and the seats [B, S] of a batch: partners have one side of some games. Objectives take turns
    everywhere; a net that knows the kind of its opponent plays to beat sparring partners."""
    device = learner.of_plays.device
    objectives = torch.tensor([OBJECTIVES.index(objective) for objective in args.objectives], device=device)
    number = torch.arange(args.batch, device=device)
    seats = seats_with_partners(learner.game, args.batch, partners, share, device, len(objectives))
    played_for = objectives[number % len(objectives)]
    if args.size.opponent_kind:
        played_for = torch.where((seats > 0).any(1), TO_BEAT_SPARRING, played_for)
    temperature = None
    if args.temperature:  # in points, where they are what is played for
        temperature = torch.where(played_for == POINTS, args.temperature * args.points_scale, args.temperature)
    return Explorer(learner, played_for, args.epsilon, temperature), seats


def play_batch(
    args: Args, run: Run, explorer: Explorer, partners: Sequence[BatchAgent], seats: Tensor, iteration: int
) -> TrainingBatch:
    """The games of an iteration: a process that comes back from a checkpoint goes on with the deals it would have had."""
    batch = iteration * run.context.count + run.context.rank
    explorer.generator.manual_seed(args.seed * 1_000_003 + batch)
    start = run.engine.deal(args.batch, args.seed, batch * args.batch)
    return play_training_batch(run.engine, explorer, partners, seats, start)


class Step:
    """Learning from a batch of games, once through, in random minibatches."""

    def __init__(self, net: ValueNet, optimiser: torch.optim.Optimizer, args: Args, context: DistributedContext) -> None:
        self.net, self.optimiser, self.args, self.context = net, optimiser, args, context
        self.rate, self.device = LearningRate(optimiser, args.warmup), net.answer.weight.device
        on_gpu = self.device.type == "cuda"
        self._losses = torch.compile(self.losses) if on_gpu else self.losses
        self._take = CudaGraphStep(self.take) if on_gpu and context.count == 1 else self.take

    def losses(self, seen: Inputs, plays: Tensor, won: Tensor, points: Tensor) -> Losses:
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            position, of_plays = self.net.position(seen), self.net.plays(plays)
            features = self.net.pair_features(position, seen.hand, plays, of_plays)
        answers = self.net.answer(features.float())
        win = functional.binary_cross_entropy_with_logits(answers[:, 0], won)
        return Losses(win, functional.mse_loss(answers[:, 1], points / self.args.points_scale))

    def take(self, columns: Sequence[Tensor]) -> Tensor:
        """One step of the optimiser, on a minibatch; its loss."""
        *seen, plays, won, points = columns
        losses = self._losses(Inputs(*seen), plays.long(), won, points)
        loss = losses.win + self.args.points_weight * losses.points
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.context.average_gradients(self.net.parameters())
        self.optimiser.step()
        return loss.detach()

    def learn(self, batch: TrainingBatch, left: float, seed: int) -> float:
        """The mean loss. `left` is the share of the run that is left; the seed draws the minibatches."""
        total, steps = torch.zeros((), device=self.device), 0
        for columns in self.minibatches(batch, seed):
            self.rate.set(self.args.lr * left)
            total, steps = total + self._take(columns), steps + 1
        return total.item() / steps

    def minibatches(self, batch: TrainingBatch, seed: int) -> Iterator[Sequence[Tensor]]:
        """Of one size; as many in every process, since they learn in step. What fills no minibatch is left out."""
        decisions = len(batch.plays)
        size = min(self.args.minibatch, self.context.least(decisions))
        generator = torch.Generator(self.device).manual_seed(seed)
        order = torch.randperm(decisions, generator=generator, device=self.device)
        shuffled = [column[order] for column in batch.columns]  # once: slices cost nothing
        for i in range(self.context.least(decisions // size)):
            yield [column[i * size : (i + 1) * size] for column in shuffled]


ALGORITHM = Algorithm(Args, train, make_net, PRESETS, FOR_CPU)
