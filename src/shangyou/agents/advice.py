"""Suggestions: the legal plays of a position with an agent's value of each, best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from shangyou.agents.agent import Agent
from shangyou.engines.position import legal
from shangyou.engines.reference import View
from shangyou.games import Rows

if TYPE_CHECKING:
    from shangyou.agents.models.net_agent import Estimate


@dataclass(frozen=True, slots=True)
class Suggestion:
    play: int  # row of the table
    label: str
    value: float  # by which the agent chooses, on its own scale
    win: float | None = None  # chance of winning, if the agent estimates it
    points: float | None = None  # expected, if the agent estimates them


@runtime_checkable
class Forecaster(Protocol):
    """An agent that estimates what comes of a play: a net."""

    def estimate(self, view: View, legal: Rows) -> Estimate: ...


def suggest(view: View, agent: Agent) -> list[Suggestion]:
    """The legal plays of a position, ranked as the agent would choose; among equals the lowest row first."""
    rows = legal(view)
    return ranked(view, rows, agent.estimate(view, rows) if isinstance(agent, Forecaster) else (agent.values(view, rows),))


def ranked(view: View, rows: Rows, estimate: Sequence[Any]) -> list[Suggestion]:
    """Plays with their values and, where they are known, win chances and points [N], best first."""
    forecasts: list[Sequence[float]] = [()] * len(rows)
    values, win, points = (*estimate, None, None)[:3]
    if win is not None and points is not None:
        forecasts = np.stack([win, points], 1).tolist()
    columns = zip(rows.tolist(), values.tolist(), forecasts, strict=True)
    suggestions = [Suggestion(play, view.game.table.labels[play], value, *forecast) for play, value, forecast in columns]
    return [suggestions[i] for i in np.argsort(-values, kind="stable")]
