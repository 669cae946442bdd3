"""`shangyou lab`: the published experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shangyou import lab as experiments
from shangyou.cli.options import Seed
from shangyou.cli.train import check_torch
from shangyou.games import BadInput


def run_lab(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(experiments.EXPERIMENTS)}.")],
    scale: Annotated[str, typer.Option(help="paper: as published, for a GPU; smoke: small, to see that it runs.")] = "smoke",
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
    if name not in experiments.EXPERIMENTS:
        raise BadInput(f"there is no experiment {name!r}; there are {', '.join(experiments.EXPERIMENTS)}")
    from shangyou.lab.command import run_experiment

    run_experiment(name, scale, seed, device, out, results, models, only)
