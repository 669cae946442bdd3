"""Games as Parquet, a row each: for many games and for tools that read columns. `docs/records.md` describes the columns.

pyarrow is imported when it is needed: playing does without it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np

from shangyou import games
from shangyou.engines.game_columns import GIVEN, GameColumns, Ints, Lists
from shangyou.games import BadInput, Game
from shangyou.records.errors import BadRecord, RecordError
from shangyou.records.record import Record, states

FORMAT, VERSION = "shangyou-games", 1
KEY = b"shangyou"  # of the file's metadata, a JSON object
MAGIC = b"PAR1"  # with which a Parquet file begins and ends
ROW_GROUP = 1 << 16  # games read and written at once
MOST_ROWS = 1 << 16  # of a table of plays: a play is a uint16
GAME_KEYS = ("game", "rules", "table")  # a row without them is of the game that the metadata names

# Numbers of a few bytes that differ a lot: their first bytes one after the other, then their second bytes, compress best.
ENCODINGS = {"index": "DELTA_BINARY_PACKED", "plays.list.element": "BYTE_STREAM_SPLIT"}
REPEATED = ["game", "rules", "table", "scores.list.element", "players.list.element"]  # few values, stored once each


def arrow() -> Any:
    """pyarrow, with its Parquet part."""
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError as missing:
        raise BadInput(f"Parquet needs {missing.name}: pip install shangyou[train]") from missing
    return pa


def schema() -> Any:
    """The columns of every file. Any may be null; docs/records.md says what that means."""
    pa = arrow()
    columns = {
        "game": pa.string(), "rules": pa.string(), "table": pa.string(), "seed": pa.int64(), "index": pa.int64(),
        "hands": pa.list_(pa.int64()), "public": pa.int64(), "first": pa.int8(), "bids": pa.list_(pa.int8()),
        "plays": pa.list_(pa.uint16()), "cards": pa.list_(pa.int64()), "scores": pa.list_(pa.int64()),
        "players": pa.list_(pa.string()), "name": pa.string(), "id": pa.string(), "finished_at": pa.timestamp("us", "UTC"),
        "rated": pa.bool_(), "think_ms": pa.list_(pa.int64()),
    }  # fmt: skip
    return pa.schema(columns)


# -- a record is a row ------------------------------------------------------------------------------------------------


def row_of(record: Record) -> dict[str, Any]:
    """The columns that a record fills; the cards only where the rows of the table do not say all."""
    game, words = record.game, record.game.deck.words
    _check_table(game)
    *before, last = states(record)
    cards = [words(turn.cards) for turn in last.history]
    by_rule = [words(game.pick(state.hands[state.turn], turn.play)) for state, turn in zip(before, last.history, strict=True)]
    return {
        "game": game.name,
        "rules": str(game.rules),
        "table": game.table.hash,
        "hands": [word for hand in record.deal.hands for word in words(hand)],
        "public": record.deal.public,
        "first": record.deal.first,
        "bids": record.bids or None,
        "plays": [turn.play for turn in last.history],
        "cards": None if cards == by_rule else [word for turn in cards for word in turn],
        "scores": record.result.scores if record.result.finished else None,
        "players": record.players or None,
        "name": record.name or None,
    }


def _check_table(game: Game) -> None:
    if len(game.table) > MOST_ROWS:
        raise BadInput(f"{game.name} ({game.rules}) has {len(game.table)} plays; Parquet numbers at most {MOST_ROWS}")


def record_of(columns: GameColumns, row: dict[str, Any], players: tuple[str, ...]) -> Record:
    """The record of one game, replayed; `row` has its names, and `players` are those of a row without any."""
    state = columns.opening(0)
    for number, play in enumerate(columns.plays[0], 1):
        try:
            state = columns.step(state, 0)
        except BadInput as error:
            hand = state.game.deck.format(state.hands[state.turn])
            raise RecordError(error.reason, 0, number, f"{state.turn},row {play}", hand) from error
    columns.check_result(0, state)
    return Record.from_state(state, row["players"] or players, row["name"] or "")


# -- files ------------------------------------------------------------------------------------------------------------


class ParquetFile:
    """An open file, checked to be one of ours."""

    def __init__(self, path: Path) -> None:
        self.path, pa = path, arrow()
        try:
            self.file = pa.parquet.ParquetFile(path, page_checksum_verification=True)
            stored = json.loads((self.file.schema_arrow.metadata or {}).get(KEY, b"{}"))
        except FileNotFoundError as error:
            raise BadInput(f"cannot read {path}: No such file or directory") from error
        except (pa.ArrowException, OSError, ValueError) as error:
            raise BadInput(f"{path} is no Parquet file: {str(error).splitlines()[0]}") from error
        self.about: dict[str, Any] = stored if isinstance(stored, dict) else {}
        self._check()

    def _check(self) -> None:
        for key, expected in (("format", FORMAT), ("version", VERSION)):
            if self.about.get(key) != expected:
                raise BadInput(f"{self.path} is no file of games: its {key} is {self.about.get(key)!r}, not {expected!r}")
        if not self.file.schema_arrow.remove_metadata().equals(schema()):
            names = ", ".join(self.file.schema_arrow.names)
            raise BadInput(f"{self.path} is no file of games: it has other columns or types: {names}")

    @property
    def groups(self) -> int:
        return self.file.num_row_groups  # type: ignore[no-any-return]

    def read(self, group: int) -> Any:
        """One row group, as a table."""
        try:
            return self.file.read_row_group(group)
        except (arrow().ArrowException, OSError) as error:
            raise BadInput(f"{self.path} is damaged: {str(error).splitlines()[0]}") from error

    def first_row(self, group: int) -> int:
        """How many games come before a row group."""
        return sum(self.file.metadata.row_group(before).num_rows for before in range(group))


def read_parquet(path: Path) -> Iterator[Record | BadRecord]:
    """The records of a file, each replayed."""
    file = ParquetFile(path)
    for group in range(file.groups):
        table, first = file.read(group), file.first_row(group)
        for i in range(len(table)):
            yield read_row(table.slice(i, 1), first + i + 1, file.about)


def read_row(table: Any, number: int, about: dict[str, Any]) -> Record | BadRecord:
    """The only row of a table as a record."""
    (row,) = table.to_pylist()
    try:
        columns = columns_of(table, about, np.array([number]))
        agent = about.get("agent")
        return record_of(columns, row, (str(agent),) * columns.game.seats if agent else ())
    except RecordError as error:
        return RecordError(error.reason, number, error.play_number, error.play, error.hand).bad_record(
            number, row["name"] or ""
        )
    except BadInput as error:
        return RecordError(error.reason, number).bad_record(number, row["name"] or "")


def to_bytes(rows: Iterable[dict[str, Any]]) -> bytes:
    """A file of rows; columns that a row does not have are null."""
    content = BytesIO()
    with open_writer(content, {}) as writer:
        writer.write_table(to_table(rows), ROW_GROUP)
    return content.getvalue()


def to_table(rows: Iterable[dict[str, Any]]) -> Any:
    pa = arrow()
    try:
        return pa.Table.from_pylist(list(rows), schema())
    except (pa.ArrowException, OverflowError, UnicodeError) as error:
        raise BadInput(f"the games do not fit the columns of Parquet: {error}") from error


def write_games(
    file: IO[bytes], chunks: Iterable[GameColumns], about: dict[str, Any], after_each: Callable[[int], None]
) -> int:
    """Write games as they come; how many. An interruption ends the file after the last whole chunk.

    The games are deals of seeds; `about` says what else holds for all of them. `after_each` is called with the number
    written so far.
    """
    waiting, written = list[GameColumns](), 0
    with open_writer(file, about) as writer:
        try:
            for columns in chunks:
                waiting.append(columns)
                written += len(columns)
                after_each(written)
                if sum(map(len, waiting)) >= ROW_GROUP:
                    writer.write_table(table_of(GameColumns.joined(waiting)), ROW_GROUP)
                    waiting = []
        except KeyboardInterrupt:
            if not written:
                raise
        if waiting:
            writer.write_table(table_of(GameColumns.joined(waiting)), ROW_GROUP)
    return written


def open_writer(file: IO[bytes], about: dict[str, Any]) -> Any:
    """pyarrow's writer of our columns; `about` is what holds for all games of the file."""
    stored = {"format": FORMAT, "version": VERSION} | about
    described = schema().with_metadata({KEY: json.dumps(stored).encode()})
    return arrow().parquet.ParquetWriter(
        file, described, compression="zstd", use_dictionary=REPEATED, column_encoding=ENCODINGS, write_statistics=False,
        write_page_checksum=True,
    )  # fmt: skip


