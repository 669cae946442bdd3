"""How closely an exported model agrees with the net it was made from, on positions of real games."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from typing import TYPE_CHECKING

import numpy as np

from shangyou.agents.agent import Agent, Values
from shangyou.agents.models.hands import HandModel
from shangyou.agents.models.net_agent import Arrays, Estimate, NetAgent
from shangyou.agents.play import Decision, play
from shangyou.agents.scripted.random import RandomAgent
from shangyou.engines import reference
from shangyou.engines.reference import View
from shangyou.games import Game, Rows
from shangyou.nets.spec import MODEL_NAMES, value_of

if TYPE_CHECKING:
    from torch import Tensor

    from shangyou.nets.net import Net

AT_ONCE = 500  # positions


@dataclass(frozen=True)
class Fidelity:
    """How far the answers of a model and of its net are apart."""

    positions: int
    differences: dict[str, float]  # the largest one, by the name of the answer
    same_choice: float | None  # share of positions in which both prefer the same play, if they choose plays


def compare(net: Net, agent: NetAgent, game: Game, positions: int, seed: int = 0) -> Fidelity:
    """On positions with a choice, from games in which every other turn is random."""
    differences, same = dict.fromkeys(net.answers, 0.0), 0
    found = islice(decisions(game, agent, seed), positions)
    while part := list(islice(found, AT_ONCE)):
        for one, other in zip(agent.estimate_many(*zip(*part, strict=True)), _by_net(net, agent, part), strict=True):
            for name, largest in differences.items():
                differences[name] = max(largest, float(abs(getattr(one, name) - getattr(other, name)).max()))
            same += bool(np.argmax(one.value) == np.argmax(other.value))
    return Fidelity(positions, differences, same / positions)


def compare_scores(net: Net, model: HandModel, game: Game, positions: int, seed: int = 0) -> Fidelity:
    """Of a model that infers hands, on positions with a choice of random games."""
    largest, found = 0.0, islice(decisions(game, RandomAgent(seed), seed), positions)
    while part := list(islice(found, AT_ONCE)):
        views = [view for view, _ in part]
        (scores,) = _answers(net, model.inputs(views))
        largest = max(largest, float(abs(scores.numpy() - model.scores(views)).max()))
    return Fidelity(positions, {"scores": largest}, None)


def decisions(game: Game, agent: Agent, seed: int) -> Iterator[tuple[View, Rows]]:
    """Views and legal plays of one game after another, without end."""
    player = _EveryOther(agent, RandomAgent(seed))
    for index in count():
        seen: list[Decision] = []
        play(game, [player] * game.seats, None, [reference.deal(game, seed, index)], seen.append)
        yield from ((reference.view(one.state), one.legal) for one in seen if len(one.legal) > 1)


class _EveryOther(Agent):
    """One agent on even turns, another on odd turns and for bids."""

    def __init__(self, even: Agent, odd: Agent) -> None:
        self.name, self.even, self.odd = even.name, even, odd

    def values(self, view: View, legal: Rows) -> Values:
        return (self.odd if len(view.history) % 2 else self.even).values(view, legal)

    def bid(self, view: View, bids: tuple[int, ...]) -> int:
        return self.odd.bid(view, bids)

    def double(self, view: View) -> bool:
        return self.odd.double(view)


def _by_net(net: Net, agent: NetAgent, part: list[tuple[View, Rows]]) -> list[Estimate]:
    views, legals = zip(*part, strict=True)
    answers = _answers(net, agent.inputs(views, legals))
    columns = [value_of([answer.double() for answer in answers], agent.objective), *(answers if len(answers) > 1 else ())]
    parts = zip(*(column.split([len(legal) for legal in legals]) for column in columns), strict=True)
    return [Estimate(*(part.numpy() for part in one)) for one in parts]


def _answers(net: Net, arrays: Arrays) -> list[Tensor]:
    """The answers of a net to the inputs of its model."""
    import torch

    inputs = {MODEL_NAMES.get(name, name): torch.as_tensor(array) for name, array in arrays.items()}
    with torch.no_grad():
        found = net.run(*(inputs[name] for name in net.example()))
    return [found] if isinstance(found, torch.Tensor) else list(found)
