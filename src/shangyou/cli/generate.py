"""`shangyou record generate`: games for nets to learn from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from shangyou.agents import strongest
from shangyou.cli.options import (
    AsJson,
    GameName,
    RayAddress,
    RulesText,
    Seed,
    WorkerCount,
    chosen_workers,
    complete_agent,
    show,
)
from shangyou.games import BadInput, load_text
from shangyou.records.dataset import Dataset
from shangyou.records.files import new_file
from shangyou.records.parquet import write_games
from shangyou.workers import Workers, do_chunks

if TYPE_CHECKING:
    from shangyou.training.supervised.generate import GenerateGames

About = dict[str, Any]


def generate(
    game: GameName,
    games: Annotated[int, typer.Option(min=1, help="How many games: deals 0, 1, 2, ... of the seed.")],
    temperature: Annotated[float, typer.Option(help="T: a play is chosen in proportion to exp(win chance / T).")],
    agent: Annotated[
        str | None,
        typer.Option(help="Who plays all seats; the strongest agent of the game unless given.", autocompletion=complete_agent),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="A new file of Parquet, GAME.parquet unless given; with --partition a folder, GAME.")
    ] = None,
    partition: Annotated[
        int | None, typer.Option(min=1, help="Games a file: many files and a manifest. The same command goes on with them.")
    ] = None,
    seed: Seed = 0,
    rules: RulesText = "",
    device: Annotated[str, typer.Option(help="cpu, cuda, or auto: a GPU if there is one.")] = "auto",
    workers: WorkerCount = 1,
    ray: RayAddress = "",
    force: Annotated[bool, typer.Option("--force", help="Replace OUT if it exists.")] = False,
    json: AsJson = False,
) -> None:
    """Play games for nets to learn from, by an agent that estimates win chances. Ctrl-C stops and keeps the games so far."""
    try:
        from shangyou.training.supervised.generate import GenerateGames
    except ImportError as missing:
        raise BadInput(f"generating games needs {missing.name}: pip install shangyou[train]") from missing
    loaded = load_text(game, rules)
    name = agent or strongest(loaded)
    made_by = {"agent": name, "temperature": temperature, "seed": seed}
    about = {"game": loaded.name, "rules": str(loaded.rules), "table": loaded.table.hash, **made_by}
    with chosen_workers(workers, ray) as chosen:
        work = GenerateGames(loaded, name, temperature, seed, _device(device, chosen))
        if partition:
            if force:
                raise BadInput("--force: a dataset (--partition) is gone on with, never replaced")
            _generate_dataset(work, out or Path(game), about, games, partition, chosen, json)
        else:
            _generate_file(work, out or Path(f"{game}.parquet"), about, games, chosen, force, json)


def _device(device: str, workers: Workers) -> str:
    """The GPU that auto means, or none, is one of the cluster if the games are played there."""
    from shangyou.training.settings import found_device

    if device == "auto" and not isinstance(workers, int):
        return "cuda" if workers.gpus else "cpu"
    return found_device(device)


def _generate_file(
    work: GenerateGames, target: Path, about: About, games: int, workers: Workers, force: bool, json: bool
) -> None:
    chunks = work.chunks(range(games))
    try:
        with new_file(target, force) as file, _progress(f"{work.game.name} games", games) as report:
            with closing(do_chunks(work, chunks, workers, work.on_gpu)) as played:
                written = write_games(file, played, about, report)
            size = file.tell()
    except KeyboardInterrupt:
        typer.echo(f"stopped before the first games were over: {target} is not written", err=True)
        raise typer.Exit(130) from None
    left = "" if written == games else f"; {games - written} were not played"
    text = f"wrote {written:,} games to {target}, {size / written:.1f} bytes each{left}"
    show(json, {"file": str(target), "games": written, "bytes": size} | about, lambda: typer.echo(text))


def _generate_dataset(
    work: GenerateGames, folder: Path, about: About, games: int, partition: int, workers: Workers, json: bool
) -> None:
    work.check_partition(partition)
    dataset = Dataset.begin(folder, about, games, partition)
    before = dataset.written
    cuts = [(numbers, work.chunks(numbers)) for numbers in dataset.missing()]
    chunks = (chunk for _, cut in cuts for chunk in cut)  # of all partitions: nobody waits for the end of one
    try:
        with (
            _progress(f"{work.game.name} games", games, before) as report,
            closing(do_chunks(work, chunks, workers, work.on_gpu)) as played,
        ):
            for numbers, cut in cuts:
                so_far = dataset.written
                dataset.add(numbers, islice(played, len(cut)), lambda done, so_far=so_far: report(so_far + done))  # type: ignore[misc]
    except KeyboardInterrupt:
        stopped = f"stopped with {dataset.written:,} of {games:,} games in {folder}: the same command goes on"
        typer.echo(stopped, err=True)
        raise typer.Exit(130) from None
    there = f", {before:,} of them there before" if before else ""
    text = f"{games:,} games in {len(dataset.partitions)} files of {folder}, {dataset.bytes / games:.1f} bytes each{there}"
    result = {"folder": str(folder), "games": games, "bytes": dataset.bytes, "there_before": before, "partition": partition}
    show(json, result | about, lambda: typer.echo(text))


@contextmanager
def _progress(what: str, total: int, before: int = 0) -> Iterator[Callable[[int], None]]:
    """A bar with the rate and the time left; call the function with how much is done."""
    columns = "{task.description}", BarColumn(), MofNCompleteColumn(), "{task.fields[rate]}", TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task, began = progress.add_task(what, total=total, completed=before, rate=""), perf_counter()

        def report(done: int) -> None:
            progress.update(task, completed=done, rate=f"{(done - before) / (perf_counter() - began):,.0f}/s")

        yield report
