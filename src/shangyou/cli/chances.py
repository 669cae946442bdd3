"""`shangyou measure-chances`: whether what agents expect of their plays comes true."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from shangyou import games
from shangyou.agents.models.model_files import find_model, is_model
from shangyou.cli.options import AsJson, GameName, RulesText, Seed, check_torch, complete_agent, console, show
from shangyou.cli.train import Device, games_bar
from shangyou.games import Game

if TYPE_CHECKING:
    from shangyou.evaluation.calibration import Calibration
    from shangyou.evaluation.chances import ChanceReport


def measure_chances(
    game: GameName,
    names: Annotated[
        list[str],
        typer.Argument(metavar="AGENT...", help="Agents that estimate win chances: nets.", autocompletion=complete_agent),
    ],
    count: Annotated[int, typer.Option("--games", min=2, help="Games of each agent with itself.")] = 1500,
    seed: Seed = 0,
    rules: RulesText = "",
    device: Device = "auto",
    plot: Annotated[Path | None, typer.Option(help="A picture of it, .svg or .png.")] = None,
    json: AsJson = False,
) -> None:
    """Whether the win chances and points that agents expect come true, in games of each with itself."""
    check_torch("measure-chances")
    from shangyou.agents.batch import load_batch
    from shangyou.engines.batch import BatchEngine
    from shangyou.evaluation.chances import measure
    from shangyou.evaluation.plots import check_can_plot, plot_chances
    from shangyou.training.settings import found_device

    if plot:
        check_can_plot(plot)
    loaded, reports = games.load_text(game, rules), dict[str, "ChanceReport"]()
    engine = BatchEngine(loaded, found_device(device))
    for name in dict.fromkeys(names):
        agent, same_rules = load_batch(name, loaded, seed, engine.device), _has_its_rules(name, loaded)
        with games_bar(name, count) as bar:
            reports[name] = measure(agent, engine, count, seed, same_rules, bar)
    if plot:
        plot_chances(reports, plot)
    described = {"game": game, "rules": loaded.rules.as_dict(), "seed": seed}
    agents = {name: report.as_dict() for name, report in reports.items()}
    show(json, described | {"agents": agents}, lambda: console.print(*_tables(reports), sep=""))


def _has_its_rules(name: str, game: Game) -> bool:
    """Whether an agent plays under the rules of its training, as all but models do; if not, its points need not come true."""
    from shangyou.agents.models.net_agent import Model  # imports onnxruntime, which scripted agents do not need

    trained_with = Model(find_model(name.partition(":")[0])).other_rules(game) if is_model(name) else ""
    if trained_with:
        Console(stderr=True).print(f"note: {name} was trained with {trained_with}; points are left out", highlight=False)
    return not trained_with


def _tables(reports: dict[str, ChanceReport]) -> Iterator[Table | str]:
    for name, report in reports.items():
        parts = {"all": report.chances} | {f"{band} cards left": part for band, part in report.by_left.items()}
        table = Table(
            "decisions with", "number", "calibration error", "by chance alone", title=f"{name}, {report.games:,} games"
        )
        for which, part in parts.items():
            table.add_row(which, f"{part.forecasts:,}", f"{part.error:.4f}", _by_chance(part, 4))
        yield table
        yield _bins("chance given", "share won", report.chances)
        if report.points:
            yield _bins("points expected", "points paid", report.points)
            yield f"points expected and paid: {report.points.error:.3f} apart, by chance alone {_by_chance(report.points, 3)}\n"


def _bins(forecast: str, outcome: str, calibration: Calibration) -> Table:
    table = Table(forecast, "games", outcome, "difference")
    for one in calibration.bins:
        if one.excess.count:
            means = (f"{mean.mean:.4f} ± {mean.half_width:.4f}" for mean in (one.outcome, one.excess))
            table.add_row(f"{one.forecast.mean:.4f}", f"{one.forecast.clusters:,}", *means)
    return table


def _by_chance(part: Calibration, digits: int) -> str:
    """What true forecasts would show: their mean, and what they exceed in 5% of the cases."""
    mean, most = part.error_by_chance()
    return f"{mean:.{digits}f}, at most {most:.{digits}f}"
