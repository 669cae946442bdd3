"""Datasets: many files with a manifest, gone on with after an interruption, read back as one stream."""

from __future__ import annotations

import json
import os
from contextlib import closing

import numpy as np
import pytest

from cli.running import run
from shangyou import games
from shangyou.games import BadInput
from shangyou.records.dataset import MANIFEST, Dataset
from shangyou.records.game_files import GameFiles
from shangyou.training.supervised import generate as generating
from shangyou.training.supervised.generate import GenerateGames
from shangyou.workers import do_chunks

GAME = games.load("zsy2")
ABOUT = {"game": GAME.name, "rules": str(GAME.rules), "table": GAME.table.hash, "agent": "champion/zsy2", "seed": 5}
WORK = GenerateGames(GAME, "champion/zsy2", 0.05, 5, "cpu")


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    monkeypatch.setitem(generating.AT_ONCE, "cpu", 8)


def write(folder, count=40, size=16, stop_after=None):
    """What is missing of a dataset; the numbers that were played."""
    dataset, played = Dataset.begin(folder, ABOUT, count, size), []
    for numbers in dataset.missing():
        if stop_after is not None and numbers.start >= stop_after:
            raise KeyboardInterrupt
        with closing(do_chunks(WORK, WORK.chunks(numbers))) as chunks:
            dataset.add(numbers, chunks, lambda done: None)
        played.append(numbers)
    return played


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def plays(path):
    """Of every game, in order."""
    return [columns.plays[i] for columns in GameFiles([path], GAME).chunks() for i in range(len(columns))]


def test_the_manifest_says_what_is_there(tmp_path):
    assert write(tmp_path / "d") == [range(16), range(16, 32), range(32, 40)]
    manifest = json.loads((tmp_path / "d" / MANIFEST).read_text())
    assert (manifest["about"], manifest["games"], manifest["partition"]) == (ABOUT, 40, 16)
    assert [(part["first"], part["games"]) for part in manifest["partitions"]] == [(0, 16), (16, 16), (32, 8)]
    assert set(contents(tmp_path / "d")) == {MANIFEST, *(part["file"] for part in manifest["partitions"])}


def test_the_games_are_those_of_one_file(tmp_path):
    write(tmp_path / "many")
    write(tmp_path / "one", size=40)
    assert len(plays(tmp_path / "many")) == 40
    assert plays(tmp_path / "many") == plays(tmp_path / "one")


def test_an_interrupted_dataset_goes_on_to_the_same_files(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "broken", stop_after=16)
    with pytest.raises(BadInput, match="16 of 40 games"):
        GameFiles([tmp_path / "broken"], GAME)
    assert write(tmp_path / "broken") == [range(16, 32), range(32, 40)]
    write(tmp_path / "whole")
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")


def test_an_interrupted_partition_is_not_there(tmp_path):
    dataset = Dataset.begin(tmp_path / "d", ABOUT, 16, 16)

    def interrupted():
        yield from do_chunks(WORK, WORK.chunks(range(8)))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dataset.add(range(16), interrupted(), lambda done: None)
    assert contents(tmp_path / "d") == {}


@pytest.mark.parametrize("harm", [lambda path: path.unlink(), lambda path: path.write_bytes(path.read_bytes()[:-1] + b"?")])
def test_a_damaged_file_is_made_again(tmp_path, harm):
    write(tmp_path / "d")
    before, second = contents(tmp_path / "d"), tmp_path / "d" / "part-000000000016.parquet"
    harm(second)
    assert write(tmp_path / "d") == [range(16, 32)]
    assert contents(tmp_path / "d") == before


def test_a_dataset_grows(tmp_path):
    write(tmp_path / "d")
    assert write(tmp_path / "d", count=56) == [range(32, 48), range(48, 56)]  # the last was too short
    assert len(plays(tmp_path / "d")) == 56


@pytest.mark.parametrize(
    ("about", "size", "named"),
    [(ABOUT | {"seed": 6}, 16, "seed"), (ABOUT | {"table": "0"}, 16, "table"), (ABOUT, 8, "partition")],
)
def test_another_dataset_is_not_mixed_in(tmp_path, about, size, named):
    write(tmp_path / "d")
    with pytest.raises(BadInput, match=f"a dataset with other {named}: choose another folder"):
        Dataset.begin(tmp_path / "d", about, 40, size)


def test_a_folder_with_other_things_is_left_alone(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(BadInput, match="something else is there"):
        Dataset.begin(tmp_path, ABOUT, 40, 16)


@pytest.mark.parametrize("text", ["{", "[]", '{"format": "shangyou-dataset", "version": 1}'])
def test_a_manifest_that_is_none_is_refused(tmp_path, text):
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(BadInput, match="no manifest of a dataset"):
        GameFiles([tmp_path], GAME)


def test_more_files_than_may_be_open_are_read(tmp_path):
    resource = pytest.importorskip("resource")
    write(tmp_path / "d", count=240, size=8)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    in_use = max(int(number) for number in os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (in_use + 12, before[1]))
    try:
        found = [np.sort(part.index) for part in GameFiles([tmp_path / "d"], GAME).chunks(seed=1)]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert sorted(np.concatenate(found).tolist()) == list(range(240))


def test_the_command(tmp_path):
    words = "record", "generate", "zsy2", "--games", 20, "--temperature", 0.05, "--device", "cpu", "--out", tmp_path / "d"
    assert "20 games in 3 files" in run(*words, "--partition", 8).stdout
    again = json.loads(run(*words, "--partition", 8, "--workers", 2, "--json").stdout)
    assert (again["games"], again["there_before"]) == (20, 20)
    assert "partition 12: a multiple of 8 is needed" in run(*words[:-1], tmp_path / "e", "--partition", 12, code=2).stderr
    assert "never replaced" in run(*words, "--partition", 8, "--force", code=2).stderr
