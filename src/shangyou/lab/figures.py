"""The pictures of the pages: lines over time, rates with their intervals, heat maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from shangyou.evaluation.plots import MARKERS, draw_heat_map

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_NUMBERED = 24  # agents of a heat map that still has room for numbers
PANELS_IN_A_ROW = 3
LETTER, SAMPLE = 0.065, 0.6  # inches of a legend: of a letter, and of the line beside each name
COLOURS = [f"C{i}" for i in range(8)]
SHADES = ("Blues", "Oranges", "Greens", "Purples")
APART = 0.15  # rows between the rates of one agent

Line = tuple[Sequence[float], Sequence[float]]
"""The x of each point, and the y."""


@runtime_checkable
class WithInterval(Protocol):
    @property
    def mean(self) -> float: ...

    @property
    def interval(self) -> tuple[float, float]: ...


RatesBySource = Mapping[str, float | WithInterval | None]
"""Rates of one agent: of the paper, with or without an interval, and ours."""


def curves(panels: Mapping[str, Mapping[str, Line]], x: str, log: bool = False) -> Figure:
    """Lines by name, a panel for each title, x on a log axis or not; one legend, since a name looks the same in all of them."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    styles = _styles(names)
    columns = min(len(panels), PANELS_IN_A_ROW)
    rows, width = -(-len(panels) // columns), 4.2 * columns
    legend_rows = -(-len(names) // _legend_columns(names, width))
    figure = Figure(figsize=(width, 3.2 * rows + 0.2 * legend_rows), layout="constrained")
    places = figure.subplots(rows, columns, squeeze=False).flatten()
    drawn = {}
    for axes, (title, lines) in zip(places, panels.items(), strict=False):
        for name, (across, up) in lines.items():
            colour, marker = styles[name]
            (drawn[name],) = axes.plot(across, up, marker=marker, color=colour, markersize=3, linewidth=1)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel(x)
        if log:
            axes.set_xscale("log")
        else:
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))  # epochs, batches, iterations
        axes.grid(alpha=0.3)
    for axes in places[len(panels) :]:
        axes.set_axis_off()
    _legend(figure, drawn)
    return figure


def dots(panels: Mapping[str, Mapping[str, RatesBySource]], marks: Mapping[str, float] | None = None) -> Figure:
    """Rates with their intervals, a row for each agent, a panel for each title; `marks` are lines to compare with, by title."""
    from matplotlib.figure import Figure

    agents = list(dict.fromkeys(agent for by_agent in panels.values() for agent in by_agent))
    series = list(dict.fromkeys(who for by_agent in panels.values() for rates in by_agent.values() for who in rates))
    styles = _styles(series)
    names_width = max(2.6, SAMPLE + LETTER * max(map(len, agents)))
    figure = Figure(figsize=(names_width + 3.4 * len(panels), 1.2 + 0.3 * len(agents)), layout="constrained")
    drawn, places = {}, figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
    for axes, (title, by_agent) in zip(places, panels.items(), strict=True):
        for row, agent in enumerate(agents):
            for place, who in enumerate(series):
                rate = by_agent.get(agent, {}).get(who)
                if rate is None:
                    continue
                mean, (low, high) = (rate, (rate, rate)) if isinstance(rate, float) else (rate.mean, rate.interval)
                height = row + APART * (place - (len(series) - 1) / 2)
                colour, marker = styles[who]
                drawn[who] = axes.errorbar(
                    mean, height, xerr=[[mean - low], [high - mean]], marker=marker, color=colour, markersize=4, linewidth=1
                )
        if marks and title in marks:
            axes.axvline(marks[title], color="grey", linewidth=1, linestyle="dashed")
        axes.set_title(title, fontsize=10)
        axes.grid(alpha=0.3, axis="x")
        axes.locator_params(axis="x", nbins=6)  # more would run into each other
        axes.set_yticks(range(len(agents)), agents, fontsize=8)
    axes.set_ylim(len(agents) - 0.5, -0.5)  # the first on top; shared by all panels
    _legend(figure, drawn)
    return figure


def heat_map(title: str, names: Sequence[str], cells: Sequence[Sequence[float]], middle: float | None = None) -> Figure:
    """With numbers where there is room for them, else with a scale. Values below and above a middle have two colours."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2 + 0.5 * len(names), 1.4 + 0.42 * len(names)), layout="constrained")
    axes = figure.subplots()
    between, numbered = (min(map(min, cells)), max(map(max, cells))), len(names) <= MOST_NUMBERED
    shades = draw_heat_map(axes, names, cells, between, digits=2, size=7, numbered=numbered, middle=middle)
    if not numbered:
        figure.colorbar(shades, ax=axes, shrink=0.5)
    axes.set_title(title, fontsize=10)
    return figure


def _legend(figure: Figure, drawn: Mapping[str, Any]) -> None:
    if len(drawn) > 1:
        columns = _legend_columns(list(drawn), figure.get_figwidth())
        figure.legend(drawn.values(), drawn, loc="outside lower center", fontsize=8, ncols=columns)


def _legend_columns(names: Sequence[str], width: float) -> int:
    """As many as fit below a figure of so many inches."""
    return max(1, min(len(names), int(width / (SAMPLE + LETTER * max(map(len, names))))))


def _styles(names: Sequence[str]) -> dict[str, tuple[Any, str]]:
    """Colour and marker of each name; beyond eight, names that differ in their number only are shades of one colour.

    Where there are too many kinds of names for that, no two have both the same colour and the same marker.
    """
    from matplotlib import colormaps

    if len(names) <= len(COLOURS):
        return dict(zip(names, zip(COLOURS, MARKERS * 2, strict=False), strict=False))
    families: dict[str, list[str]] = {}
    for name in names:
        families.setdefault(name.rstrip("0123456789"), []).append(name)
    if len(families) > len(SHADES):
        rounds = len(COLOURS)
        return {name: (COLOURS[i % rounds], MARKERS[(i + i // rounds) % len(MARKERS)]) for i, name in enumerate(names)}
    return {
        name: (colormaps[shades](0.35 + 0.6 * place / len(family)), marker)
        for shades, family in zip(cycle(SHADES), families.values(), strict=False)
        for (place, name), marker in zip(enumerate(family), cycle(MARKERS), strict=False)
    }
