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

from shangyou.evaluation.intervals import ClusteredMean

BINS = 10  # of chances
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass
class Losses:
    """Of the decisions with one number of unseen cards: nats for each unseen card."""

    model: ClusteredMean = field(default_factory=ClusteredMean)
    even: ClusteredMean = field(default_factory=ClusteredMean)
    gain: ClusteredMean = field(default_factory=ClusteredMean)  # even - model


@dataclass
class Calibration:
    """Of the chances in one tenth of 0..1."""

    chance: ClusteredMean = field(default_factory=ClusteredMean)
    held: ClusteredMean = field(default_factory=ClusteredMean)
    excess: ClusteredMean = field(default_factory=ClusteredMean)  # held - chance


@dataclass
class HandReport:
    """Losses by number of unseen cards, and calibration of the chance that the next seat holds a card of a rank."""

    games: int = 0
    decisions: int = 0
    overall: Losses = field(default_factory=Losses)
    by_unseen: dict[int, Losses] = field(default_factory=dict)
    calibration: list[Calibration] = field(default_factory=lambda: [Calibration() for _ in range(BINS)])

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
        said, was = chances[rows, ranks], held[rows, ranks].astype(np.float64)
        place = np.minimum((said * BINS).astype(np.int64), BINS - 1)
        for number, calibration in enumerate(self.calibration):
            here = place == number
            _add(calibration, game[rows[here]], [column[here] for column in (said, was, was - said)])

    @property
    def calibration_error(self) -> float:
        """The mean distance, over all chances that were given, of the share that is held from the chance, by tenths."""
        total = sum(one.excess.count for one in self.calibration)
        return sum(one.excess.count * abs(one.excess.mean) for one in self.calibration) / max(1, total)

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        return {
            "games": self.games,
            "decisions": self.decisions,
            "overall": _described(self.overall),
            "by_unseen": {number: _described(losses) for number, losses in sorted(self.by_unseen.items())},
            "calibration": [_described(one) for one in self.calibration],
            "calibration_error": self.calibration_error,
        }


def _add(means: Losses | Calibration, game: Ints, columns: Sequence[Floats]) -> None:
    for mean, column in zip(vars(means).values(), columns, strict=True):
        mean.add(column, game)


def _described(means: Losses | Calibration) -> dict[str, Any]:
    described = {name: {"mean": mean.mean, "half_width_95": mean.half_width} for name, mean in vars(means).items()}
    return {"games": next(iter(vars(means).values())).clusters} | described
