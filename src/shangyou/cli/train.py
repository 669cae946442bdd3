"""`shangyou train`, `train-bids`, `curves`, `measure-hands` and `lab`: nets trained by any of the algorithms, and published
experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Table

from shangyou import games
from shangyou import lab as experiments
from shangyou.agents.models.model_files import SUFFIX
from shangyou.agents.models.net_agent import Model
from shangyou.cli.options import AsJson, GameName, RayAddress, Seed, check_torch, complete_agent, connected, console, show
from shangyou.games import BadInput
from shangyou.records.cluster_runs import train_on_cluster
from shangyou.records.remote_runs import open_run
from shangyou.records.runs import CURVE, RunFolder, load_checkpoint, read_curve, scalars
from shangyou.training import ALGORITHMS

if TYPE_CHECKING:
    from shangyou.evaluation.hands import HandReport
    from shangyou.evaluation.intervals import ClusteredMean
    from shangyou.nets.hand_net import HandNet
    from shangyou.training.algorithm import BaseArgs, Progress
    from shangyou.workers.cluster import Cluster

COLUMNS = TextColumn("{task.description}"), BarColumn(20), TimeRemainingColumn(), TextColumn("{task.fields[now]}")
Device = Annotated[str, typer.Option(help="cpu, cuda, or auto: a GPU if there is one.")]


def train(
    game: GameName,
    algorithm: Annotated[str | None, typer.Option(help=f"{', '.join(ALGORITHMS)}; dmc unless given.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0.01, help="Wall clock of the whole run; 10 unless given.")] = None,
    out: Annotated[
        str | None,
        typer.Option(help="Run folder, or its URI (s3://bucket/run); runs/GAME or runs/GAME-ALGORITHM unless given."),
    ] = None,
    resume: Annotated[bool, typer.Option(help="Go on with the run in this folder, with its settings.")] = False,
    device: Device = "auto",
    batch: Annotated[int | None, typer.Option(min=0, help="Games to play before learning; 0: what suits the device.")] = None,
    lr: Annotated[float | None, typer.Option(help="Learning rate at the start; 0.001 unless given, and it falls to 0.")] = None,
    epsilon: Annotated[float | None, typer.Option(min=0, max=1, help="Share of random decisions; 0.01 unless given.")] = None,
    data: Annotated[
        list[Path] | None, typer.Option(help="supervised: a file of games to learn from; may be given several times.")
    ] = None,
    sparring: Annotated[
        list[str] | None, typer.Option(help="An agent that has one side in some of the games.", autocompletion=complete_agent)
    ] = None,
    sparring_share: Annotated[
        float | None, typer.Option(min=0, max=1, help="The share of these games, 0.4 unless given; 0: self-play only.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Any other setting: minibatch=8192, size.turns=0.")
    ] = None,
    against: Annotated[Path | None, typer.Option(help="Run folder of a frozen net that has one side in every game.")] = None,
    checkpoint_seconds: Annotated[
        float | None,
        typer.Option("--checkpoint-seconds", "--keep-seconds", min=0, help="Between checkpoints: what an interruption costs."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Same seed, same cards; 0 unless given.")] = None,
    rules: Annotated[str | None, typer.Option(help='Rule fields to change, e.g. "spring=true base=3".')] = None,
    ray: RayAddress = "",
    processes: Annotated[
        int | None,
        typer.Option(min=1, help="With --ray: processes that learn together; one a GPU (or CPU) unless given."),
    ] = None,
) -> None:
    """Learn a game by playing against oneself, or from games of others (--data).

    Ctrl-C stops; --resume goes on from the last checkpoint.
    """
    games.load_text(game, rules or "")  # says what is wrong with them before anything else
    flags = {
        "minutes": minutes, "data": tuple(map(str, data or ())) or None, "batch": batch or None, "lr": lr, "epsilon": epsilon,
        "sparring": tuple(sparring or ()) or None, "sparring_share": sparring_share,
        "against": str(against) if against else None, "checkpoint_seconds": checkpoint_seconds, "seed": seed, "rules": rules,
    }  # fmt: skip
    given = {name: value for name, value in flags.items() if value is not None}
    if processes and not ray:
        raise BadInput(f"--processes {processes}: only on a Ray cluster (--ray); on one machine torchrun starts them")
    _train(game, algorithm, device, given, settings or [], resume, out, ray=ray, processes=processes)


def train_bids(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder of the doudizhu net to bid for.")],
    minutes: Annotated[float, typer.Option(min=0.01, help="Wall clock of the run.")] = 2.0,
    device: Device = "auto",
    seed: Seed = 0,
) -> None:
    """Learn to bid for hands that a trained net will play; stored in its run folder."""
    _train("doudizhu", "bids", device, {"minutes": minutes, "seed": seed}, [f"player={run}"], overwrite=True)


def _train(
    game: str,
    algorithm: str | None,
    device: str,
    flags: dict[str, Any],
    settings: list[str],
    resume: bool = False,
    out: str | None = None,
    overwrite: bool = False,
    ray: str = "",
    processes: int | None = None,
) -> None:
    check_torch("training")
    with connected(ray) as cluster:
        if cluster and device == "auto":
            device = "cuda" if cluster.gpus else "cpu"
        _train_on(cluster, processes, game, algorithm, device, flags, settings, resume, out, overwrite)


def _train_on(
    cluster: Cluster | None,
    processes: int | None,
    game: str,
    algorithm: str | None,
    device: str,
    flags: dict[str, Any],
    settings: list[str],
    resume: bool,
    out: str | None,
    overwrite: bool,
) -> None:
    from shangyou.training.algorithm import args_of, find_algorithm, preset, start
    from shangyou.training.settings import found_device

    where = open_run(out or Path("runs") / (game if algorithm in (None, "dmc") else f"{game}-{algorithm}"))
    name = algorithm or (where.resume()["algorithm"] if resume else "dmc")
    chosen = find_algorithm(name)
    args, stored = _changed(name, preset(name, game, device), flags, settings), None
    folder = RunFolder(Path(args.player), chosen.file) if chosen.file else where
    if folder.exists and not resume and not overwrite:
        raise BadInput(f"there is a run in {folder} already: --resume goes on with it, --out starts another")
    if resume:
        stored = folder.resume()
        if (stored["algorithm"], stored["args"]["game"]) != (name, game):
            raise BadInput(f"this is a {stored['algorithm']} run of {stored['args']['game']}, not a {name} run of {game}")
        args = _changed(name, replace(args_of(stored), device=found_device(device)), flags, settings)
    with _bar(transient=False) as bar:
        try:
            if cluster:
                ranks = processes or (cluster.gpus if args.device.startswith("cuda") else cluster.count)
                train_on_cluster(cluster, name, args, str(folder), ranks, _reporter(bar, args))
            else:
                start(name, args, folder, _reporter(bar, args), stored)
        except BadInput:
            bar.live.transient = True  # nothing was trained: the error stands alone
            raise
        except KeyboardInterrupt:
            bar.console.print(f"stopped; --resume --out {folder} goes on from the last checkpoint")
            raise
    copied = "a copy of it here" if "://" in str(folder) else str(folder)
    bar.console.print(f"stored in {folder}; shangyou model export makes a model of {copied}")


def _bar(transient: bool) -> Bar:
    """On a terminal alone: elsewhere it would be an empty line, before the error if there is one."""
    errors = Console(stderr=True)
    return Bar(*COLUMNS, console=errors, transient=transient, disable=not errors.is_interactive)


def _changed(algorithm: str, args: Any, flags: dict[str, Any], settings: list[str]) -> Any:
    from shangyou.training.settings import changed, setting_names

    if missing := [flag for flag in flags if not hasattr(args, flag)]:
        names = ", ".join(setting_names(args))
        raise BadInput(f"--{missing[0].replace('_', '-')}: {algorithm} has no such setting; it has {names}")
    return changed(replace(args, **flags), settings)


def _reporter(bar: Bar, args: BaseArgs) -> Callable[[Progress], None]:
    """What shows a run's progress: one line that moves, and one that stays for every measurement."""
    task, shown = bar.add_task(args.game, total=1.0, now=""), None

    def report(progress: Progress) -> None:
        nonlocal shown
        bar.update(task, completed=1 - args.share_left(progress), now="  ".join(_now(progress)))
        if progress.strength and progress.measured != shown:
            shown = progress.measured
            won = "  ".join(f"{name} {won:.4f} ({points:+z.3f})" for name, (won, points) in progress.strength.items())
            minutes = (progress.measured or 0.0) / 60
            bar.console.print(f"{minutes:6.2f} min  {progress.games:>12,} games  won (points) against {won}")

    return report


