"""Files of games to learn from, read in chunks: Parquet by its row groups, text and JSON Lines record by record. The folder of
a dataset stands for its files.

    for games in GameFiles([Path("doudizhu.parquet")], game).chunks(held_out=False, seed=1):
        ...

`training/supervised/decisions.py` makes minibatches of them. At most some row groups are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from shangyou.engines.game_columns import GameColumns
from shangyou.games import BadInput, Game
from shangyou.records.dataset import Dataset
from shangyou.records.errors import BadRecord
from shangyou.records.files import Form, form_of, read
from shangyou.records.parquet import ParquetFile, columns_of, row_of, to_table
from shangyou.records.record import Record

Source = Callable[[], Iterator[GameColumns]]

HELD_OUT = 0.1  # of the games
CHUNK = 1 << 14  # games, replayed together
BUFFER = 8  # row groups whose games are shuffled together


class GameFiles:
    """The games of some files that are of one game under one set of rules; others are passed over."""

    def __init__(self, paths: Sequence[Path], game: Game, skip_bad: bool = False) -> None:
        files = [file for path in paths for file in (Dataset.open(path).files() if path.is_dir() else [path])]
        self.paths, self.game, self.skip_bad = list(paths), game, skip_bad
        self.sources: list[Source] = [source for file in files for source in self._sources(file)]

    def chunks(
        self, held_out: bool | None = None, share: float = HELD_OUT, size: int = CHUNK, seed: int | None = None
    ) -> Iterator[GameColumns]:
        """Every game once, of those that are held out, of the others, or with None of all. With a seed in random order."""
        order, found = list(self.sources), False
        if seed is not None:
            Random(seed).shuffle(order)
        for first in range(0, len(order), BUFFER):
            parts = [part for source in order[first : first + BUFFER] for part in source() if len(part)]
            found |= bool(parts)
            if held_out is not None:
                parts = [part.at(part.is_held_out(share) == held_out) for part in parts]
            if parts:
                yield from _cut(GameColumns.joined(parts), size, None if seed is None else np.random.default_rng([seed, first]))
        if not found:
            files = ", ".join(map(str, self.paths))
            raise BadInput(f"there is no game of {self.game.name} ({self.game.rules}) in {files}")

    def _sources(self, path: Path) -> list[Source]:
        """What is read at once: the row groups of Parquet, or all records of another file."""
        if form_of(path) is not Form.PARQUET:
            return [partial(self._records, path)]
        return [partial(self._row_group, path, group) for group in range(ParquetFile(path).groups)]

    def _row_group(self, path: Path, group: int) -> Iterator[GameColumns]:
        file = ParquetFile(path)  # opened again each time: of a large dataset more files than may be open
        table, first = file.read(group), file.first_row(group) + 1
        ours = _is_of(table, file.about, self.game)
        if not ours.any():
            return
        try:
            yield columns_of(table.filter(ours), file.about, np.flatnonzero(ours) + first)
        except BadInput as error:
            raise BadInput(f"{file.path}: {error}") from error

    def _records(self, path: Path) -> Iterator[GameColumns]:
        ours, numbers = list[Record](), list[int]()
        for number, record in enumerate(read(path, self.game.name, str(self.game.rules)), 1):
            if isinstance(record, BadRecord):
                if not self.skip_bad:
                    raise BadInput(f"{path}: record {number}: line {record.line}, {record}")
            elif record.game == self.game:
                ours.append(record)
                numbers.append(number)
        if ours:
            yield of_records(ours, numbers)


def of_records(records: Sequence[Record], numbers: Sequence[int] = ()) -> GameColumns:
    """Records of one game as columns, with their numbers in a file; without numbers counted from 1."""
    return columns_of(to_table(map(row_of, records)), {}, np.array(numbers or range(1, len(records) + 1)))


def _is_of(table: Any, about: dict[str, Any], game: Game) -> npt.NDArray[np.bool_]:
    """[B] which rows are of this game with these rules; a rule newer than the file has its default there."""
    name, rules = (table.column(key).fill_null(str(about.get(key))).to_numpy() for key in ("game", "rules"))
    same: npt.NDArray[np.bool_] = name == game.name
    return same & np.isin(rules, [text for text in set(rules[same]) if _says(text, game)])


def _says(text: str, game: Game) -> bool:
    """Whether this text of rules means those of the game."""
    try:
        return type(game.rules).parse(text) == game.rules
    except BadInput:
        return False


def _cut(games: GameColumns, size: int, rng: np.random.Generator | None) -> Iterator[GameColumns]:
    """The games in pieces of this size, in random order if there is a generator."""
    places = np.arange(len(games)) if rng is None else rng.permutation(len(games))
    return (games.at(places[start : start + size]) for start in range(0, len(games), size))
