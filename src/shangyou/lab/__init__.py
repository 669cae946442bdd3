"""The published experiments. A file in `experiments/` is one: its title, its game by scale, and `run`, which fills a page."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from shangyou.games import BadInput

if TYPE_CHECKING:
    from shangyou.lab.page import Page
    from shangyou.lab.stages import Context, Setup

EXPERIMENTS = (
    "deep-zsy", "hyperparameters", "iterations", "buffer-size", "round-robin", "discordance", "aggregation", "battle-royale",
    "more-games", "regularisation", "findings", "people", "ddqn-pool",
    "deeprocket",
)  # fmt: skip


class Experiment(Protocol):
    """What a file in `experiments/` defines; `nets(ctx)`, too, if its nets can be exported."""

    TITLE: str
    SETUPS: Mapping[str, Setup]  # by scale

    def run(self, ctx: Context, page: Page) -> None: ...


def find(name: str) -> Experiment:
    if name not in EXPERIMENTS:
        raise BadInput(f"there is no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    return cast(Experiment, import_module(f"shangyou.lab.experiments.{name.replace('-', '_')}"))


def run(name: str, ctx: Context, results: Path) -> Path:
    """The page that was written."""
    from shangyou.lab.page import Page

    experiment = find(name)
    page = Page(ctx, name, experiment.TITLE, results)
    experiment.run(ctx, page)
    return page.save()
