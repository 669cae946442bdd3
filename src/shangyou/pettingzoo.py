"""The games as PettingZoo environments: `env("doudizhu", bidding=True)`. docs/pettingzoo.md describes the spaces.

This module has no rules of its own; it translates the reference engine: a play is an action, a seat is an agent, and the view
of a seat is a vector.
"""

import secrets
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from shangyou import games
from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.games import NOBODY, PASS, BadInput
from shangyou.spaces import act, legal_actions, number_of_actions, parts_of

try:
    from gymnasium import spaces
    from gymnasium.utils import EzPickle
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError("shangyou.pettingzoo needs PettingZoo: pip install 'shangyou[pettingzoo]'") from error

Observation = dict[str, npt.NDArray[np.int8]]

RENDER_MODES = ("human", "ansi")

ILLEGAL_REWARD = -100.0
"""Worse than losing (short of a game of many bombs), so that nobody learns to escape a lost game by an illegal play."""


def env(game: str = "doudizhu", render_mode: str | None = None, **rules: Any) -> Any:
    """A game under given rules, with PettingZoo's guards: an illegal play ends the game and costs `ILLEGAL_REWARD`."""
    guarded = wrappers.TerminateIllegalWrapper(raw_env(game, render_mode, **rules), illegal_reward=ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(guarded))


class raw_env(AECEnv, EzPickle):  # type: ignore[misc]  # noqa: N801 - both classes untyped; PettingZoo gives the name
    """The environment without guards: an illegal play raises the engine's own error, which says why."""

    metadata = {"render_modes": list(RENDER_MODES), "name": "shangyou_v0", "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, game: str = "doudizhu", render_mode: str | None = None, **rules: Any) -> None:
        EzPickle.__init__(self, game, render_mode, **rules)
        if render_mode not in (None, *RENDER_MODES):
            raise BadInput(f"render mode {render_mode!r} is not one of {', '.join(RENDER_MODES)}")
        self.game = games.load(game, **rules)
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.seats)]
        parts = parts_of(reference.view(reference.deal(self.game, 0)))
        cuts = accumulate((len(highest) for _, highest in parts.values()), initial=0)
        self.slices = {name: slice(*cut) for name, cut in zip(parts, pairwise(cuts), strict=True)}
        self.number_of_actions = number_of_actions(self.game)
        self.action_spaces = {agent: spaces.Discrete(self.number_of_actions) for agent in self.possible_agents}
        high = np.concatenate([highest for _, highest in parts.values()]).astype(np.int8)
        numbers = spaces.Box(np.zeros_like(high), high, dtype=np.int8)
        space = spaces.Dict({"observation": numbers, "action_mask": spaces.Box(0, 1, (self.number_of_actions,), np.int8)})
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.position: State | None = None

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """The first deal of `seed`; without one, the next deal of the seed in use, which at first is random."""
        if seed is not None or self.position is None:
            self.position = reference.deal(self.game, secrets.randbits(63) if seed is None else int(seed))
        else:
            self.position = reference.deal(self.game, self.position.seed, self.position.index % reference.REDEAL + 1)
        self.agents = self.possible_agents[:]
        self.rewards, self._cumulative_rewards = dict.fromkeys(self.agents, 0), dict.fromkeys(self.agents, 0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._move_to(self.position)

    def step(self, action: Any) -> None:
        """An action is the row of a play, or a bid (doubling: 1 or 0), numbered after the rows; None where the game is over."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        position = act(self._started(), int(action))
        self._cumulative_rewards[self.agent_selection] = 0
        if position.over:
            self.rewards = dict(zip(self.agents, position.scores, strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self._accumulate_rewards()
        self._move_to(position)

    def _move_to(self, position: State) -> None:
        self.position = position
        self.agent_selection = self.possible_agents[position.turn]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What an agent sees; no action is legal for one that is not to act."""
        position, seat = self._started(), self.possible_agents.index(agent)
        numbers = np.concatenate([values for values, _ in parts_of(reference.view(position, seat)).values()]).astype(np.int8)
        mask = np.zeros(self.number_of_actions, np.int8)
        if seat == position.turn:
            mask[legal_actions(position)] = 1
        return {"observation": numbers, "action_mask": mask}

    def render(self) -> str | None:
        """The table as a watcher sees it, all hands open: returned (ansi) or printed (human)."""
        text = _drawing(self._started(), self.possible_agents)
        if self.render_mode == "human":
            print(text)
        return text if self.render_mode == "ansi" else None

    def _started(self) -> State:
        if self.position is None:
            raise BadInput("reset() comes before anything else")
        return self.position


def _drawing(position: State, agents: list[str]) -> str:
    game = position.game
    lines = [f"{game.name} seed {position.seed} deal {position.index} turn {len(position.history)}"]
    for seat, agent in enumerate(agents):
        mark = ">" if seat == position.turn and not position.over else " "
        role = f"{'landlord' if seat == position.landlord else 'peasant':<10}" if position.landlord != NOBODY else ""
        lines.append(f"{mark} {agent}  {role}{game.deck.format(position.hands[seat]) or 'out'}")
    return "\n".join([*lines, _what_is_due(position, agents)])


def _what_is_due(position: State, agents: list[str]) -> str:
    if position.over:
        return "scores: " + ", ".join(f"{agent} {score:+d}" for agent, score in zip(agents, position.scores, strict=True))
    if position.phase == "bid":
        return f"bids so far: {' '.join(map(str, position.bids)) or 'none'}"
    if position.phase == "double":
        doubled = ", ".join(agents[seat] for seat in sorted(position.doubled))
        return f"{agents[position.turn]} says whether it doubles; doubled so far: {doubled or 'nobody'}"
    if position.last == PASS:
        return f"{agents[position.turn]} leads"
    return f"to beat: {position.game.table.labels[position.last]} by {agents[position.last_by]}"
