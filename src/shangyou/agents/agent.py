"""The interface of agents: a number for every legal play."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from shangyou.agents.errors import Why
from shangyou.agents.scripted.bidding import double_by_strength
from shangyou.engines.reference import View
from shangyou.games import BadInput, Rows

Values = npt.NDArray[np.float64]
"""One number per legal play, higher is better, `[N]`."""


class Agent(ABC):
    """`values` is all an agent must have; play, hints and analysis follow from it.

    A game with bidding also needs `bid`. `scripted.bidding.BidsByStrength` is one for Dou Dizhu. Who doubles need not be
    said: by default the strength of the hand decides.
    """

    name: str

    @abstractmethod
    def values(self, view: View, legal: Rows) -> Values:
        """How good each legal play is for the seat that sees `view`."""

    def act(self, view: View, legal: Rows) -> int:
        """The best play; among equals the lowest row."""
        return int(legal[np.argmax(self.values(view, legal))])

    def act_many(self, views: Sequence[View], legals: Sequence[Rows]) -> list[int]:
        """`act` in many games at once. An agent that is faster on many positions together overrides this."""
        return [self.act(view, legal) for view, legal in zip(views, legals, strict=True)]

    def bid(self, view: View, bids: tuple[int, ...]) -> int:
        """Which of the allowed bids to make for the hand in `view`."""
        raise BadInput(Why.no_bids(name=self.name, game=view.game.name))

    def double(self, view: View) -> bool:
        """Whether to double."""
        return double_by_strength(view)

    def say(self, view: View, allowed: tuple[int, ...]) -> int:
        """What to say before the first play, of what is allowed: a bid, or 1 if the seat doubles and 0 if it does not."""
        return int(self.double(view)) if view.phase == "double" else self.bid(view, allowed)
