"""Files of records, as text, JSON Lines or Parquet: read record by record, written completely or not at all."""

import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from shangyou import games
from shangyou.games import BadInput, Deal, Game
from shangyou.records.errors import BadRecord, RecordError
from shangyou.records.jsonl import format_jsonl, read_jsonl, read_jsonl_deals
from shangyou.records.parquet import MAGIC, read_parquet, row_of, to_bytes
from shangyou.records.record import Record
from shangyou.records.text import format_text, read_text, read_text_deals


class Form(StrEnum):
    """How records are written."""

    TEXT = "text"
    JSONL = "jsonl"
    PARQUET = "parquet"


SUFFIXES = {".jsonl": Form.JSONL, ".parquet": Form.PARQUET}


def form_of(path: Path) -> Form:
    """The form that goes with a file's name."""
    return SUFFIXES.get(path.suffix.lower(), Form.TEXT)


def read(path: Path, game: str = "", rules: str = "") -> Iterator[Record | BadRecord]:
    """The records of a file, in order, good and bad.

    `game` and `rules` are for text files that do not name theirs; the other forms always do. Records after a bad one are still
    read; only a file that cannot be opened or holds no record at all is an error.
    """
    found = False
    try:
        with path.open("rb") as file:
            lines = _read_lines(_numbered(file), game, rules, form_of(path) is Form.JSONL)
            for record in read_parquet(path) if _is_parquet(path) else lines:
                found = True
                yield record
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror or error}") from error
    if not found:
        raise BadInput(f"{path} holds no records")


def read_bytes(content: bytes, game: str = "", rules: str = "", most: int = 1000) -> Iterator[Record | BadRecord]:
    """The records of a file's content, at most so many."""
    yield from islice(_read_lines(_numbered(BytesIO(content)), game, rules, jsonl=False), most)


def read_deals(path: Path, game: Game) -> tuple[Deal, ...]:
    """The different deals of a file, in the order in which each is first there; bids and plays are not looked at.

    The file holds records, or cards alone. A deal that was played twice is one deal. The first wrong line is an error.
    """
    try:
        with path.open("rb") as file:
            numbered = _as_json_lines(read_parquet(path)) if _is_parquet(path) else _numbered(file)
            lines, jsonl = _form_of_lines(numbered, form_of(path) is Form.JSONL)
            deals = tuple(dict.fromkeys((read_jsonl_deals if jsonl else read_text_deals)(lines, game)))
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror or error}") from error
    except RecordError as error:
        raise BadInput(f"{path}, line {error.line}: {error}") from error
    if not deals:
        raise BadInput(f"{path} holds no deals")
    return deals


def _numbered(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Lines with their numbers. Bytes that are not UTF-8 become lone surrogates, for `check_decoded` to find."""
    for number, line in enumerate(file, 1):
        text = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
        yield number, text.removeprefix("\ufeff") if number == 1 else text


def _is_parquet(path: Path) -> bool:
    """By its name, or by its first bytes."""
    with path.open("rb") as file:
        return form_of(path) is Form.PARQUET or file.read(len(MAGIC)) == MAGIC


def _as_json_lines(records: Iterable[Record | BadRecord]) -> Iterator[tuple[int, str]]:
    for number, record in enumerate(records, 1):
        if isinstance(record, BadRecord):
            raise RecordError(record.full_why, record.line)
        yield number, format_jsonl([record])


def _read_lines(lines: Iterator[tuple[int, str]], game: str, rules: str, jsonl: bool) -> Iterator[Record | BadRecord]:
    if game:
        games.rules_of(game).parse(rules)  # an error of the caller, not of the file
    lines, jsonl = _form_of_lines(lines, jsonl)
    return read_jsonl(lines) if jsonl else read_text(lines, game, rules)


def _form_of_lines(lines: Iterator[tuple[int, str]], jsonl: bool) -> tuple[Iterator[tuple[int, str]], bool]:
    """The lines from the first that is not empty, and whether they are JSON Lines, which the first may show."""
    first = list(islice((line for line in lines if line[1].strip()), 1))
    return chain(first, lines), jsonl or any(text.lstrip().startswith("{") for _, text in first)


def write(path: Path, records: Iterable[Record], form: Form | None = None, overwrite: bool = False) -> None:
    """Write records to a new file, in this form or in the one that goes with its name."""
    write_file(path, WRITERS[form or form_of(path)](records), overwrite)


WRITERS: dict[Form, Callable[[Iterable[Record]], bytes]] = {
    Form.TEXT: lambda records: format_text(records).encode(),
    Form.JSONL: lambda records: format_jsonl(records).encode(),
    Form.PARQUET: lambda records: to_bytes(map(row_of, records)),
}


def write_file(path: Path, content: bytes, overwrite: bool = False) -> None:
    """A file where the user wants it, or an error that says why it cannot be there."""
    with new_file(path, overwrite) as file:
        file.write(content)


@contextmanager
def new_file(path: Path, overwrite: bool = False) -> Iterator[BinaryIO]:
    """A file to write to, which comes to its place once all is written; or an error that says why it cannot be there."""
    try:
        check_free(path, overwrite)
        with whole_file(Path(os.path.realpath(path))) as file:
            yield file
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror or error}") from error


def check_free(path: Path, overwrite: bool) -> None:
    """A file is replaced only with `overwrite`, anything else never."""
    if path.exists() and not path.is_file():
        raise BadInput(f"cannot write {path}: it is there and is not a file")
    if path.exists() and not overwrite:
        raise BadInput(f"cannot write {path}: it is there already")


def write_whole(target: Path, content: bytes) -> None:
    with whole_file(target) as file:
        file.write(content)


@contextmanager
def whole_file(target: Path) -> Iterator[BinaryIO]:
    """Written beside the target, then renamed, so that the file is complete or not there at all."""
    neighbour = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with neighbour.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(neighbour, target)
    finally:
        neighbour.unlink(missing_ok=True)
