"""How well hidden hands are inferred: -log P of the true hands against even splits, and whether chances are what they say.

Means are over decisions, and their intervals over games: the decisions of one game are not independent.

D decisions, R ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from shangyou.evaluation.calibration import Calibration, Floats, Ints, described_means
from shangyou.evaluation.intervals import ClusteredMean


@dataclass
class Losses:
    """Of the decisions with one number of unseen cards: nats for each unseen card."""

    model: ClusteredMean = field(default_factory=ClusteredMean)
    even: ClusteredMean = field(default_factory=ClusteredMean)
    gain: ClusteredMean = field(default_factory=ClusteredMean)  # even - model


@dataclass
class HandReport:
    """Losses by number of unseen cards, and calibration of the chance that the next seat holds a card of a rank."""

    games: int = 0
    decisions: int = 0
    overall: Losses = field(default_factory=Losses)
    by_unseen: dict[int, Losses] = field(default_factory=dict)
    calibration: Calibration = field(default_factory=Calibration)

    def add(self, game: Ints, unseen: Ints, model: Floats, even: Floats, chances: Floats, held: npt.NDArray[np.bool_]) -> None:
        """Decisions of whole games: numbers of the games, of unseen cards, and losses for each card [D]; the chances that the
        next seat holds a card of each rank, NaN where they are not asked for, and whether it does [D, R]."""
        self.games, self.decisions = self.games + len(np.unique(game)), self.decisions + len(game)
        columns = [model, even, even - model]
        _add(self.overall, game, columns)
        for number in np.unique(unseen).tolist():
            here = unseen == number
            _add(self.by_unseen.setdefault(number, Losses()), game[here], [column[here] for column in columns])
        rows, ranks = np.nonzero(~np.isnan(chances))
        self.calibration.add(game[rows], chances[rows, ranks], held[rows, ranks].astype(np.float64))

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        return {
            "games": self.games,
            "decisions": self.decisions,
            "overall": described_means(self.overall),
            "by_unseen": {number: described_means(losses) for number, losses in sorted(self.by_unseen.items())},
            "calibration": self.calibration.as_dict(),
        }


def _add(means: Losses, game: Ints, columns: Sequence[Floats]) -> None:
    for mean, column in zip(vars(means).values(), columns, strict=True):
        mean.add(column, game)
