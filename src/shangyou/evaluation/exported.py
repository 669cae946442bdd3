"""Whether an exported model says what the net it was made from says, on positions of real games."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shangyou.agents.net import Estimate, NetAgent, arrays_of
from shangyou.agents.random import RandomAgent
from shangyou.agents.table import take_turn
from shangyou.engines import reference
from shangyou.engines.reference import View
from shangyou.games import Game, Rows
from shangyou.nets.spec import AIMS

if TYPE_CHECKING:
    from shangyou.nets.value_net import ValueNet

AT_ONCE = 500  # positions


@dataclass(frozen=True)
class Fidelity:
    """How far apart the two are."""

    positions: int
    win: float  # the largest difference of a win chance
    points: float  # of points
    same_choice: float  # share of positions in which both prefer the same play


def compare(net: ValueNet, agent: NetAgent, game: Game, positions: int, seed: int = 0) -> Fidelity:
    """On positions with a choice, from games in which every other turn is played by lot."""
    waiting, win, points, same = positions, 0.0, 0.0, 0
    found = decisions(game, agent, seed)
    while waiting:
        part = [next(found) for _ in range(min(waiting, AT_ONCE))]
        waiting -= len(part)
        for one, other in zip(agent.estimate_many(*zip(*part, strict=True)), _by_net(net, agent, part), strict=True):
            win = max(win, float(abs(one.win - other.win).max()))
            points = max(points, float(abs(one.points - other.points).max()))
            same += bool(np.argmax(agent.worth(one)) == np.argmax(agent.worth(other)))
    return Fidelity(positions, win, points, same / positions)


def decisions(game: Game, agent: NetAgent, seed: int) -> Iterator[tuple[View, Rows]]:
    """Views and legal plays of one game after another, for ever."""
    by_lot, index = RandomAgent(seed), 0
    while True:
        state = reference.deal(game, seed, index)
        while not state.over:
            legal = reference.legal(state)
            if len(legal) > 1:
                yield reference.view(state), legal
            state = take_turn(state, by_lot if len(state.history) % 2 or state.bidding else agent)
        index += 1


def _by_net(net: ValueNet, agent: NetAgent, part: list[tuple[View, Rows]]) -> list[Estimate]:
    import torch

    from shangyou.nets.inputs import Inputs

    views, legals = zip(*part, strict=True)
    told = arrays_of(views, agent.model.info.turns) | {"aim": np.full(len(views), AIMS.index(agent.aim))}
    counts = [len(legal) for legal in legals]
    rows, plays = (
        torch.arange(len(views)).repeat_interleave(torch.tensor(counts)),
        torch.as_tensor(np.concatenate(legals)).long(),
    )
    with torch.no_grad():
        win, points = net(Inputs(**{name: torch.as_tensor(told[name]) for name in Inputs._fields}), rows, plays)
    return [Estimate(a.numpy(), b.numpy()) for a, b in zip(win.split(counts), points.split(counts), strict=True)]
