"""`shangyou model`: the trained models there are, new ones, models made of training runs, and how well they predict games."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from shangyou.agents.models.model_files import find_model
from shangyou.cli.options import (
    AsJson,
    Commands,
    RulesText,
    changed_rules,
    check_torch,
    complete_model,
    complete_own_model,
    console,
    show,
)
from shangyou.games import load_text
from shangyou.records import models
from shangyou.records.accuracy import ALL, MOST_GAMES, Expert, measure_files
from shangyou.records.game_files import HELD_OUT
from shangyou.records.models import StoredModel
from shangyou.records.runs import CHECKPOINT, HALF

if TYPE_CHECKING:
    from shangyou.evaluation.intervals import ClusteredMean
    from shangyou.training.supervised.accuracy import Accuracy, Part

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Trained models: list, info, add, remove, export, accuracy.")

ANSWERS = {"win": "win chances", "points": "points", "value": "values", "scores": "scores"}
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what is there.")]


@app.command("list")
def list_models(json: AsJson = False) -> None:
    """Champions and own models: game, rules, size, whether this version can play them, training."""
    stored = models.stored_models()
    show(json, [_describe(model) for model in stored], lambda: _print_list(stored))


def _print_list(stored: list[StoredModel]) -> None:
    table = Table(Column("model", no_wrap=True, overflow="fold"), "game", "rules", "size", "plays here", "training")
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
    name: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="champion/zsy2, mine/second, or a file that ends in .onnx.", autocompletion=complete_model
        ),
    ],
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
def remove(
    name: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model of your own: mine/second.", autocompletion=complete_own_model)
    ],
    json: AsJson = False,
) -> None:
    """Delete a model of your own, with the model that bids for it. Those of this package stay."""
    removed = [str(path) for path in models.remove(name)]
    show(json, {"name": name, "removed": removed}, lambda: typer.echo(f"removed {name}: {', '.join(removed)}"))


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
    playout: Annotated[
        bool,
        typer.Option("--playout", help="Of a distill run the net of playouts, FILE or RUN_FOLDER/playout.npz."),
    ] = False,
    overwrite: Overwrite = False,
) -> None:
    """Make a model of a training run, to be played anywhere without torch."""
    if playout:
        check_torch("export")
        typer.echo(f"written to {models.export_playout(run, file or run / 'playout.npz', overwrite)}")
        return
    checkpoint = HALF if half else CHECKPOINT
    for name, target in models.export(run, file, overwrite, checkpoint, prune_games, net).items():
        typer.echo(f"written to {target}")
        if check:
            found = models.fidelity(run, target, check, checkpoint, name)
            apart = " and ".join(f"{most:.1e} in {ANSWERS[answer]}" for answer, most in found.differences.items())
            same = "" if found.same_choice is None else f", and choose the same play in {found.same_choice:.2%}"
            typer.echo(f"on {found.positions:,} positions of real games model and net differ by {apart} at most{same}")


# -- accuracy ---------------------------------------------------------------------------------------------------------


@app.command()
def accuracy(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A run folder, a model that gives probabilities of plays, or the expert.")
    ],
    data: Annotated[list[Path], typer.Option(help="A file of games: text, JSON Lines or Parquet; may be given several times.")],
    expert: Annotated[str | None, typer.Option(help="Who played the games; gives the bound of any accuracy.")] = None,
    temperature: Annotated[float, typer.Option(help="T of the expert: it plays in proportion to exp(win chance / T).")] = 0.001,
    held_out: Annotated[
        float, typer.Option(min=0, max=1, help=f"The held-out share of the training; {ALL:g}: all games.")
    ] = HELD_OUT,
    games: Annotated[int, typer.Option(min=1, help="Measure on so many games at most.")] = MOST_GAMES,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave bad records out.")] = False,
    rules: RulesText = "",
    device: Annotated[str, typer.Option(help="cpu, cuda, or auto: a GPU if there is one. Models play on the CPU.")] = "auto",
    json: AsJson = False,
) -> None:
    """How often a model predicts the plays of held-out doudizhu games, labels and kickers, with 95% intervals over games."""
    check_torch("accuracy")
    from shangyou.training.settings import found_device

    game, played_by = load_text("doudizhu", rules), Expert(expert, temperature) if expert else None
    with Console(stderr=True).status("reading games") as status:
        found = measure_files(
            model, data, game, found_device(device), held_out=held_out, games=games, skip_bad=skip_bad, expert=played_by,
            report=lambda done: status.update(f"{done:,} decisions predicted"),
        )  # fmt: skip
    described = {"model": model, "data": list(map(str, data)), "expert": expert, "temperature": temperature if expert else None}
    show(json, described | found.to_json(), lambda: _print_accuracy(found))


def _print_accuracy(found: "Accuracy") -> None:
    for title, part in (("policy: labels", found.policy), ("kickers", found.kicker)):
        console.print(_accuracy_table(title, part))
        if part.calibration.table:
            console.print(_reliability_table(part))


def _accuracy_table(title: str, part: "Part") -> Table:
    numbers = ("count", "accuracy", "the expert repeats itself", "best possible", "win chance lost")
    table = Table("decisions", *(Column(name, justify="right") for name in numbers), title=title)
    for row in part.rows:
        if row.decisions:
            table.add_row(row.name, f"{row.decisions:,}", *map(_percent, row.means.values()))
    return table


def _reliability_table(part: "Part") -> Table:
    names = ("confidence", "accuracy", "count")
    title = f"calibration error {part.calibration.error:.2%}"
    table = Table(*(Column(name, justify="right") for name in names), title=title)
    for bin_ in part.calibration.table:
        table.add_row(f"{bin_['confidence']:.1%}", f"{bin_['accuracy']:.1%}", f"{bin_['count']:,}")
    return table


def _percent(mean: "ClusteredMean") -> str:
    return f"{mean.mean:.2%} ± {mean.half_width:.2%}" if mean.count else ""
