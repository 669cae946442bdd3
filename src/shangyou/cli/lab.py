"""`shangyou lab`: the published experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shangyou import lab as experiments
from shangyou.cli.options import Seed
from shangyou.cli.train import check_torch


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
    experiments.check_name(name)
    from shangyou.lab.models import check_has_nets, export_models
    from shangyou.lab.workshop import Lab
    from shangyou.training.presets import found_device

    if models is not None:
        check_has_nets(name)
    lab = Lab(scale, seed, found_device(device), out)
    page = experiments.run(name, lab, results or (Path("docs/results") if scale == "paper" else out / "results"))
    for file in [page, *(export_models(lab, name, models, only) if models is not None else [])]:
        lab.console.print(f"written to {file}")
