"""Training runs on disk: a folder with the checkpoint, the settings, the learning curve and TensorBoard's log of it.

Whenever a process dies, every file is a whole one: the last or the one before.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shangyou.games import BadInput
from shangyou.records.files import write_whole

if TYPE_CHECKING:
    from shangyou.training.dmc import Checkpoint, Progress

CHECKPOINT, CURVE, SETTINGS = "checkpoint.pt", "curve.jsonl", "args.json"
HALF = "half.pt"  # the net at half time
BIDS = "bids.pt"  # the net that learned to bid for this run's net


class RunFolder:
    """The keeper of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.curve: list[dict[str, Any]] = []
        self._board: Any = None

    @property
    def exists(self) -> bool:
        return (self.path / CHECKPOINT).is_file()

    def load(self) -> Checkpoint:
        """The last checkpoint; the curve goes on from there."""
        checkpoint = load_checkpoint(self.path)
        self.curve = [point for point in self.read_curve() if point["seconds"] <= checkpoint["progress"]["seconds"]]
        return checkpoint

    def read_curve(self) -> list[dict[str, Any]]:
        file = self.path / CURVE
        return read_curve(file) if file.is_file() else []

    def save(self, checkpoint: Checkpoint) -> None:
        self._make_folder()
        write_whole(self.path / SETTINGS, json.dumps(checkpoint["args"], indent=2).encode())
        _save(self.path / CHECKPOINT, checkpoint)

    def save_half(self, checkpoint: Checkpoint) -> None:
        self._make_folder()
        _save(self.path / HALF, checkpoint)

    def save_bids(self, kept: Checkpoint) -> None:
        self._make_folder()
        _save(self.path / BIDS, kept)

    def log(self, progress: Progress) -> None:
        self._make_folder()
        self.curve.append(asdict(progress))
        write_whole(self.path / CURVE, "".join(json.dumps(point) + "\n" for point in self.curve).encode())
        if self._board is None:
            self._board = _tensorboard(self.path)
        if self._board:
            for name, value in scalars(progress).items():
                self._board.add_scalar(name, value, progress.iterations)
            self._board.flush()

    def _make_folder(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"run folder {self.path}: {error.strerror}") from error


def load_checkpoint(run: Path, name: str = CHECKPOINT) -> Checkpoint:
    """What a run folder keeps, without touching the folder."""
    kept = _load(run / name)
    if kept is None:
        raise BadInput(f"{run} has no {name}: there is no run to go on with")
    return kept


def load_bids(run: Path) -> Checkpoint | None:
    """The net that bids, as it was kept; nothing if there is none."""
    return _load(run / BIDS)


def _save(path: Path, value: Checkpoint) -> None:
    import torch

    file = BytesIO()
    torch.save(value, file)
    write_whole(path, file.getvalue())


def _load(path: Path) -> Checkpoint | None:
    import torch

    try:
        kept: Checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except Exception as error:  # torch has no common class for files that are not what they should be
        raise BadInput(f"{path} is no checkpoint: {str(error).splitlines()[0]}") from error
    return kept


def read_curve(file: Path) -> list[dict[str, Any]]:
    """The points of a learning curve, in order of time."""
    try:
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise BadInput(f"{file} is no learning curve: {error}") from error


def scalars(progress: Progress) -> dict[str, float]:
    """A point of the curve as single numbers."""
    rates = {"games/s": progress.games, "decisions/s": progress.decisions}
    busy = progress.acting + progress.learning
    numbers = {name: count / busy for name, count in rates.items() if busy}
    for opponent, (won, points) in progress.strength.items():
        numbers |= {f"won against {opponent}": won, f"points against {opponent}": points}
    return numbers | {"minutes": progress.seconds / 60} | ({} if progress.loss is None else {"loss": progress.loss})


def _tensorboard(path: Path) -> Any:
    """TensorBoard's writer, or False where it is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        print("tensorboard is not installed: its log is left out, the curve is kept in curve.jsonl", file=sys.stderr)
        return False
    return SummaryWriter(str(path / "tensorboard"))
