"""Many games in many files: a folder of Parquet files, the partitions, and a manifest that says what is in them.

    dataset = Dataset.begin(folder, about, games=4_000_000, size=65_536)
    for numbers in dataset.missing():
        dataset.add(numbers, chunks_of(numbers))

A partition has the games of so many deals. It is complete or not there, and the manifest names it only when it is there, so
whoever comes back after an interruption makes what is missing. The files are the same whoever made them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from shangyou.engines.game_columns import GameColumns
from shangyou.games import BadInput
from shangyou.records.files import new_file, write_whole
from shangyou.records.parquet import write_games

MANIFEST = "manifest.json"
FORMAT, VERSION = "shangyou-dataset", 1
READ_AT_ONCE = 1 << 20  # bytes


@dataclass(frozen=True)
class Partition:
    file: str
    first: int  # the number of its first deal
    games: int
    bytes: int
    sha256: str


@dataclass
class Dataset:
    folder: Path
    about: dict[str, Any]  # what holds for all games: game, rules, hash of the table, agent, temperature, seed
    games: int  # when it is complete
    size: int  # of a partition; the last may be smaller
    partitions: dict[int, Partition]  # those that are there, by their first deal

    @classmethod
    def begin(cls, folder: Path, about: dict[str, Any], games: int, size: int) -> Dataset:
        """A new one, or the one in this folder if it is the same: what is there is checked, and is missing if it is damaged."""
        if not (folder / MANIFEST).exists():
            if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
                raise BadInput(f"cannot write a dataset to {folder}: something else is there")
            return cls(folder, about, games, size, {})
        found = cls.open(folder)
        was, now = ({**one.about, "partition": one.size} for one in (found, cls(folder, about, games, size, {})))
        if other := [name for name in now if was.get(name) != now[name]]:
            raise BadInput(f"{folder} is a dataset with other {', '.join(other)}: choose another folder")
        sound = (part for part in found.partitions.values() if _fits(part, games, size) and _is_sound(folder, part))
        return cls(folder, about, games, size, {part.first: part for part in sound})

    @classmethod
    def open(cls, folder: Path) -> Dataset:
        path = folder / MANIFEST
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise BadInput(f"{path} is no manifest of a dataset: {error}") from error
        for key, expected in (("format", FORMAT), ("version", VERSION)):
            if not isinstance(stored, dict) or stored.get(key) != expected:
                raise BadInput(f"{path} is no manifest of a dataset: its {key} is not {expected!r}")
        try:
            parts = [Partition(**part) for part in stored["partitions"]]
            return cls(folder, stored["about"], stored["games"], stored["partition"], {part.first: part for part in parts})
        except (KeyError, TypeError) as error:
            raise BadInput(f"{path} is no manifest of a dataset: {error}") from error

    @property
    def written(self) -> int:
        return sum(part.games for part in self.partitions.values())

    @property
    def bytes(self) -> int:
        return sum(part.bytes for part in self.partitions.values())

    def missing(self) -> list[range]:
        """The numbers of the deals of each partition that is not there."""
        cuts = (range(first, min(first + self.size, self.games)) for first in range(0, self.games, self.size))
        return [numbers for numbers in cuts if numbers.start not in self.partitions]

    def add(self, numbers: range, chunks: Iterable[GameColumns], after_each: Callable[[int], None]) -> None:
        """Write a partition; `after_each` is called with the number of its games written so far."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"part-{numbers.start:012}.parquet"
        with new_file(path, overwrite=True) as file:
            if write_games(file, chunks, self.about, after_each) < len(numbers):
                raise KeyboardInterrupt  # which ended the file
        part = Partition(path.name, numbers.start, len(numbers), path.stat().st_size, _digest(path))
        self.partitions[part.first] = part
        self._write_manifest()

    def _write_manifest(self) -> None:
        stored = {"format": FORMAT, "version": VERSION, "about": self.about, "games": self.games, "partition": self.size}
        parts = [asdict(part) for _, part in sorted(self.partitions.items())]
        write_whole(self.folder / MANIFEST, json.dumps(stored | {"partitions": parts}, indent=1).encode())

    def files(self) -> list[Path]:
        """Of a complete dataset, in order; each is there with its size, and its pages have checksums of their own."""
        if self.missing():
            raise BadInput(f"{self.folder} has {self.written:,} of {self.games:,} games: `record generate` makes the rest")
        paths = []
        for _, part in sorted(self.partitions.items()):
            path = self.folder / part.file
            if not path.is_file() or path.stat().st_size != part.bytes:
                raise BadInput(f"{path} is missing or not as its manifest says")
            paths.append(path)
        return paths


def _is_sound(folder: Path, part: Partition) -> bool:
    path = folder / part.file
    return path.is_file() and path.stat().st_size == part.bytes and _digest(path) == part.sha256


def _fits(part: Partition, games: int, size: int) -> bool:
    """Whether it is one of a dataset of so many games: the last of a smaller one is too short."""
    return part.first % size == 0 and part.games == min(size, games - part.first)


def _digest(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while content := file.read(READ_AT_ONCE):
            digest.update(content)
    return digest.hexdigest()
