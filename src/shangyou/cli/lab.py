"""`shangyou lab`: the published experiments."""

from pathlib import Path
from typing import Annotated

import typer

from shangyou import lab as experiments
from shangyou.cli.options import Seed
from shangyou.cli.train import check_torch


def run_lab(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(experiments.EXPERIMENTS)}.")],
    scale: Annotated[str, typer.Option(help="smoke: seconds; small: minutes, both on a CPU; paper: for a GPU.")] = "smoke",
    seed: Seed = 0,
    device: Annotated[str, typer.Option(help="cpu, cuda, or auto: a GPU if there is one.")] = "auto",
    out: Annotated[Path, typer.Option(help="Folder of finished stages, which are not done again.")] = Path("runs/lab"),
    results: Annotated[
        Path | None, typer.Option(help="Folder of the page; docs/results at paper scale, else under --out.")
    ] = None,
    models: Annotated[Path | None, typer.Option(help="Folder to write the trained nets to, as models to play with.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="One of the nets to write; may be given several times.")] = None,
) -> None:
    """Run a published experiment and write its page. Interrupted, the same command goes on."""
    check_torch()
    experiment = experiments.find(name)
    from shangyou.lab.export_nets import export_nets, nets_of
    from shangyou.lab.stages import Context
    from shangyou.training.settings import found_device

    if models is not None:
        nets_of(name)  # an error now, not after the work
    ctx = Context(experiment.SETUPS, scale, seed, found_device(device), out)
    folders = {"smoke": out / "results", "small": out / "results-small", "paper": Path("docs/results")}
    page = experiments.run(name, ctx, results or folders[scale])
    for file in [page, *(export_nets(ctx, name, models, only) if models is not None else [])]:
        ctx.console.print(f"written to {file}")
