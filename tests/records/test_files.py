"""Files: nothing is lost, and nothing in one makes reading crash."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from records.random_games import random_record, read_all
from shangyou import records
from shangyou.games import BadInput
from shangyou.records import BadRecord, Record

RECORD = random_record("zsy2", {}, 1)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", b""),
        ("a.jsonl", b"\n\r\n"),
        *(("a.txt", c) for c in (b"", b"\xef\xbb\xbf", b"# nothing\n", b"game: zsy2\n")),
    ],
)
def test_a_file_without_records(tmp_path, name, content):
    with pytest.raises(BadInput, match=rf"{name} holds no records"):
        read_all(tmp_path, content, name)


def test_files_that_cannot_be_read(tmp_path):
    for path, reason in ((tmp_path / "nothing.txt", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(BadInput, match=rf"cannot read {path}: {reason}"):
            list(records.read(path))


def test_nothing_is_overwritten_unasked(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("precious")
    with pytest.raises(BadInput, match=r"cannot write .*a.txt: it is there already"):
        records.write(path, [RECORD])
    assert path.read_text() == "precious"
    records.write(path, [RECORD], overwrite=True)
    assert list(records.read(path)) == [RECORD]


def test_nothing_but_a_file_is_ever_replaced(tmp_path):
    with pytest.raises(BadInput, match="is not a file"):
        records.write(tmp_path, [RECORD], overwrite=True)


def test_a_write_that_fails_leaves_the_old_file_and_no_rubbish(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("precious")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(BadInput, match="No space left"):
        records.write(path, [RECORD], overwrite=True)
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(BadInput, match=r"cannot write .*: No such file or directory"):
        records.write(tmp_path / "no" / "a.txt", [RECORD])


def test_players_must_be_as_many_as_seats():
    with pytest.raises(BadInput, match="players a, b, c: zsy2 has 2 seats, not 3"):
        Record.from_state(records.replay(RECORD), ["a", "b", "c"])


LINES = [
    b"game: zsy2", b"game: zsy4", b"game: doudizhu", b"game:", b"rules: cards_each=2", b"rules: bidding=true", b"name: a",
    b"players: a,b", b"players: [", b"bids: 0,3", b"bids: ;", b"first: 1", b"34;56", b"34;SB;", b"0,3;1,5;", b"0,3;0,pass",
    b"0,3;1,6;1,5;", b"result: -1,1", b"result: x",b"cards: 33;44", b"PAR1",
    b"334566789JJQQKASB;34456789TTKAAA222;345577889TTJQQKK2;69J",
    b"0,33;1,TT;0,QQ;", b"Game process: 0,33", b'{"format": "shangyou-record", "version": 1}', b"{}", b"\xff\xfe", b"#", b":",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(LINES) | st.binary(max_size=30), max_size=10), st.sampled_from(["a.txt", "a.jsonl"]))
def test_no_bytes_make_reading_crash(tmp_path_factory, lines, name):
    assert_readable(tmp_path_factory.mktemp("fuzz"), b"\n".join(lines), name)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_no_change_to_a_good_file_makes_reading_crash(tmp_path_factory, data):
    name = data.draw(st.sampled_from(["a.txt", "a.jsonl"]))
    folder = tmp_path_factory.mktemp("fuzz")
    records.write(folder / name, [RECORD])
    content = bytearray((folder / name).read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    assert_readable(folder, bytes(content), name)


def assert_readable(folder: Path, content: bytes, name: str):
    found = read_or_refuse(folder, content, name)
    if isinstance(found, str):
        assert found.endswith("holds no records") or " is no Parquet file: " in found  # if it begins like one
        return
    for number, record in enumerate(found, 1):
        assert isinstance(record, Record | BadRecord)
        assert isinstance(record, Record) or (record.number == number and record.reason)


def read_or_refuse(folder: Path, content: bytes, name: str):
    try:
        return read_all(folder, content, name)
    except BadInput as error:
        return str(error)
