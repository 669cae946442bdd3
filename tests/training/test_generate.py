"""Generated games: deals of a seed, played by the sampler, the same again with the same seed, and stored in few bytes."""

from __future__ import annotations

import json
from io import BytesIO

import numpy as np
import pytest
import torch

from records.random_games import read_all
from shangyou import games
from shangyou.agents.batch import load_batch
from shangyou.agents.batch.exploring import Sampler
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine
from shangyou.games import BadInput
from shangyou.records import Record
from shangyou.records.files import new_file
from shangyou.records.game_files import GameFiles
from shangyou.records.parquet import ParquetFile, write_games
from shangyou.training.supervised import generate as generating
from shangyou.training.supervised.decisions import decisions_of
from shangyou.training.supervised.generate import generate

CPU = torch.device("cpu")


def about(game, **more):
    return {"game": game.name, "rules": str(game.rules), "table": game.table.hash, "seed": 5, **more}


def chunks(game, count=30, seed=5, temperature=0.05):
    sampler = Sampler(load_batch(f"champion/{game.name}", game), CPU, temperature)
    return generate(BatchEngine(game), sampler, count, seed)


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setitem(generating.AT_ONCE, "cpu", 8)


@pytest.mark.parametrize(("name", "rules"), [("zsy2", {}), ("zsy4", {}), ("doudizhu", {}), ("doudizhu", {"bidding": True})])
def test_generated_games_are_deals_of_the_seed(tmp_path, small_chunks, name, rules):
    game, content, done = games.load(name, **rules), BytesIO(), []
    assert write_games(content, chunks(game), about(game, agent="somebody"), done.append) == 30
    assert done == [8, 16, 24, 30]
    found = read_all(tmp_path, content.getvalue(), "a.parquet")
    assert all(isinstance(record, Record) and record.result.finished for record in found)
    assert found[3].players == ("somebody",) * game.seats
    if not game.has_bidding:  # a deal may be dealt again there
        assert [record.deal for record in found] == [reference.deal(game, 5, index).start for index in range(30)]
    engine, (columns,) = BatchEngine(game), GameFiles([tmp_path / "a.parquet"], game).chunks()
    assert len(decisions_of(engine, columns, forced=True)) == sum(len(record.turns) for record in found)


def test_a_seed_gives_the_same_games_and_another_others(small_chunks):
    game = games.load("zsy2")
    first, again, other = (list(chunks(game, seed=seed)) for seed in (5, 5, 6))
    assert all(np.array_equal(a.plays.values, b.plays.values) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0].plays.values, other[0].plays.values)


def test_games_take_few_bytes(tmp_path):
    """Without what the file has once, whatever the number of games."""
    game, content = games.load("zsy2"), BytesIO()
    write_games(content, chunks(game, 256), about(game), lambda done: None)
    (tmp_path / "a.parquet").write_bytes(content.getvalue())
    group = ParquetFile(tmp_path / "a.parquet").file.metadata.row_group(0)
    sizes = {(column := group.column(i)).path_in_schema: column.total_compressed_size for i in range(group.num_columns)}
    assert sizes["plays.list.element"] / 256 < 30
    assert sum(sizes.values()) - sizes["plays.list.element"] < 256 * 8


def test_an_interruption_keeps_the_games_that_are_whole(tmp_path, small_chunks):
    def interrupted():
        yield from chunks(games.load("zsy2"), 16)
        raise KeyboardInterrupt

    with new_file(tmp_path / "a.parquet") as file:
        assert write_games(file, interrupted(), about(games.load("zsy2")), lambda done: None) == 16
    assert len(read_all(tmp_path, (tmp_path / "a.parquet").read_bytes(), "a.parquet")) == 16
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]


def test_an_interruption_before_the_first_games_leaves_no_file(tmp_path):
    def interrupted():
        raise KeyboardInterrupt
        yield

    with pytest.raises(KeyboardInterrupt), new_file(tmp_path / "a.parquet") as file:
        write_games(file, interrupted(), {}, lambda done: None)
    assert list(tmp_path.iterdir()) == []


def test_what_a_file_says_of_itself(tmp_path, small_chunks):
    game = games.load("zsy2")
    with new_file(tmp_path / "a.parquet") as file:
        write_games(file, chunks(game, 8), about(game, agent="champion/zsy2", temperature=0.05), lambda done: None)
    stored = ParquetFile(tmp_path / "a.parquet").about
    assert (stored["format"], stored["version"], stored["table"]) == ("shangyou-games", 1, game.table.hash)
    assert (stored["agent"], stored["temperature"], stored["seed"]) == ("champion/zsy2", 0.05, 5)
    assert json.dumps(stored)


def test_an_agent_without_win_chances_is_refused():
    game = games.load("zsy2")
    with pytest.raises(BadInput, match="agent 'greedy' does not estimate win chances"):
        next(generate(BatchEngine(game), Sampler(load_batch("greedy", game), CPU, 1.0), 4, 1))
