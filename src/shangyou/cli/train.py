"""`shangyou train`: a champion from nothing."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from shangyou.cli.options import GameName, RulesText, Seed, load_game
from shangyou.games import BadInput

if TYPE_CHECKING:
    from shangyou.training.dmc import Args, Progress


COLUMNS = TextColumn("{task.description}"), BarColumn(20), TimeRemainingColumn(), TextColumn("{task.fields[now]}")


def check_torch() -> None:
    if find_spec("torch") is None:
        raise BadInput("training needs torch: pip install shangyou[train]")


def train(
    game: GameName,
    minutes: Annotated[float | None, typer.Option(min=0.01, help="Wall clock of the whole run; 10 unless given.")] = None,
    out: Annotated[Path | None, typer.Option(help="Run folder; runs/GAME unless given.")] = None,
    resume: Annotated[bool, typer.Option(help="Go on with the run in this folder, with its settings.")] = False,
    device: Annotated[str, typer.Option(help="cpu, cuda, or auto: a GPU if there is one.")] = "auto",
    batch: Annotated[int, typer.Option(min=0, help="Games to play before learning from them; 0: what suits the device.")] = 0,
    lr: Annotated[float, typer.Option(help="Learning rate at the start; it falls to nothing.")] = 1e-3,
    epsilon: Annotated[float, typer.Option(min=0, max=1, help="Share of decisions made by lot.")] = 0.01,
    sparring: Annotated[list[str] | None, typer.Option(help="An agent that has one side in some of the games.")] = None,
    sparring_share: Annotated[float, typer.Option(min=0, max=1, help="The share of these games; 0: self-play only.")] = 0.4,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Any other setting: minibatch=8192, size.turns=0.")
    ] = None,
    against: Annotated[Path | None, typer.Option(help="Run folder of a frozen net that has one side in every game.")] = None,
    keep_seconds: Annotated[float, typer.Option(min=0, help="Time between checkpoints: what an interruption can cost.")] = 30.0,
    seed: Seed = 0,
    rules: RulesText = "",
) -> None:
    """Learn a game by playing against oneself. Ctrl-C stops; --resume goes on from the last checkpoint."""
    load_game(game, rules)  # says what is wrong with them before anything else
    check_torch()
    from shangyou.records.runs import RunFolder, load_checkpoint
    from shangyou.training import dmc
    from shangyou.training.presets import args_for, changed, resumed

    folder = RunFolder(out or Path("runs") / game)
    if folder.exists and not resume:
        raise BadInput(f"there is a run in {folder.path} already: --resume goes on with it, --out starts another")
    kept = folder.load() if resume else None
    if kept is not None:
        args = resumed(kept, game, device, minutes)
    else:
        args = args_for(game, device)
        args = replace(args, minutes=minutes or args.minutes, lr=lr, epsilon=epsilon, seed=seed, rules=rules)
        args = replace(args, sparring=tuple(sparring or args.sparring), sparring_share=sparring_share)
        args = changed(replace(args, batch=batch or args.batch), settings or [])
    frozen = dmc.load_net(load_checkpoint(against)) if against else None
    with Display(args) as display:
        try:
            dmc.train(replace(args, keep_seconds=keep_seconds), folder, display.show, kept, frozen)
        except KeyboardInterrupt:
            display.console.print(f"stopped; --resume --out {folder.path} goes on from the last checkpoint")
            raise
    display.console.print(f"kept in {folder.path}; shangyou model export {folder.path} makes a model of it")


def train_bids(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder of the doudizhu net to bid for.")],
    minutes: Annotated[float, typer.Option(min=0.01, help="Wall clock of the run.")] = 2.0,
    device: Annotated[str, typer.Option(help="cpu, cuda, or auto: a GPU if there is one.")] = "auto",
    seed: Seed = 0,
) -> None:
    """Learn to bid for hands that a trained net will play; kept in its run folder."""
    check_torch()
    from shangyou.records.runs import RunFolder, load_checkpoint
    from shangyou.training import bids, dmc
    from shangyou.training.presets import bid_args_for

    player, args = dmc.load_net(load_checkpoint(run)), bid_args_for(device, minutes, seed)
    last: list[bids.Progress] = []
    with Bar(*COLUMNS, console=Console(stderr=True)) as bar:
        task = bar.add_task("bids", total=60 * minutes, now="")

        def show(progress: bids.Progress) -> None:
            last[:] = [progress]
            made = " ".join(f"{points}: {share:.0%}" for points, share in enumerate(progress.bids))
            bar.update(task, completed=progress.seconds, now=f"{progress.games:,} games  loss {progress.loss:.2f}  bids {made}")

        net = bids.train(args, player, show)
    RunFolder(run).save_bids(bids.keep(args, net, last[0]))
    typer.echo(f"kept in {run}; shangyou model export {run} takes it along")


def plot_runs(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, or curve.jsonl files.")],
    plot: Annotated[Path, typer.Option(help="The picture, .svg or .png.")] = Path("curves.svg"),
) -> None:
    """Learning curves of runs, in one picture."""
    from shangyou.evaluation.plots import plot_curves
    from shangyou.records.runs import CURVE, read_curve

    curves = {run.name.removesuffix(f".{CURVE}"): read_curve(run / CURVE if run.is_dir() else run) for run in runs}
    plot_curves(curves, plot)
    Console(stderr=True).print(f"{len(curves)} curves in {plot}")


class Display:
    """One line that moves, and one that stays for every measurement."""

    def __init__(self, args: Args) -> None:
        self.console = Console(stderr=True)
        self.bar = Bar(*COLUMNS, console=self.console)
        self.task = self.bar.add_task(args.game, total=60 * args.minutes, now="")
        self.measured: float | None = None

    def __enter__(self) -> Display:
        self.bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.bar.stop()

    def show(self, progress: Progress) -> None:
        busy = max(1e-9, progress.acting + progress.learning)
        rates = f"{progress.games / busy:,.0f} games/s  {progress.decisions / busy:,.0f} decisions/s  loss {progress.loss:.4f}"
        self.bar.update(self.task, completed=progress.seconds, now=rates)
        if progress.measured is not None and progress.measured != self.measured:
            self.measured = progress.measured
            won = "  ".join(f"{name} {won:.4f} ({points:+.3f})" for name, (won, points) in progress.strength.items())
            self.console.print(f"{progress.measured / 60:6.2f} min  {progress.games:>12,} games  won (points) against {won}")
