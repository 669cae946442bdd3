"""Stages of an experiment that do not wait for each other, side by side on a Ray cluster: one a GPU, or a CPU if it has none.

An experiment lists them as `waves(ctx)`: all stages of a wave need only those of the waves before it. Each is stored by the
worker that made it, in the folder of stages, which is therefore one folder for all nodes; the experiment then finds them there.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shangyou.games import BadInput
from shangyou.lab.stages import Context, Stage
from shangyou.workers import do_chunks
from shangyou.workers.cluster import Cluster


@dataclass(frozen=True)
class MakeStages:
    """As work: every chunk is a stage."""

    setups: Any
    scale: str
    seed: int
    device: str
    folder: Path
    mark: str  # the name of a file there
    agents: tuple[str, ...] = ()

    def start(self) -> Callable[[Stage], None]:
        if not (self.folder / self.mark).exists():
            raise BadInput(
                f"folder of stages {self.folder}: a node of the cluster does not see it; use one that all nodes share"
            )
        ctx = Context(self.setups, self.scale, self.seed, self.device, self.folder)

        def make(stage: Stage) -> None:
            stage(ctx)

        return make


def make_side_by_side(waves: Iterable[Sequence[Stage]], setups: Any, ctx: Context, cluster: Cluster) -> None:
    folder, on_gpu = ctx.folder.parent.resolve(), cluster.gpus > 0
    mark = folder / f".seen-{secrets.token_hex(4)}"
    work = MakeStages(setups, ctx.scale, ctx.seed, "cuda" if on_gpu else "cpu", folder, mark.name)
    mark.touch()
    try:
        for number, wave in enumerate(waves, 1):
            with (
                ctx.progress(f"stages side by side, {number}", len(wave)) as show,
                closing(do_chunks(work, wave, cluster, on_gpu)) as made,
            ):
                for done, _ in enumerate(made, 1):
                    show(done)
    finally:
        mark.unlink(missing_ok=True)
