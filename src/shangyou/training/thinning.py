"""Which units of a net ever fire, seen at the table."""

from __future__ import annotations

import torch
from torch import Tensor

from shangyou.agents.torch_net import TorchNetAgent
from shangyou.agents.trajectories import play
from shangyou.engines.batch import BatchEngine, Legal, View
from shangyou.games import Game
from shangyou.nets.inputs import inputs_of
from shangyou.nets.spec import AIMS
from shangyou.nets.thin import Seen, ThinNet, watch
from shangyou.nets.value_net import ValueNet

SEED = 4  # other deals than those on which a model is compared with its net
BY_LOT = 0.5  # of the plays, so that positions are seen which good players avoid and people get into


class _Watcher(TorchNetAgent):
    """Plays by its net for one aim or the other, or by lot, and keeps an eye on the units."""

    def __init__(self, game: Game, net: ValueNet, seed: int) -> None:
        super().__init__(game, net)
        self.lots = torch.Generator().manual_seed(seed)
        self.layers: list[Seen] | None = None

    def act(self, view: View, legal: Legal) -> Tensor:
        aim = torch.randint(len(AIMS), view.last.shape, generator=self.lots).to(view.last)
        now = watch(self.net, inputs_of(view, aim), legal.rows, legal.plays.long())
        self.layers = [old.and_also(new) for old, new in zip(self.layers, now, strict=True)] if self.layers else now
        return self.explore(view, legal, aim, BY_LOT, self.lots)


def thin(net: ValueNet, game: Game, games: int, seed: int = SEED) -> ThinNet:
    """The net without the units that do not fire in any of these games."""
    watcher = _Watcher(game, net.cpu().float(), seed)
    play(BatchEngine(game), [watcher] * game.seats, games, seed)
    assert watcher.layers is not None
    return ThinNet(net, [layer.firing() for layer in watcher.layers])