def _now(progress: Progress) -> list[str]:
    """The latest iteration as the parts of a line."""
    numbers = scalars(progress)
    parts = [f"{numbers[rate]:,.0f} {rate}" for rate in ("games/s", "decisions/s") if rate in numbers]
    parts = parts or [f"{progress.games:,} games"]
    parts += [] if progress.loss is None else [f"loss {progress.loss:.4f}"]
    return parts + [f"{name} {value:.3g}" for name, value in list(progress.metrics.items())[:4]]


# -- learning curves, experiments -------------------------------------------------------------------------------------


def plot_runs(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, or curve.jsonl files.")],
    plot: Annotated[Path, typer.Option(help="The picture, .svg or .png.")] = Path("curves.svg"),
) -> None:
    """Learning curves of runs, in one picture."""
    from shangyou.evaluation.plots import plot_curves

    curves = {run.name.removesuffix(f".{CURVE}"): read_curve(run / CURVE if run.is_dir() else run) for run in runs}
    plot_curves(curves, plot)
    Console(stderr=True).print(f"{len(curves)} curves in {plot}")


def measure_hands(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="Run folder of shangyou train --algorithm hands, or the model of one.")
    ],
    games: Annotated[int, typer.Option(min=2, help="Games that the teachers play; none of them was learned from.")] = 2000,
    teacher: Annotated[
        list[str] | None,
        typer.Option(help="Another agent than those whose games were learned from.", autocompletion=complete_agent),
    ] = None,
    temperature: Annotated[float | None, typer.Option(min=0, help="Of the teachers' plays, if not as in training.")] = None,
    device: Device = "auto",
    plot: Annotated[Path | None, typer.Option(help="A picture of it, .svg or .png.")] = None,
    json: AsJson = False,
) -> None:
    """How well a net infers hidden hands: -log P of the true ones for each unseen card, against even splits."""
    check_torch("measure-hands")
    from shangyou.engines.batch import BatchEngine
    from shangyou.evaluation.plots import check_can_plot, plot_hands
    from shangyou.training.hands import measure
    from shangyou.training.settings import found_device

    if plot:
        check_can_plot(plot)
    args, net = _hand_model(run) if run.suffix == SUFFIX else _hand_run(run)
    engine = BatchEngine(args.load_game(), found_device(device))
    args = replace(args, teachers=tuple(teacher or args.teachers))
    if temperature is not None:
        args = replace(args, temperature=temperature)
    with games_bar("games", games) as bar:
        report = measure(net.to(engine.device), engine, args, games, bar)
    if plot:
        plot_hands(report, plot)
    show(json, report.as_dict(), lambda: console.print(*_hand_tables(report), sep=""))


