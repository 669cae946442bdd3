"""Training runs on disk: a folder with the checkpoint, the settings, the learning curve and TensorBoard's log of it.

Whenever a process dies, every file is complete: the latest version or the one before.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shangyou.games import BadInput, Game
from shangyou.records.files import write_whole
from shangyou.records.game_files import GameFiles

if TYPE_CHECKING:
    from shangyou.training.algorithm import Checkpoint, Progress

CHECKPOINT, CURVE, SETTINGS = "checkpoint.pt", "curve.jsonl", "args.json"
HALF = "half.pt"  # the net in the middle of the run
BIDS_CHECKPOINT = "bids.pt"  # the net that learned to bid for this run's net


class RunFolder:
    """Stores one run. A run that is stored beside another has a name, with which its files begin: `bids.pt`."""

    def __init__(self, path: Path, name: str = "") -> None:
        self.path, self.checkpoint = path, f"{name}.pt" if name else CHECKPOINT
        self.half, self.curve_file, self.settings = (f"{name}.{file}".strip(".") for file in (HALF, CURVE, SETTINGS))
        self.board = f"{name}.tensorboard".strip(".")
        self.curve: list[dict[str, Any]] = []

    def __str__(self) -> str:
        return str(self.path)

    @property
    def exists(self) -> bool:
        return (self.path / self.checkpoint).is_file()

    def resume(self) -> Checkpoint:
        """The last checkpoint; the curve goes on from there."""
        stored = load_checkpoint(self.path, self.checkpoint)
        self.curve = [point for point in self.read_curve() if point["seconds"] <= stored["progress"]["seconds"]]
        return stored

    def read_curve(self) -> list[dict[str, Any]]:
        file = self.path / self.curve_file
        return read_curve(file) if file.is_file() else []

    def load(self, run: str) -> Checkpoint:
        return load_checkpoint(Path(run))

    def games(self, files: Sequence[str], game: Game) -> GameFiles:
        return GameFiles([Path(file) for file in files], game)

    def save(self, checkpoint: Checkpoint) -> None:
        self._write(self.settings, json.dumps(checkpoint["args"], indent=2).encode())
        self._write(self.checkpoint, _to_bytes(checkpoint))

    def save_half(self, checkpoint: Checkpoint) -> None:
        self._write(self.half, _to_bytes(checkpoint))

    def log(self, progress: Progress) -> None:
        self.curve.append(asdict(progress))
        self._write(self.curve_file, "".join(json.dumps(point) + "\n" for point in self.curve).encode())
        if self._board:
            for name, value in scalars(progress).items():
                self._board.add_scalar(name, value, progress.iterations)
            self._board.flush()

    def _write(self, name: str, content: bytes) -> None:
        """A file of the folder, which is made if it is missing."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"run folder {self.path}: {error.strerror}") from error
        write_whole(self.path / name, content)

    @cached_property
    def _board(self) -> Any:
        """TensorBoard's writer, or None where it is not installed."""
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            print("tensorboard is not installed: its log is left out, the curve is stored in curve.jsonl", file=sys.stderr)
            return None
        return SummaryWriter(str(self.path / self.board))


def load_checkpoint(run: Path, name: str = CHECKPOINT) -> Checkpoint:
    """A checkpoint of a run folder, with the names of this version."""
    try:
        content = (run / name).read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        what = f"{run} has no {name}" if (run / CHECKPOINT).is_file() else f"{run} is no folder of a run: it has no {name}"
        raise BadInput(what) from error
    except OSError as error:
        raise BadInput(f"{run / name} is no checkpoint: {error.strerror}") from error
    return parse_checkpoint(content, str(run / name))


def parse_checkpoint(content: bytes, name: str) -> Checkpoint:
    """The checkpoint in a file of this name."""
    import torch

    from shangyou.training.settings import upgraded

    try:
        stored = torch.load(BytesIO(content), map_location="cpu", weights_only=True)
    except Exception as error:  # torch has no common class for files that are not what they should be
        raise BadInput(f"{name} is no checkpoint: {str(error).splitlines()[0]}") from error
    try:
        return upgraded(stored)
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{name} holds no checkpoint that this version can load: {str(error).splitlines()[0]}") from error


def _to_bytes(checkpoint: Checkpoint) -> bytes:
    import torch

    file = BytesIO()
    torch.save(checkpoint, file)
    return file.getvalue()


def read_curve(file: Path) -> list[dict[str, Any]]:
    """The points of a learning curve, in order of time."""
    try:
        return parse_curve(file.read_text(encoding="utf-8"), str(file))
    except OSError as error:
        raise BadInput(f"cannot read {file}: {error.strerror or error}") from error
    except UnicodeError as error:
        raise BadInput(f"{file} is no learning curve: {error}") from error


def parse_curve(content: str, name: str) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in content.splitlines()]
    except ValueError as error:
        raise BadInput(f"{name} is no learning curve: {error}") from error


def scalars(progress: Progress) -> dict[str, float]:
    """A point of the curve as single numbers."""
    rates = {"games/s": progress.games, "decisions/s": progress.decisions}
    busy = progress.acting + progress.learning
    numbers = {name: count / busy for name, count in rates.items() if busy}
    for opponent, (won, points) in progress.strength.items():
        numbers |= {f"won against {opponent}": won, f"points against {opponent}": points}
    numbers |= {**progress.metrics, "minutes": progress.seconds / 60}
    return numbers if progress.loss is None else numbers | {"loss": progress.loss}
