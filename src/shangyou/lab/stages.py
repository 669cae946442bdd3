"""What an experiment works with: its game, engine and seed, and a folder in which every finished stage is stored.

    ctx = Context(ZSY2, "smoke", seed=0, device="cpu", folder=Path("runs/lab"))
    games = ctx.stage("random-games", settings, lambda: play(...))  # played once, afterwards read from its file

A stage is stored with its settings, in a file that is written whole or not at all. Experiments with the same game, scale, seed
and folder share their stages.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol, TypeVar

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from shangyou import games
from shangyou.engines.batch import BatchEngine
from shangyou.games import BadInput
from shangyou.nets.papers import NetSpec
from shangyou.records.files import write_whole

T = TypeVar("T")


@dataclass(frozen=True)
class Setup:
    """What an experiment plays at one scale, and how many times smaller its populations' nets are than the papers'."""

    game: str
    rules: Mapping[str, Any] = field(default_factory=dict)
    shrink: int = 1


ZSY2 = {"smoke": Setup("zsy2", {"cards_each": 5}, shrink=8), "small": Setup("zsy2", shrink=4), "paper": Setup("zsy2")}
SCALES = tuple(ZSY2)


class Show(Protocol):
    def __call__(self, done: int, now: str = "") -> None: ...


Stage = Callable[
    ["Context"], Any
]  # of those that are made side by side: a function of a module, or a partial, which can travel


class Context:
    def __init__(
        self, setups: Mapping[str, Setup], scale: str, seed: int, device: str, folder: Path, console: Console | None = None
    ) -> None:
        if scale not in SCALES:
            raise BadInput(f"scale {scale!r}: there are {', '.join(SCALES)}")
        self.scale, self.seed, self.setup = scale, seed, setups[scale]
        self.game = games.load(self.setup.game, **self.setup.rules)
        self.engine = BatchEngine(self.game, device)
        self.folder = folder / f"{self.game.name}-{scale}-{seed}"
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

    def deal_seed(self, purpose: int, population: int = 0) -> int:
        """Of the deals that measure a population, by its seed: each population is measured on deals of its own."""
        return self.seed + purpose + 1000 * population

    def scaled(self, specs: Mapping[str, NetSpec]) -> dict[str, NetSpec]:
        """Nets of the size that belongs to the scale."""
        return {name: spec.scaled_down(self.setup.shrink) for name, spec in specs.items()}

    def stage(self, name: str, settings: Any, work: Callable[[], T]) -> T:
        """The stored result of this stage, or else that of `work`: dictionaries, lists, numbers, strings and tensors."""
        stored = self.load(name, settings)
        if stored is None:
            self.console.print(f"{name} ...")
            stored = {"device": self.device.type, "result": work()}
            self.save(name, settings, stored)
        self.made_on.add(stored["device"])
        return stored["result"]  # type: ignore[no-any-return]

    def load(self, name: str, settings: Any) -> dict[str, Any] | None:
        """What is stored under this name, if anything is; that it was made with other settings is an error."""
        file, wanted = self.file(name), self._made_with(settings)
        if not file.is_file():
            return None
        try:
            stored: dict[str, Any] = torch.load(file, map_location="cpu", weights_only=True)
        except Exception as error:  # torch has no common class for files that are not what they should be
            raise BadInput(f"{file} is no stage of an experiment: {str(error).splitlines()[0]}") from error
        if (was := {key: stored.get(key) for key in wanted}) != wanted:
            raise BadInput(f"{file} was made with {_difference(was, wanted)}: choose another folder, or delete it")
        return stored

    def save(self, name: str, settings: Any, stored: Mapping[str, Any]) -> None:
        content = BytesIO()
        torch.save({**self._made_with(settings), **stored}, content)
        write_whole(self.file(name), content.getvalue())

    def file(self, name: str) -> Path:
        return self.folder / f"{name}.pt"

    def _made_with(self, settings: Any) -> dict[str, Any]:
        """Settings as JSON returns them: dataclasses are dictionaries, tuples are lists."""
        return {"settings": json.loads(json.dumps(settings, default=asdict)), "table": self.game.table.hash}

    @contextmanager
    def progress(self, what: str, total: int) -> Iterator[Show]:
        """A bar, and a function that sets how much is done and the text beside it."""
        columns = TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn()
        left = TimeRemainingColumn(), TextColumn("left  {task.fields[now]}")
        with Progress(*columns, *left, console=self.console) as bar:
            task = bar.add_task(what, total=total, now="")
            yield lambda done, now="": bar.update(task, completed=done, now=now)


def _difference(was: dict[str, Any], now: dict[str, Any]) -> str:
    """What differs; of the settings alone by their names, if they have any."""
    if was["table"] == now["table"] and isinstance(was["settings"], dict) and isinstance(now["settings"], dict):
        was, now = was["settings"], now["settings"]
    return f"other {', '.join(key for key in now if was.get(key) != now[key]) or 'settings'}"
