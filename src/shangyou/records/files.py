"""Files of records: found out to be text or JSON Lines, read record by record, written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from enum import StrEnum
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from shangyou import games
from shangyou.games import BadInput
from shangyou.records.errors import BadRecord
from shangyou.records.jsonl import format_jsonl, read_jsonl
from shangyou.records.record import Record
from shangyou.records.text import format_text, read_text


class Form(StrEnum):
    """How records are written down."""

    TEXT = "text"
    JSONL = "jsonl"


def form_of(path: Path) -> Form:
    """The form that a file's name asks for."""
    return Form.JSONL if path.suffix.lower() == ".jsonl" else Form.TEXT


def read(path: Path, game: str = "", rules: str = "") -> Iterator[Record | BadRecord]:
    """The records of a file, in order, good and bad.

    `game` and `rules` hold where a text file does not say itself; JSON Lines always says. A bad record spoils no other;
    only a file that cannot be opened or holds no record at all is an error.
    """
    if game:
        games.rules_of(game).parse(rules)  # what the caller got wrong is not the file's fault
    found = False
    try:
        with path.open("rb") as file:
            for record in _read_lines(_numbered(file), game, rules, form_of(path) is Form.JSONL):
                found = True
                yield record
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror or error}") from error
    if not found:
        raise BadInput(f"{path} holds no records")


def read_bytes(content: bytes, game: str = "", rules: str = "", most: int = 1000) -> Iterator[Record | BadRecord]:
    """The same of what a file would hold; at most so many records."""
    if game:
        games.rules_of(game).parse(rules)
    yield from islice(_read_lines(_numbered(BytesIO(content)), game, rules, jsonl=False), most)


def _numbered(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Lines with their numbers. Bytes that are not UTF-8 stay in as lone surrogates and spoil only their own record."""
    for number, line in enumerate(file, 1):
        text = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
        yield number, text.removeprefix("\ufeff") if number == 1 else text


def _read_lines(lines: Iterator[tuple[int, str]], game: str, rules: str, jsonl: bool) -> Iterator[Record | BadRecord]:
    first = next((line for line in lines if line[1].strip()), None)
    if first is None:
        return iter(())
    lines = chain([first], lines)
    if jsonl or first[1].lstrip().startswith("{"):
        return read_jsonl(lines)
    return read_text(lines, game, rules)


def write(path: Path, records: Iterable[Record], form: Form | None = None, overwrite: bool = False) -> None:
    """Write records to a new file, as text or, if its name ends in .jsonl or the form says so, as JSON Lines."""
    text = format_jsonl(records) if (form or form_of(path)) is Form.JSONL else format_text(records)
    write_file(path, text.encode(), overwrite)


def write_file(path: Path, content: bytes, overwrite: bool = False) -> None:
    """A file for a person: what is wrong with its place is said in words."""
    try:
        check_free(path, overwrite)
        write_whole(Path(os.path.realpath(path)), content)
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror or error}") from error


def check_free(path: Path, overwrite: bool) -> None:
    """Nothing is overwritten unasked, and nothing but a file ever."""
    if path.exists() and not path.is_file():
        raise BadInput(f"cannot write {path}: it is there and is not a file")
    if path.exists() and not overwrite:
        raise BadInput(f"cannot write {path}: it is there already")


def write_whole(target: Path, content: bytes) -> None:
    """The file appears complete or not at all: a neighbour is written first and then takes its name."""
    neighbour = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with neighbour.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(neighbour, target)
    finally:
        neighbour.unlink(missing_ok=True)