@contextmanager
def games_bar(what: str, games: int) -> Iterator[Callable[[int], None]]:
    """A bar that leaves no trace, and the function that says how many games are done."""
    with _bar(transient=True) as bar:
        task = bar.add_task(what, total=games, now="")
        yield lambda done: bar.update(task, completed=done)


def _hand_run(run: Path) -> tuple[Any, HandNet]:
    """Its settings and its net."""
    from shangyou.training.algorithm import args_of, net_of

    stored = load_checkpoint(run)
    if stored["algorithm"] != "hands":
        raise BadInput(f"{run} is a {stored['algorithm']} run, not a hands run")
    return args_of(stored), net_of(stored)


def _hand_model(path: Path) -> tuple[Any, HandNet]:
    """Games of the champion, since a model does not have the settings of its training, and its net."""
    from shangyou.agents.batch.onnx_model import OnnxHandNet
    from shangyou.training.hands import PRESETS, Args

    info = Model(path, kind="hands").info
    args = Args(info.game, info.rules, teachers=PRESETS[info.game]["teachers"])
    return args, OnnxHandNet(games.load_text(info.game, info.rules), path)


def _hand_tables(report: HandReport) -> Iterator[Table | str]:
    yield f"{report.games:,} games, {report.decisions:,} decisions; -log P of the hidden hands for each unseen card\n"
    table = Table("unseen", "games", "model", "even splits", "difference")
    for number, losses in [*sorted(report.by_unseen.items()), ("all", report.overall)]:
        table.add_row(str(number), f"{losses.gain.clusters:,}", *map(_mean, (losses.model, losses.even, losses.gain)))
    yield table
    table = Table("chance to hold", "games", "held", "difference")
    for one in report.calibration.bins:
        table.add_row(f"{one.forecast.mean:.3f}", f"{one.forecast.clusters:,}", *map(_mean, (one.outcome, one.excess)))
    yield table
    yield f"chance that the next seat holds a card of a rank, and share of times it does: {report.calibration.error:.4f} apart"


def _mean(mean: ClusteredMean) -> str:
    return f"{mean.mean:.4f} ± {mean.half_width:.4f}"


def run_lab(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(experiments.EXPERIMENTS)}.")],
    scale: Annotated[str, typer.Option(help="smoke: seconds; small: minutes, both on a CPU; paper: for a GPU.")] = "smoke",
    seed: Seed = 0,
    device: Device = "auto",
    out: Annotated[Path, typer.Option(help="Folder of finished stages, which are not done again.")] = Path("runs/lab"),
    results: Annotated[
        Path | None, typer.Option(help="Folder of the page; docs/results at paper scale, else under --out.")
    ] = None,
    models: Annotated[Path | None, typer.Option(help="Folder to write the trained nets to, as models to play with.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="One of the nets to write; may be given several times.")] = None,
    ray: RayAddress = "",
) -> None:
    """Run a published experiment and write its page. Interrupted, the same command goes on."""
    check_torch("lab")
    experiment = experiments.find(name)
    from shangyou.lab.durations import expected
    from shangyou.lab.export_nets import export_nets, nets_of
    from shangyou.lab.stages import Context
    from shangyou.training.settings import found_device

    if models is not None:
        nets_of(name)  # an error now, not after the work
    ctx = Context(experiment.SETUPS, scale, seed, found_device(device), out)
    if estimate := expected(name, scale, ctx.device.type == "cuda"):
        ctx.console.print(estimate)
    folders = {"smoke": out / "results", "small": out / "results-small", "paper": Path("docs/results")}
    with connected(ray) as cluster:
        page = experiments.run(name, ctx, results or folders[scale], cluster)
    for file in [page, *(export_nets(ctx, name, models, only) if models is not None else [])]:
        ctx.console.print(f"written to {file}")
