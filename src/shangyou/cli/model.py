"""`shangyou model`: the trained models there are, new ones, and models made of training runs."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from shangyou.agents.models.model_files import find_model
from shangyou.cli.options import AsJson, Commands, changed_rules, console, show
from shangyou.records import models
from shangyou.records.models import StoredModel
from shangyou.records.runs import CHECKPOINT, HALF

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Trained models: list, info, add, export.")

ANSWERS = {"win": "win chances", "points": "points", "value": "values", "scores": "scores"}
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what is there.")]


@app.command("list")
def list_models(json: AsJson = False) -> None:
    """Champions and own models: game, rules, size, whether this version can play them, training."""
    stored = models.stored_models()
    show(json, [_describe(model) for model in stored], lambda: _print_list(stored))


def _print_list(stored: list[StoredModel]) -> None:
    table = Table("model", "game", "rules", "size", "plays here", "training")
    for model in stored:
        table.add_row(*map(escape, _cells(model)))
    console.print(table if stored else "there are no models; shangyou model add FILE --name NAME takes one in")
    for model in stored:
        if model.fault:
            console.print(escape(f"{model.name}: {model.fault}"))


def _cells(model: StoredModel) -> list[str]:
    info, size, plays = model.info, f"{model.size / 1e6:.1f} MB", "no" if model.fault else "yes"
    if info is None:
        return [model.name, "", "", size, plays, ""]
    changes = info.rules if model.fault else changed_rules(models.game_of(info))
    return [model.name, info.game, changes, size, plays, models.training_of(info)]


def _describe(model: StoredModel) -> dict[str, Any]:
    described = asdict(model.info) if model.info else {}
    place = {"name": model.name, "path": str(model.path), "size": model.size}
    return {**place, "plays_here": not model.fault, "fault": model.fault, **described}


@app.command()
def info(
    name: Annotated[str, typer.Argument(metavar="MODEL", help="champion/zsy2, mine/second, or a file that ends in .onnx.")],
    json: AsJson = False,
) -> None:
    """All a model says about itself."""
    described = _describe(models.StoredModel.of(name, find_model(name)))
    lines = (f"[bold]{escape(key)}[/]  {escape(str(value))}" for key, value in _flat(described))
    show(json, described, lambda: console.print(*lines, sep="\n"))


def _flat(values: dict[str, Any], above: str = "") -> list[tuple[str, Any]]:
    """Dictionaries in dictionaries as one list: `about.progress.games`."""
    parts = [
        _flat(value, f"{above}{key}.") if isinstance(value, dict) else [(above + key, value)] for key, value in values.items()
    ]
    return [pair for part in parts for pair in part]


@app.command()
def add(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A model: an ONNX file made by shangyou model export.")],
    name: Annotated[str, typer.Option("--name", help="What it will be called: mine/second.")],
    overwrite: Overwrite = False,
) -> None:
    """Check that a model plays, and store a copy of it under a name."""
    typer.echo(f"stored as {name} in {models.add(file, name, overwrite)}")


@app.command()
def export(
    run: Annotated[Path, typer.Argument(metavar="RUN_FOLDER", help="Where shangyou train stored its run.")],
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="The model; RUN_FOLDER/model.onnx unless given.")
    ] = None,
    check: Annotated[int, typer.Option(min=0, help="Positions on which the model is compared with the net.")] = 500,
    prune_games: Annotated[
        int, typer.Option("--prune-games", "--watch", min=0, help="Leave out units that never fire in so many games; 0: none.")
    ] = models.PRUNE_GAMES,
    half: Annotated[bool, typer.Option("--half", help="The net at half time, to compare with the final one.")] = False,
    net: Annotated[str | None, typer.Option(help="Of several nets of a run this one; all unless given.")] = None,
    overwrite: Overwrite = False,
) -> None:
    """Make a model of a training run, to be played anywhere without torch."""
    checkpoint = HALF if half else CHECKPOINT
    for name, target in models.export(run, file, overwrite, checkpoint, prune_games, net).items():
        typer.echo(f"written to {target}")
        if check:
            found = models.fidelity(run, target, check, checkpoint, name)
            apart = " and ".join(f"{most:.1e} in {ANSWERS[answer]}" for answer, most in found.differences.items())
            same = "" if found.same_choice is None else f", and choose the same play in {found.same_choice:.2%}"
            typer.echo(f"on {found.positions:,} positions of real games model and net differ by {apart} at most{same}")
