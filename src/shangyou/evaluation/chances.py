"""Whether the chances and points that an agent expects of its plays come true, in games with itself.

    report = measure(load_batch("champion/zsy2", game), BatchEngine(game), games=1500)
    report.chances.error  # the mean distance of shares won from the chances given

Every play that was chosen among several counts once, for the seat that made it.

D decisions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.play import Decision, play
from shangyou.engines.batch import BatchEngine, Legal
from shangyou.evaluation.calibration import Calibration, Floats, Ints

AT_ONCE = 500  # games
CARDS_LEFT = (3, 6, 11, 16)  # where bands of cards left begin, after those from 1
TENTHS_OF_ALL = 10  # bins of points, with as many forecasts each


@dataclass(frozen=True)
class ChanceReport:
    """Chances of winning in tenths, of all decisions and by the cards that the seat had left; points in ten equal parts."""

    games: int
    chances: Calibration
    by_left: dict[str, Calibration]  # "3-5"
    points: Calibration | None = None  # if the agent expects any

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        return {
            "games": self.games,
            "chances": self.chances.as_dict(),
            "by_cards_left": {band: part.as_dict() for band, part in self.by_left.items()},
            "points": self.points.as_dict() if self.points else None,
        }


def measure(
    agent: BatchAgent,
    engine: BatchEngine,
    games: int,
    seed: int = 0,
    with_points: bool = True,
    on_games: Callable[[int], None] = lambda games: None,
) -> ChanceReport:
    """Of so many games of the agent with itself. Points can be left out: under rules that pay otherwise than those of its
    training they need not come true. `on_games` is called with the number of games played so far."""
    parts = list[list[Any]]()
    for first in range(0, games, AT_ONCE):
        number = min(AT_ONCE, games - first)
        parts.append(_play_and_look(agent, engine, engine.deal(number, seed, first), first))
        on_games(first + number)
    game, left, win, won, points, paid = (np.concatenate(column) for column in zip(*parts, strict=True))
    return report_of(games, game, left, win, won, points if with_points else np.full_like(points, np.nan), paid)


def _play_and_look(agent: BatchAgent, engine: BatchEngine, start: Any, first: int) -> list[Any]:
    """The columns of `report_of`."""
    columns = list[tuple[Tensor, ...]]()

    def look(decision: Decision) -> None:
        if len(decision.asked):
            games, seats, plays = (part[decision.asked] for part in (decision.games, decision.seat, decision.plays))
            rows = torch.arange(len(plays) + 1, device=plays.device)
            expected = agent.expectations_of_winning(decision.seen, Legal(rows[:-1], plays, rows))
            points = expected.get("points", torch.full_like(expected["win"], torch.nan))
            columns.append((games, seats, decision.seen.left[:, 0], expected["win"], points))

    seats = torch.zeros(start.games, engine.game.seats, dtype=torch.int64, device=engine.device)
    played = play(engine, [agent], seats, start, look)
    game, seat, left, win, points = (torch.cat(column) for column in zip(*columns, strict=True))
    paid, won = played.results[:, game, seat]
    return [column.cpu().numpy() for column in (game + first, left, win.double(), won.double(), points.double(), paid.double())]


def report_of(games: int, game: Ints, left: Ints, win: Floats, won: Floats, points: Floats, paid: Floats) -> ChanceReport:
    """From decisions: numbers of their games, cards left to the seat before it played, the chance given and whether it won,
    the points expected (NaN where the agent expects none) and paid [D]."""
    chances, by_left = Calibration(), dict[str, Calibration]()
    chances.add(game, win, won)
    ends = (*CARDS_LEFT, int(left.max()) + 1)
    for low, end in zip((1, *CARDS_LEFT), ends, strict=True):
        if (here := (left >= low) & (left < end)).any():
            part = by_left[f"{low}-{end - 1}"] = Calibration()
            part.add(game[here], win[here], won[here])
    if np.isnan(points).any():
        return ChanceReport(games, chances, by_left)
    of_points = Calibration(np.quantile(points, np.arange(1, TENTHS_OF_ALL) / TENTHS_OF_ALL).tolist())
    of_points.add(game, points, paid)
    return ChanceReport(games, chances, by_left, of_points)
