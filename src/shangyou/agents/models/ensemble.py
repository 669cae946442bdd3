"""Several agents as one: the minimum, the mean or the maximum of their values of a play.

`min:champion/zsy2,paper/convnet2` is the name of such an agent. Values of agents have different scales, so join agents of one
kind: the values of nets are all win chances.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shangyou.agents.agent import Agent, Values
from shangyou.agents.errors import Why
from shangyou.agents.scripted.bidding import BidsByStrength
from shangyou.engines.reference import View
from shangyou.games import BadInput, Rows

HOW: dict[str, Callable[..., Any]] = {"min": np.min, "mean": np.mean, "max": np.max}


class AggregateAgent(BidsByStrength, Agent):
    def __init__(self, members: Sequence[Agent], how: str, name: str) -> None:
        if how not in HOW or not members:
            raise BadInput(Why.aggregate(name=name, options=list(HOW)))
        self.members, self.how, self.name = tuple(members), how, name

    def values(self, view: View, legal: Rows) -> Values:
        return np.asarray(HOW[self.how]([member.values(view, legal) for member in self.members], axis=0), np.float64)


def is_aggregate(name: str) -> bool:
    return name.partition(":")[0] in HOW
