"""Runs of training algorithms in an experiment: trained once, gone on with where they stopped, read back afterwards.

    run = TrainedRun(ctx, "full", "supervised", args)
    run.net, run.curve

A run is a folder beside the stages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from shangyou.lab.stages import Context
from shangyou.records.runs import RunFolder
from shangyou.training.algorithm import Checkpoint, Progress, check_same_settings, net_of, start


class QuietFolder(RunFolder):
    _board = None  # curves are on the experiment's page


@dataclass(frozen=True)
class TrainedRun:
    ctx: Context
    name: str  # of its folder
    algorithm: str
    args: Any
    after: TrainedRun | None = None  # the run that this one begins with or learns from, trained first

    @property
    def path(self) -> Path:
        return self.ctx.folder / self.name

    @property
    def settings(self) -> dict[str, Any]:
        """What a stage with this run's results depends on: neither the device nor the folder of another run."""
        args = replace(self.args, device="")
        for setting in ("distill", "init"):
            if other := getattr(args, setting, ""):
                args = replace(args, **{setting: Path(other).name})
        return {"algorithm": self.algorithm, "args": args}

    @property
    def curve(self) -> list[dict[str, Any]]:
        return QuietFolder(self.path).read_curve() if self.checkpoint else []

    @property
    def net(self) -> Any:
        """On the device of the experiment."""
        return net_of(self.checkpoint).to(self.ctx.device)

    @cached_property
    def checkpoint(self) -> Checkpoint:
        """The last one; trained first, or gone on with, if the run is not at its end."""
        folder = QuietFolder(self.path)
        stored = folder.resume() if folder.exists else None
        if stored:
            check_same_settings(self.args, stored)
        if stored and not self._share_left(stored["progress"]):
            return stored
        if self.after:
            assert self.after.checkpoint
        with self.ctx.progress(self.name, 100) as show:
            start(
                self.algorithm,
                self.args,
                folder,
                lambda progress: show(round(100 * (1 - self.args.share_left(progress)))),
                stored,
            )
        return folder.resume()

    def _share_left(self, progress: dict[str, Any]) -> float:
        return self.args.share_left(Progress(**progress))  # type: ignore[no-any-return]
