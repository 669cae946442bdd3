"""Where an experiment works: its game, engine and seed, and a folder in which every finished stage is kept.

    lab = Lab("smoke", seed=0, device="cpu", folder=Path("runs/lab"))
    games = lab.stage("random-games", settings, lambda: play(...))  # played once, read from its file ever after

A stage is kept with the settings it was made with, in one file that is there whole or not at all. Experiments with the same
scale, seed and folder share their stages.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol, TypeVar

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from shangyou import games
from shangyou.engines.batch import BatchEngine
from shangyou.games import BadInput
from shangyou.nets.papers import NetSpec
from shangyou.records.files import write_whole

SCALES = ("smoke", "paper")
RULES: dict[str, dict[str, Any]] = {"smoke": {"cards_each": 5}, "paper": {}}  # a short game shows that everything works,
THINNER = {"smoke": 8, "paper": 1}  # as do small nets

T = TypeVar("T")


class Show(Protocol):
    def __call__(self, done: int, now: str = "") -> None: ...


class Lab:
    def __init__(self, scale: str, seed: int, device: str, folder: Path, console: Console | None = None) -> None:
        if scale not in SCALES:
            raise BadInput(f"scale {scale!r}: there are {' and '.join(SCALES)}")
        self.scale, self.seed = scale, seed
        self.game = games.load("zsy2", **RULES[scale])
        self.engine = BatchEngine(self.game, device)
        self.folder = folder / f"{scale}-{seed}"
        try:  # before hours of work, not after
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"folder of stages {self.folder}: {error.strerror}") from error
        self.console = console or Console(stderr=True)
        self.made_on: set[str] = set()  # kinds of devices that the stages used were made on
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it products may be summed up in another order
        torch.set_float32_matmul_precision("high")

    @property
    def device(self) -> torch.device:
        return self.engine.device

    def sized(self, specs: Mapping[str, NetSpec]) -> dict[str, NetSpec]:
        """Nets as large as the scale wants them."""
        return {name: spec.scaled_down(THINNER[self.scale]) for name, spec in specs.items()}

    def stage(self, name: str, settings: Any, work: Callable[[], T]) -> T:
        """The kept result of this stage, or else that of `work`: dictionaries, lists, numbers, words and tensors."""
        kept = self.read_made_with(name, settings)
        if kept is None:
            self.console.print(f"{name} ...")
            kept = {"device": self.device.type, "result": work()}
            self.write_made_with(name, settings, kept)
        self.made_on.add(kept["device"])
        return kept["result"]  # type: ignore[no-any-return]

    def read(self, name: str) -> dict[str, Any] | None:
        file = self._file(name)
        if not file.is_file():
            return None
        try:
            kept: dict[str, Any] = torch.load(file, map_location="cpu", weights_only=True)
        except Exception as error:  # torch has no common class for files that are not what they should be
            raise BadInput(f"{file} is no stage of an experiment: {str(error).splitlines()[0]}") from error
        return kept

    def read_made_with(self, name: str, settings: Any) -> dict[str, Any] | None:
        """What is kept under this name, if anything is; that it was made with other settings is an error."""
        kept, says = self.read(name), self._says(settings)
        if kept is not None and (was := {key: kept.get(key) for key in says}) != says:
            raise BadInput(f"{self._file(name)} was made with {_difference(was, says)}: choose another folder, or delete it")
        return kept

    def write_made_with(self, name: str, settings: Any, kept: dict[str, Any]) -> None:
        self.write(name, {**self._says(settings), **kept})

    def _says(self, settings: Any) -> dict[str, Any]:
        return {"settings": _plain(settings), "table": self.game.table.hash}

    def write(self, name: str, kept: dict[str, Any]) -> None:
        content = BytesIO()
        torch.save(kept, content)
        write_whole(self._file(name), content.getvalue())

    def forget(self, name: str) -> None:
        self._file(name).unlink(missing_ok=True)

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.pt"

    @contextmanager
    def progress(self, what: str, total: int) -> Iterator[Show]:
        """A bar to be told how much is done, and something to say beside it."""
        columns = TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn()
        with Progress(*columns, TextColumn("{task.fields[now]}"), console=self.console) as bar:
            task = bar.add_task(what, total=total, now="")

            def show(done: int, now: str = "") -> None:
                bar.update(task, completed=done, now=now)

            yield show


def _plain(settings: Any) -> Any:
    """Settings as a file gives them back: tuples stay, dataclasses are dictionaries."""
    if isinstance(settings, dict):
        return {key: _plain(value) for key, value in settings.items()}
    if isinstance(settings, list | tuple):
        return [_plain(value) for value in settings]
    return _plain(asdict(settings)) if hasattr(settings, "__dataclass_fields__") else settings


def _difference(was: dict[str, Any], now: dict[str, Any]) -> str:
    changed = [key for key in now if was[key] != now[key]]
    if changed != ["settings"] or not isinstance(now["settings"], dict) or not isinstance(was["settings"], dict):
        return f"other {', '.join(changed)}"
    names = [key for key in now["settings"] if was["settings"].get(key) != now["settings"][key]]
    return f"other {', '.join(names) or 'settings'}"
