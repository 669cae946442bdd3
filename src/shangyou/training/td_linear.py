"""Linear TD(lambda) with self-play: after every move the value of the move before it is drawn towards that of this one.

    net = learn(engine, TDArgs(), seed=0)

Many games go on in lockstep, each side of each with its own eligibility trace, and the weights move by the mean of all.
Correlated features let weights grow, as the original's are said to have done; a small weight decay holds them.

B games, n of them running, F features.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import ClassVar

import torch
from torch import Tensor

from shangyou.agents.batch.ensemble import EnsembleAgent, Style
from shangyou.agents.batch.play import Decision, play
from shangyou.engines.batch import BatchEngine, View
from shangyou.nets.inputs import inputs_of
from shangyou.nets.papers import Ensemble
from shangyou.nets.papers.linear import FEATURES, Linear
from shangyou.nets.spec import WIN
from shangyou.training.algorithm import OPPONENTS, Algorithm, BaseArgs, Run


@dataclass(frozen=True)
class TDArgs:
    batches: int = 75
    games: int = 4096  # in lockstep
    lr: float = 2.0  # at the start; it falls to nothing
    trace: float = 1.0  # lambda; below 1 the weights learn faster and then drift away
    decay: float = 1e-4  # of the weights, each turn, times the learning rate
    epsilon: float = 0.05


@dataclass(frozen=True)
class Args(TDArgs, BaseArgs):
    LENGTH: ClassVar = "batches"


def learn(engine: BatchEngine, args: TDArgs, seed: int, report: Callable[[int], None] = lambda batch: None) -> Linear:
    net = Linear(engine.game).to(engine.device)
    for batch in range(args.batches):
        _learn_batch(engine, net, args, seed, batch)
        report(batch + 1)
    return net


def train(args: Args, run: Run) -> Linear:
    net = Linear(run.game).to(run.device)
    ensemble = Ensemble([net])  # as which it is stored
    if run.resumed is not None:
        ensemble.load_state_dict(run.resumed["net"])
    for _ in run.steps(lambda: {"net": ensemble.state_dict()}, lambda: EnsembleAgent(run.game, deepcopy(ensemble))):
        _learn_batch(run.engine, net, args, args.seed, run.progress.iterations)
        run.progress.count(args.games)
    return net


@torch.no_grad()
def _learn_batch(engine: BatchEngine, net: Linear, args: TDArgs, seed: int, batch: int) -> None:
    agent = EnsembleAgent(engine.game, Ensemble([net]), Style(epsilon=args.epsilon), "td-linear", seed=seed * 100_003 + batch)
    args = replace(args, lr=args.lr * (1 - batch / args.batches))
    trace = torch.zeros(args.games, 2, len(FEATURES), device=engine.device)
    value = torch.zeros(args.games, 2, device=engine.device)

    def learn(decision: Decision) -> None:
        at = decision.games, decision.seat
        features = _features(agent.ensemble, net, decision.view, decision.plays)
        chance = torch.sigmoid(features @ net.weight)
        _move(net, trace[at], chance - value[at], args)
        gradient = (chance * (1 - chance))[:, None] * features
        trace[at] = args.trace * trace[at] + gradient
        value[at] = chance

    played = play(engine, [agent, agent], None, engine.deal(args.games, seed, batch * args.games), learn)
    _move(net, trace.flatten(0, 1), (played.won.float() - value).flatten(), args)


def _features(ensemble: Ensemble, net: Linear, view: View, plays: Tensor) -> Tensor:
    seen = inputs_of(view, torch.full_like(view.last, WIN))
    rows = torch.arange(len(plays), device=plays.device)
    return net.features(ensemble.encoder.encoded(ensemble.encoder.pairs(seen, rows, plays.long())))


def _move(net: Linear, traces: Tensor, errors: Tensor, args: TDArgs) -> None:
    """A step of the weights by traces [n, F] and errors [n]; a side's first move has an empty trace, and changes nothing."""
    net.weight.add_((errors @ traces) / args.games - args.decay * net.weight, alpha=args.lr)


ALGORITHM = Algorithm(Args, train, lambda args, game: Ensemble([Linear(game)]), OPPONENTS)