# -- games as columns -------------------------------------------------------------------------------------------------


def table_of(columns: GameColumns) -> Any:
    """The rows of games that are deals of a seed, all finished; whoever writes them says in the metadata which game it is."""
    pa = arrow()
    _check_table(columns.game)
    seats = np.full(len(columns), columns.game.seats)
    filled = {
        "seed": columns.seed,
        "index": columns.index,
        "bids": _list_array(columns.bids),
        "plays": _list_array(columns.plays),
        "scores": _list_array(Lists.of(columns.scores.ravel(), seats)),
    }
    nothing = pa.nulls(len(columns))
    wanted = schema()
    return pa.table([pa.array(filled.get(name, nothing)).cast(wanted.field(name).type) for name in wanted.names], schema=wanted)


def _list_array(lists: Lists) -> Any:
    pa = arrow()
    return pa.ListArray.from_arrays(lists.starts.astype(np.int32), pa.array(lists.values))


def columns_of(table: Any, about: dict[str, Any], numbers: Ints) -> GameColumns:
    """Rows that are all of one game, as arrays. `about` is the metadata of their file, in which they have these numbers [B]."""
    game, rows = game_of(table, about), len(table)
    words = len(game.deck.words(0))
    hands, scores, cards = (_lists(table, name) for name in ("hands", "scores", "cards"))
    plays = _lists(table, "plays")
    index = _numbers(table, "index", GIVEN)
    _check_lengths("hands", hands.lengths, game.seats * words, numbers, (index < 0) | (hands.lengths > 0))
    _check_lengths("scores", scores.lengths, game.seats, numbers, scores.lengths > 0)
    _check_lengths("cards", cards.lengths, words * plays.lengths, numbers, cards.lengths > 0)
    given = hands.lengths > 0
    dealt, paid = np.zeros((rows, game.seats, words), np.int64), np.zeros((rows, game.seats), np.int64)
    dealt[given] = hands.values.reshape(-1, game.seats, words)
    paid[scores.lengths > 0] = scores.values.reshape(-1, game.seats)
    return GameColumns(
        game,
        numbers,
        _numbers(table, "seed", about.get("seed") or 0),
        np.where(given, GIVEN, index),
        dealt,
        _numbers(table, "public", 0),
        _numbers(table, "first", 0),
        _lists(table, "bids"),
        plays,
        cards,
        paid,
        scores.lengths > 0,
    )


