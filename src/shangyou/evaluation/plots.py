"""Figures of results, with matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shangyou.games import BadInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

    from shangyou.evaluation.calibration import Calibration
    from shangyou.evaluation.chances import ChanceReport
    from shangyou.evaluation.hands import HandReport
    from shangyou.evaluation.intervals import ClusteredMean
    from shangyou.evaluation.tournament import Tournament

Point = dict[str, Any]  # of a learning curve, as a run stores it

FORMATS = (".svg", ".png")
MARKERS = "os^Dvx+*"  # lines can be told apart without colour
DARK = 0.6  # of the way to the darkest colour: from here on numbers are white
DARK_ENDS = 0.3  # the same from the middle of two colours


def check_can_plot(path: Path) -> None:
    """Refuse a path where no figure can be written: before hours of play, not after."""
    if path.suffix.lower() not in FORMATS:
        raise BadInput(f"plot {path}: the name must end in {' or '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise BadInput(f"plot {path}: there is no folder {path.parent}")
    if find_spec("matplotlib") is None:
        raise BadInput("plots need matplotlib: pip install matplotlib")


def plot_tournament(tournament: Tournament, path: Path) -> None:
    """Win rate of each row's agent against each column's, best first. The numbers say everything; shades only help."""
    check_can_plot(path)
    from matplotlib.figure import Figure

    names = tournament.ranking
    figure = Figure(figsize=(2.2 + 0.9 * len(names), 1.6 + 0.7 * len(names)), layout="constrained")
    axes = figure.subplots()
    draw_heat_map(axes, names, [[tournament.win_rate(row, column) for column in names] for row in names])
    axes.set_xlabel("against")
    axes.set_title(f"{tournament.game.name}: share won by the row ({tournament.even:g} is even)", fontsize=10)
    figure.savefig(path, dpi=150)


STEEP = 0.12  # of a run: there a curve rises so fast that, shown whole, it would hide all that comes later


def plot_curves(curves: Mapping[str, Sequence[Point]], path: Path) -> None:
    """Share won against each opponent by minutes of training, a line for each run."""
    check_can_plot(path)
    from matplotlib.figure import Figure

    opponents = list(dict.fromkeys(name for points in curves.values() for point in points for name in point["strength"]))
    if not opponents:
        raise BadInput("there is nothing to plot: no strength was measured in these runs")
    figure = Figure(figsize=(4.2 * len(opponents), 3.4), layout="constrained")
    for axes, opponent in zip(figure.subplots(1, len(opponents), squeeze=False)[0], opponents, strict=True):
        late: list[float] = []
        for i, ((name, points), marker) in enumerate(zip(curves.items(), cycle(MARKERS), strict=False)):
            known = [point for point in points if opponent in point["strength"]]
            if not known:
                continue
            minutes, won = [p["seconds"] / 60 for p in known], [p["strength"][opponent][0] for p in known]
            late += [share for minute, share in zip(minutes, won, strict=True) if minute >= STEEP * minutes[-1]]
            label = f"{name}, {won[-1]:.3f} at the end"
            axes.plot(minutes, won, marker=marker, color=f"C{i}", markersize=4, linewidth=1, label=label)
        axes.set_title(f"against {opponent}", fontsize=10)
        axes.set_xlabel("minutes")
        axes.set_ylabel("share won")
        axes.set_ylim(min(late) - 0.1 * (max(late) - min(late)) - 0.01, max(late) + 0.01)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, loc="lower right")
    figure.savefig(path, dpi=150)


def plot_hands(report: HandReport, path: Path) -> None:
    """-log P of the hidden hands by number of unseen cards, beside even splits, and what became of the chances."""
    check_can_plot(path)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    known = {number: losses for number, losses in sorted(report.by_unseen.items()) if losses.gain.clusters > 1}
    for name, marker in (("even", "s"), ("model", "o"), ("gain", "^")):
        means = [getattr(losses, name) for losses in known.values()]
        _draw_means(left, list(known), means, marker, {"even": "even splits", "gain": "difference"}.get(name, name))
    left.axhline(0, color="grey", linewidth=1)
    left.set_xlabel("unseen cards")
    left.set_ylabel("-log P(hidden hands) for each unseen card")
    _draw_calibration(right, report.calibration, "o", "model")
    right.set_xlabel("chance that the next seat holds a card of a rank")
    right.set_ylabel("share of times that it does")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(path, dpi=150)


def plot_chances(reports: Mapping[str, ChanceReport], path: Path) -> None:
    """What became of the chances that agents gave themselves, and of the points where they play for points: a row of panels
    for each agent."""
    check_can_plot(path)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 3.4 * len(reports)), layout="constrained")
    for (name, report), (left, right) in zip(reports.items(), figure.subplots(len(reports), 2, squeeze=False), strict=True):
        _draw_calibration(left, report.chances, "o", f"all decisions, error {report.chances.error:.4f}")
        for (cards, part), marker in zip(report.by_left.items(), MARKERS[1:], strict=False):
            _draw_calibration(left, part, marker, f"{cards} cards left, {part.error:.4f}", faint=True)
        left.set_title(name, fontsize=10)
        left.set_xlabel("chance of winning that the agent gave")
        left.set_ylabel("share won")
        if report.points is None:
            right.set_axis_off()
            continue
        _draw_calibration(right, report.points, "o", f"all decisions, error {report.points.error:.3f}")
        right.set_title(name, fontsize=10)
        right.set_xlabel("points that the agent expected")
        right.set_ylabel("points paid")
    for axes in figure.axes:
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(path, dpi=150)


def _draw_calibration(axes: Axes, calibration: Calibration, marker: str, label: str, faint: bool = False) -> None:
    """Outcomes by forecasts, with their intervals, beside the line on which they would be equal."""
    bins = [one for one in calibration.bins if one.forecast.clusters > 1]
    means = [one.forecast.mean for one in bins]
    if faint:
        axes.plot(means, [one.outcome.mean for one in bins], marker=marker, markersize=3, linewidth=0.5, label=label)
        return
    ends = [min(means, default=0.0), max(means, default=1.0)]
    axes.plot(ends, ends, color="grey", linewidth=1, linestyle="dashed")
    _draw_means(axes, means, [one.outcome for one in bins], marker, label)


def _draw_means(axes: Axes, x: Sequence[float], means: Sequence[ClusteredMean], marker: str, label: str) -> None:
    """Means with their intervals."""
    y, reach = [mean.mean for mean in means], [mean.half_width for mean in means]
    axes.errorbar(x, y, yerr=reach, marker=marker, markersize=3, linewidth=1, label=label)


def _around(middle: float, between: tuple[float, float]) -> tuple[float, float]:
    """The least range with this middle that holds all values."""
    reach = max(middle - between[0], between[1] - middle) or 1.0
    return middle - reach, middle + reach


def draw_heat_map(
    axes: Axes,
    names: Sequence[str],
    cells: Sequence[Sequence[float | None]],
    between: tuple[float, float] = (0.0, 1.0),
    digits: int = 3,
    size: float = 10,
    numbered: bool = True,
    middle: float | None = None,
) -> AxesImage:
    """Cells by row and column, both with these names; a dash where there is no value. Returns the image, for a colour bar.

    With a middle, values below and above it have two colours, the same shade as far from it.
    """
    low, high = between if middle is None else _around(middle, between)
    shades = [[low if value is None else value for value in row] for row in cells]
    drawn = axes.imshow(shades, cmap="Blues" if middle is None else "PuOr", vmin=low, vmax=high, aspect="auto")
    for y, row in enumerate(cells if numbered else []):
        for x, value in enumerate(row):
            share = 0.0 if value is None else (value - low) / (high - low)
            dark = share > DARK if middle is None else abs(share - 0.5) > DARK_ENDS
            colour = "white" if dark and value is not None else "black"
            text = "–" if value is None else f"{value:.{digits}f}"
            axes.text(x, y, text, ha="center", va="center", color=colour, fontsize=size)
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right", rotation_mode="anchor", fontsize=size)
    axes.set_yticks(range(len(names)), names, fontsize=size)
    return drawn
