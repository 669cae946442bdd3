"""An agent that thinks before it plays: another agent's values, corrected by playing the game to its end in likely worlds.

`search:champion/doudizhu` thinks for a second, `search@200ms:champion/doudizhu` for less, `search@2000p:...` for so many
playouts whatever the time. It plays to win. Only Numba is needed, no torch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from shangyou.agents.advice import Forecaster
from shangyou.agents.agent import Agent, Values
from shangyou.agents.errors import Why
from shangyou.engines.reference import View
from shangyou.games import BadInput, Game, Rows

if TYPE_CHECKING:
    from shangyou.agents.models.net_agent import Estimate
    from shangyou.search.rollouts import Budget, Thought

PREFIX = "search"
DEFAULT = "1s"
BUDGET = re.compile(r"(\d+(?:\.\d+)?)(ms|s|p)")


class SearchAgent(Agent):
    """Thinks about the best few plays of `base`. Of a game that already has a winner it asks `base` alone."""

    def __init__(
        self, base: Agent, game: Game, think: str = DEFAULT, seed: int = 0, weighted: bool = True, exact: bool = True
    ) -> None:
        if find_spec("numba") is None:
            raise BadInput(Why.agent_needs(name=f"{PREFIX}:{base.name}", package="numba"))
        from shangyou.search.beliefs import temperature_of
        from shangyou.search.endgames import EndgamePlayer
        from shangyou.search.playout import PlayoutPlayer
        from shangyou.search.rollouts import Player, Settings
        from shangyou.search.solver import warm_up

        if getattr(base, "objective", "win") != "win":
            raise BadInput(Why.search_objective(name=base.name))
        self.base, self.name, self.budget = base, f"{PREFIX}@{think}:{base.name}", budget_of(think)
        small = PlayoutPlayer(game, temperature_of(game))
        self.player: Player = EndgamePlayer(small) if exact else small
        self.judge = small if weighted else None
        self.settings = Settings() if isinstance(base, Forecaster) else Settings(n0=0.0)
        self.rng = np.random.default_rng(seed)
        small.warm()
        if exact:
            warm_up()

    def think(self, view: View, legal: Rows) -> Iterator[tuple[Thought, Estimate]]:
        """What is known after each batch of playouts, and what it makes of the values of all legal plays."""
        from shangyou.search.rollouts import think

        prior = self.estimate_alone(view, legal)
        chances = np.asarray(prior.value if prior.win is None else prior.win, np.float64)
        if len(legal) == 1 or 0 in view.left:
            return
        for thought in think(view, legal, chances, self.player, self.budget, self.rng, self.judge, self.settings):
            yield thought, self._corrected(prior, legal, thought)

    def estimate_alone(self, view: View, legal: Rows) -> Estimate:
        """What the agent that is searched over says at once."""
        from shangyou.agents.models.net_agent import Estimate

        return self.base.estimate(view, legal) if isinstance(self.base, Forecaster) else Estimate(self.base.values(view, legal))

    def estimate(self, view: View, legal: Rows) -> Estimate:
        found = self.estimate_alone(view, legal)
        for _, found in self.think(view, legal):  # noqa: B007 - the last one is the answer
            pass
        return found

    def values(self, view: View, legal: Rows) -> Values:
        return self.estimate(view, legal).value

    @staticmethod
    def _corrected(prior: Estimate, legal: Rows, thought: Thought) -> Estimate:
        """Candidates have the values of the search; those that were dropped or never tried stay below the best."""
        shown = prior.value if prior.win is None else prior.win.astype(np.float64)
        places, found = np.searchsorted(legal, thought.rows), thought.win
        win = shown + min(0.0, float((found - shown[places]).min()))  # what was not tried is as much too high, at most
        win[places] = found
        value, best = win.copy(), places[thought.best]
        value[best] = max(value[best], np.nextafter(value.max(), np.inf) if value.argmax() != best else value[best])
        return prior._replace(value=value, win=None if prior.win is None else win.clip(0, 1))

    def bid(self, view: View, bids: tuple[int, ...]) -> int:
        return self.base.bid(view, bids)

    def double(self, view: View) -> bool:
        return self.base.double(view)


def is_search(name: str) -> bool:
    return name.partition(":")[0].partition("@")[0] == PREFIX


def parts_of(name: str) -> tuple[str, str]:
    """How long to think, and the agent that is searched over."""
    head, _, base = name.partition(":")
    think = head.partition("@")[2] or DEFAULT
    if not base:
        raise BadInput(Why.search_name(name=name))
    budget_of(think)
    return think, base


def thinking(name: str, think: str) -> str:
    """The agent of this name, thinking for so long."""
    return f"{PREFIX}@{think}:{parts_of(name)[1] if is_search(name) else name}"


def budget_of(text: str) -> Budget:
    """500ms, 2s, or 4000p for playouts."""
    from shangyou.search.rollouts import Budget

    match = BUDGET.fullmatch(text)
    if match is None or not float(match[1]):
        raise BadInput(Why.think(text=text))
    number, unit = float(match[1]), match[2]
    return Budget(playouts=max(1, int(number))) if unit == "p" else Budget(seconds=number / (1000 if unit == "ms" else 1))