def _check_lengths(name: str, lengths: Ints, wanted: Any, numbers: Ints, where: Ints) -> None:
    wrong = np.flatnonzero(where & (lengths != wanted))
    if len(wrong):
        length = np.broadcast_to(wanted, lengths.shape)[wrong[0]]
        raise BadInput(f"game {numbers[wrong[0]]}: {lengths[wrong[0]]} numbers in {name}, not {length}")


def game_of(table: Any, about: dict[str, Any]) -> Game:
    """The game of all rows; an error where they have several."""
    found = []
    for key in GAME_KEYS:
        values = {about.get(key) if value is None else value for value in table.column(key).unique().to_pylist()}
        if len(values) != 1 or not isinstance(value := values.pop(), str):
            raise BadInput(f"the games have no {key}, or several; one is needed")
        found.append(value)
    name, rules, table_hash = found
    game = games.load_text(name, rules)
    if game.table.hash != table_hash:
        raise BadInput(f"table: {table_hash!r} is not {game.table.hash!r}, the plays of {game.name} under these rules")
    return game


def _numbers(table: Any, name: str, missing: int) -> Any:
    return table.column(name).fill_null(missing).to_numpy()


def _lists(table: Any, name: str) -> Lists:
    """A column of lists; null is an empty one."""
    import pyarrow.compute as pc

    column = table.column(name)
    values = pc.list_flatten(column)
    if values.null_count:
        raise BadInput(f"{name}: a list has an entry that is null")
    return Lists.of(values.to_numpy(), pc.list_value_length(column).fill_null(0).to_numpy())
