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
    from shangyou.workers.cluster import Cluster

EXPERIMENTS = (
    "deep-zsy", "hyperparameters", "iterations", "buffer-size", "round-robin", "discordance", "aggregation", "battle-royale",
    "more-games", "regularisation", "findings", "people", "ddqn-pool",
    "deeprocket",
)  # fmt: skip


class Experiment(Protocol):
    """What a file in `experiments/` defines; `nets(ctx)`, too, if its nets can be exported, and `waves(ctx)` if it has stages
    that do not wait for each other."""

    TITLE: str
    SETUPS: Mapping[str, Setup]  # by scale

    def run(self, ctx: Context, page: Page) -> None: ...


def find(name: str) -> Experiment:
    if name not in EXPERIMENTS:
        raise BadInput(f"there is no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    return cast(Experiment, import_module(f"shangyou.lab.experiments.{name.replace('-', '_')}"))


def run(name: str, ctx: Context, results: Path, cluster: Cluster | None = None) -> Path:
    """The page that was written. On a cluster independent stages are made side by side first."""
    from shangyou.lab.page import Page

    experiment = find(name)
    if cluster:
        from shangyou.lab.side_by_side import make_side_by_side

        if not (waves := getattr(experiment, "waves", None)):
            raise BadInput(f"{name} has no stages that do not wait for each other: a Ray cluster makes it no faster")
        make_side_by_side(waves(ctx), experiment.SETUPS, ctx, cluster)
    page = Page(ctx, name, experiment.TITLE, results)
    experiment.run(ctx, page)
    return page.save()
