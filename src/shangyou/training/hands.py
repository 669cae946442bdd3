"""Learning to infer hidden hands: teachers play, and the net learns what the others held when a seat had to decide.

    net = start("hands", Args("doudizhu", teachers=("greedy",), device="cpu", minutes=3), RunFolder(path), report=print)

The loss is -log P(hands of the others) for each unseen card, under the distribution of `nets/splits.py`. Every game is learned
from once, so the loss of a batch before its steps is that of games the net has not seen.

D decisions, R ranks, K = 1 + copies of a rank.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.agents.batch.exploring import Sampler
from shangyou.agents.batch.hidden_hands import HandBatch, play_and_look
from shangyou.engines.batch import BatchEngine
from shangyou.evaluation.hands import HandReport
from shangyou.games import BadInput, Game
from shangyou.nets import splits
from shangyou.nets.hand_net import HandNet, Size
from shangyou.training.algorithm import EVAL_SEED, Algorithm, Run, TimedArgs

AT_ONCE = 8192  # decisions measured together


@dataclass(frozen=True)
class Args(TimedArgs):
    MAY_CHANGE: ClassVar = TimedArgs.MAY_CHANGE | {"teachers"}

    opponents: tuple[str, ...] = ()  # none: the net does not play
    teachers: tuple[str, ...] = ()  # the agents whose games are learned from; one has every seat, they take turns by game
    temperature: float = 0.0  # in win chances, of the plays of those that estimate them; 0: they make the best play
    batch: int = 16_384  # games played before learning from them
    minibatch: int = 8_192  # decisions a step of the optimiser
    lr: float = 1e-3  # falls to nothing
    size: Size = field(default_factory=Size)


def make_net(args: Args, game: Game) -> HandNet:
    torch.manual_seed(args.seed)
    return HandNet(game, args.size)


def train(args: Args, run: Run) -> HandNet:
    teachers, net = load_teachers(args, run.game, run.device), make_net(args, run.game).to(run.device)
    optimiser = torch.optim.Adam(net.parameters(), lr=args.lr)
    run.restore(net, optimiser)
    generator, progress = torch.Generator(run.device), run.progress
    for left in run.learn(net, optimiser):
        for group in optimiser.param_groups:
            group["lr"] = args.lr * left
        seed_draws(teachers, args.seed * 1_000_003 + progress.iterations)
        generator.manual_seed(args.seed * 1_000_003 + progress.iterations)
        with run.timed("acting"):
            start = run.engine.deal(args.batch, args.seed, progress.iterations * args.batch)
            batch = play_and_look(run.engine, teachers, start)
        with run.timed("learning"):
            losses = torch.stack([step(net, optimiser, part) for part in minibatches(batch, args.minibatch, generator)])
        progress.loss, progress.metrics["even"] = losses.mean(0).tolist()
        progress.count(args.batch, len(batch.game), len(batch.game))
    return net


def load_teachers(args: Args, game: Game, device: torch.device) -> list[BatchAgent]:
    if not args.teachers:
        raise BadInput("hands: --set teachers=AGENT,... names the agents whose games are learned from")
    players = [load_batch(name, game, args.seed, device) for name in args.teachers]
    return [
        Sampler(player, device, args.temperature) if args.temperature and estimates_wins(player) else player
        for player in players
    ]


def estimates_wins(player: BatchAgent) -> bool:
    return type(player).expectations is not BatchAgent.expectations


def seed_draws(teachers: Sequence[BatchAgent], seed: int) -> None:
    for teacher in teachers:
        if isinstance(teacher, Sampler):
            teacher.generator.manual_seed(seed)


def minibatches(batch: HandBatch, size: int, generator: torch.Generator) -> Iterator[HandBatch]:
    """Every decision once."""
    order = torch.randperm(len(batch.game), generator=generator, device=batch.game.device)
    return (batch.at(rows) for rows in torch.split(order, size))


def step(net: HandNet, optimiser: torch.optim.Optimizer, batch: HandBatch) -> Tensor:
    """One step of the optimiser; [2] its loss, and the loss of even splits."""
    with torch.autocast(batch.game.device.type, torch.bfloat16, enabled=batch.game.device.type == "cuda"):
        scores = net(batch.seen)
    loss = per_card(net, scores, batch).mean()
    optimiser.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    optimiser.step()
    with torch.no_grad():
        return torch.stack([loss, per_card(net, torch.zeros_like(scores), batch).mean()])


def per_card(net: HandNet, scores: Tensor, batch: HandBatch) -> Tensor:
    """[D] -log P(hands of the others) for each unseen card."""
    return -net.log_likelihood(scores, batch.seen, batch.others) / net.encoder.counts(batch.seen.unseen).sum(-1)


# -- measurement ------------------------------------------------------------------------------------------------------


def measure(
    net: HandNet, engine: BatchEngine, args: Args, games: int, on_games: Callable[[int], None] = lambda games: None
) -> HandReport:
    """How well a net infers hands in games that it did not learn from, played by the teachers of these settings.

    `on_games` is called with the number of games measured so far.
    """
    teachers, report = load_teachers(args, engine.game, engine.device), HandReport()
    for first in range(0, games, args.batch):
        seed_draws(teachers, EVAL_SEED + first)
        batch = play_and_look(engine, teachers, engine.deal(min(args.batch, games - first), EVAL_SEED, first))
        parts = [slice(start, start + AT_ONCE) for start in range(0, len(batch.game), AT_ONCE)]
        report.add(*joined([answers(net, batch.at(part)) for part in parts]))
        on_games(report.games)
    return report


def answers(net: HandNet, batch: HandBatch) -> list[Tensor]:
    """The arguments of `HandReport.add`."""
    with torch.no_grad():
        scores = net(batch.seen)
        losses = [per_card(net, each, batch) for each in (scores, torch.zeros_like(scores))]
    hidden = net.hidden(batch.seen)
    chances, held = chances_to_hold(net, scores, hidden), net.taken(hidden, batch.others)[:, 0] > 0
    asked = (hidden.free > 0) & (hidden.known[:, 0] == 0)
    chances = chances.where(asked, torch.nan)
    return [batch.game, net.encoder.counts(batch.seen.unseen).sum(-1), *losses, chances, held]


def chances_to_hold(net: HandNet, scores: Tensor, hidden: splits.Hidden) -> Tensor:
    """[D, R] the chance that the next seat holds a free card of each rank: the derivative of log Z by s[r, 0] is P(k_r = 0)."""
    first = scores[:, 0].double().detach().requires_grad_()
    sums = splits.suffix_sums(splits.weights_of(first, hidden.free, torch), net.most, torch)[0]
    total = splits.picked(sums, hidden.sizes[:, 0], torch).log().sum()
    (chances,) = torch.autograd.grad(total, first)
    return 1 - chances[:, :, 0]


def joined(parts: list[list[Tensor]]) -> list[Any]:
    return [np.concatenate([part.cpu().numpy() for part in column]) for column in zip(*parts, strict=True)]


PRESETS = {name: {"teachers": (f"champion/{name}",)} for name in ("zsy2", "zsy4", "doudizhu")}
SMALL = Size(width=256, depth=1)
ALGORITHM = Algorithm(Args, train, make_net, PRESETS, {"teachers": ("greedy",), "batch": 256, "minibatch": 512, "size": SMALL})
