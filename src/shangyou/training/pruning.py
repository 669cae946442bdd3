"""Which units of a net ever fire, seen at the table."""

import torch

from shangyou.agents.batch.play import Decision, play
from shangyou.agents.batch.value_net import TorchNetAgent
from shangyou.engines.batch import BatchEngine
from shangyou.games import Game
from shangyou.nets.inputs import inputs_of
from shangyou.nets.pruning import ActivationStats, PrunedNet, activation_stats
from shangyou.nets.value_net import ValueNet
from shangyou.training.self_play import Explorer

SEED = 4  # other deals than those on which a model is compared with its net
EPSILON = 0.5  # of the plays are random, so that positions are seen which good players avoid and people get into


def prune(net: ValueNet, game: Game, games: int, seed: int = SEED) -> PrunedNet:
    """The net without the units that do not fire in any of these games."""
    return PrunedNet(net, [layer.firing() for layer in watch_units(net, game, games, seed)])


def watch_units(net: ValueNet, game: Game, games: int, seed: int = SEED) -> list[ActivationStats]:
    """What the units of each layer do in these games, as many played for each objective; the trunk's layers first."""
    engine, objective = BatchEngine(game), torch.arange(games) % len(net.objectives)
    explorer = Explorer(TorchNetAgent(game, net.cpu().float()), objective, EPSILON)
    explorer.generator.manual_seed(seed)
    layers: list[ActivationStats] = []

    def watch(decision: Decision) -> None:
        if not len(decision.asked):
            return
        seen = inputs_of(decision.seen, objective[decision.games[decision.asked]])
        now = activation_stats(net, seen, decision.choices.rows, decision.choices.plays.long())
        layers[:] = [old.and_also(new) for old, new in zip(layers, now, strict=True)] if layers else now

    play(engine, [explorer] * game.seats, None, engine.deal(games, seed), watch)
    return layers
