"""An experiment from the command line, with as little installed as a machine for training has."""

from __future__ import annotations

from pathlib import Path

from shangyou import lab as experiments
from shangyou.lab.models import check_has_nets, export_models
from shangyou.lab.workshop import Lab
from shangyou.training.settings import found_device


def run_experiment(
    name: str,
    scale: str,
    seed: int,
    device: str,
    out: Path,
    results: Path | None = None,
    models: Path | None = None,
    only: list[str] | None = None,
) -> Path:
    """The page; at paper scale in docs/results, else beside the stages."""
    experiments.check_name(name)
    if models is not None:
        check_has_nets(name)
    lab = Lab(scale, seed, found_device(device), out)
    page = experiments.run(name, lab, results or (Path("docs/results") if scale == "paper" else out / "results"))
    lab.console.print(f"written to {page}")
    if models is not None:
        for file in export_models(lab, name, models, only):
            lab.console.print(f"written to {file}")
    return page
