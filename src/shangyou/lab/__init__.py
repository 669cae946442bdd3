"""The published experiments, one file each: `run("round-robin", lab, results)` does one and writes its page."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from shangyou.games import BadInput

if TYPE_CHECKING:
    from shangyou.lab.page import Page
    from shangyou.lab.workshop import Lab

EXPERIMENTS = (
    "deep-zsy", "hyperparameters", "iterations", "buffer-size", "round-robin", "discordance", "aggregation", "battle-royale",
    "findings",
)  # fmt: skip


def check_name(name: str) -> None:
    if name not in EXPERIMENTS:
        raise BadInput(f"there is no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")


def run(name: str, lab: Lab, results: Path) -> Path:
    """The page that was written."""
    check_name(name)
    page: Page = import_module(f"shangyou.lab.{name.replace('-', '_')}").run(lab, results)
    return page.write()
