"""Deep Q as in Deep ZSY: simulate games, learn what became of every decision in many epochs, simulate with what was learned.

    learner = Learner(game, {"deep-q": DEEP_Q}, {"deep-q": Recipe(reward_discount=0.9)}, device, seed=0)
    for buffer, curve in iterate(engine, learner, [DeepQArgs(), DeepQArgs()], Style(epsilon=0.1, sampling="value"), seed=0):
        print(curve[-1].dev)

Several nets may learn from the same games, each by its own recipe: then `simulate` and `fit` are enough.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.agents.batch.ensemble import EnsembleAgent, Style
from shangyou.engines.batch import BatchEngine
from shangyou.nets.papers import DEEP_Q, Ensemble
from shangyou.training.algorithm import OPPONENTS, Algorithm, BaseArgs, Run
from shangyou.training.game_buffer import GameBuffer, one_side
from shangyou.training.learner import Learner, Recipe, drawn_batches

NET = "deep-q"


@dataclass(frozen=True)
class DeepQArgs:
    games: int = 100_000  # simulated before each round of learning
    epochs: int = 100
    batch: int = 1024
    dev_share: float = 0.02  # of the decisions, never learned from


@dataclass(frozen=True)
class Args(DeepQArgs, BaseArgs):
    rounds: int = 2  # the first learns from random games
    lr: float = 1e-3
    reward_discount: float = 0.9
    epsilon: float = 0.1  # share of plays drawn in proportion to their values while games are simulated

    LENGTH: ClassVar = "rounds"


def train(args: Args, run: Run) -> Ensemble:
    recipe = Recipe(args.lr, reward_discount=args.reward_discount)
    learner = Learner(run.game, {NET: DEEP_Q}, {NET: recipe}, run.device, args.seed)
    if run.resumed is not None:
        learner.restore(run.resumed["learner"])
    style, progress = Style("first", args.epsilon, sampling="value"), run.progress

    def report(epoch: int) -> None:
        progress.part = epoch / args.epochs
        run.report(progress)

    rounds = iterate(run.engine, learner, [args] * args.rounds, style, args.seed * 100, report, progress.iterations)
    player = partial(EnsembleAgent, run.game, name=NET)
    for _ in run.steps(lambda: {"nets": learner.nets(), "learner": learner.state()}, lambda: player(learner.ensemble([NET]))):
        buffer, curve = next(rounds)
        progress.loss, progress.metrics = curve[-1].learning[0], {"dev loss": curve[-1].dev[0]}
        progress.count(buffer.games, buffer.used)
    return learner.ensemble([NET])


class Epoch(NamedTuple):
    """Mean losses of each net, in the learner's order."""

    learning: list[float]  # with dropout, while the nets changed
    dev: list[float]  # without


def iterate(
    engine: BatchEngine,
    learner: Learner,
    rounds: Sequence[DeepQArgs],
    style: Style,
    seed: int,
    report: Callable[[int], None] = lambda epoch: None,
    first: int = 0,
) -> Iterator[tuple[GameBuffer, list[Epoch]]]:
    """The games of each round and the losses on them: random players first, then the one net of the learner with itself.

    If the learner has learned from some rounds already, go on with round `first`.
    """
    (name,) = learner.names
    for number, args in list(enumerate(rounds))[first:]:
        agent: BatchAgent = load_batch("random", engine.game, seed)
        if number:
            agent = EnsembleAgent(engine.game, learner.ensemble([name]), style, name, seed + number)
        buffer = simulate(engine, agent, args.games, seed + number)
        yield buffer, fit(learner, buffer, args, seed + number, report)


def simulate(engine: BatchEngine, agent: BatchAgent, games: int, seed: int) -> GameBuffer:
    """Games of an agent against itself."""
    buffer = GameBuffer(engine.game, games, engine.device)
    buffer.play(engine, [agent, agent], None, engine.deal(games, seed))
    return buffer


def fit(
    learner: Learner, buffer: GameBuffer, args: DeepQArgs, seed: int, report: Callable[[int], None] = lambda epoch: None
) -> list[Epoch]:
    """The losses of every epoch. Each goes once through the decisions of one side, in random minibatches."""
    draw = torch.Generator(buffer.device).manual_seed(seed)
    learned, dev = split(one_side(buffer), args.dev_share, draw)
    learner.attach(buffer, min(args.batch, len(learned)))
    torch.manual_seed(seed)  # for dropout
    curve = []
    for epoch in range(args.epochs):
        batches = drawn_batches(learned, learner.batch, draw)
        total = torch.zeros(len(learner.names), device=learner.device)
        for rows in batches:
            total += learner.step(rows)
        curve.append(Epoch((total / len(batches)).tolist(), learner.losses_on(dev).tolist()))
        report(epoch + 1)
    return curve


def split(points: Tensor, dev_share: float, draw: torch.Generator) -> tuple[Tensor, Tensor]:
    """Those to learn from, and those to test on; at least one."""
    order = points[torch.randperm(len(points), generator=draw, device=points.device)]
    dev = max(1, round(len(points) * dev_share))
    return order[dev:], order[:dev]


ALGORITHM = Algorithm(Args, train, presets=OPPONENTS, cpu={"games": 10_000, "epochs": 10})
