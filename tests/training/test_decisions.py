"""Decisions of stored games are those of the reference engine, in every game, whatever form the games are stored in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from games.variants import ON_TENSORS, variant_name
from records.random_games import random_record
from records.test_parquet import other_suits
from shangyou import games, records
from shangyou.agents.models.net_agent import arrays_of
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine
from shangyou.engines.game_columns import GameColumns
from shangyou.engines.kernels.layout import MEMORY
from shangyou.games import BadInput
from shangyou.lab.deeprocket_match import FILE as MATCH
from shangyou.records.game_files import GameFiles
from shangyou.records.parquet import columns_of, row_of, to_bytes, to_table
from shangyou.records.record import states
from shangyou.training.supervised.decisions import DecisionBatch, decisions_of


def columns(played) -> GameColumns:
    return columns_of(to_table(map(row_of, played)), {}, np.arange(1, len(played) + 1))


def in_order(batch: DecisionBatch) -> DecisionBatch:
    """The decisions of one game after the other, each in order of time: later in a game more cards have been played."""
    return batch.at(torch.argsort(batch.game, stable=True))


def expected(played, forced):
    """The same from the reference engine: state, legal plays, play, seat, and the record."""
    for number, record in enumerate(played, 1):
        *before, end = states(record)
        for state, turn in zip(before, end.history, strict=True):
            if forced or len(reference.legal(state)) > 1:
                yield number, state, turn.play, end


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("variant", ON_TENSORS, ids=variant_name)
def test_decisions_are_those_of_the_reference_engine(variant, forced):
    name, rules = variant
    played = [random_record(name, rules, seed, finished) for seed in range(3) for finished in (True, False)]
    check(played, in_order(decisions_of(BatchEngine(played[0].game), columns(played), forced)), forced)


def test_decisions_of_games_with_cards_that_the_rule_does_not_pick():
    played = [random_record("zsy4", {}, 1), other_suits(2), other_suits(3), random_record("zsy4", {}, 2, finished=False)]
    assert [row_of(record)["cards"] is None for record in played] == [True, False, False, True]
    check(played, in_order(decisions_of(BatchEngine(played[0].game), columns(played))), False)


def check(played, batch: DecisionBatch, forced: bool) -> None:
    wanted = list(expected(played, forced))
    numbers, before, plays, ends = zip(*wanted, strict=True)
    assert batch.game.tolist() == list(numbers)
    assert batch.plays.tolist() == list(plays)
    views = [reference.view(state) for state in before]
    for name, array in arrays_of(views, MEMORY).items():
        assert np.array_equal(getattr(batch.seen, name).long().numpy(), array), name
    assert batch.role.tolist() == [view.role for view in views]
    legal = [part.tolist() for part in batch.legal.plays.split(batch.legal.counts.tolist())]
    assert legal == [reference.legal(state).tolist() for state in before]
    assert torch.equal(batch.legal.plays[batch.chosen], batch.plays)
    for i, (state, end) in enumerate(zip(before, ends, strict=True)):
        if end.over:
            assert (batch.won[i].item(), batch.points[i].item()) == (state.turn in end.winners, end.scores[state.turn])
        else:
            assert batch.won[i].isnan()
            assert batch.points[i].isnan()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
@pytest.mark.parametrize("variant", ON_TENSORS, ids=variant_name)
def test_a_gpu_gives_the_same_decisions(variant):
    played = [random_record(*variant, seed, finished) for seed in range(8) for finished in (True, False)]
    here, there = (decisions_of(BatchEngine(played[0].game, device), columns(played)) for device in ("cpu", "cuda"))
    assert torch.equal(here.plays, there.plays.cpu())
    assert torch.equal(here.legal.plays, there.legal.plays.cpu())
    assert all(torch.equal(mine, other.cpu()) for mine, other in zip(here.seen, there.seen, strict=True))


def test_types_are_the_same_for_all_games():
    engine = BatchEngine(games.load("zsy4"))
    by_rule, chosen = (decisions_of(engine, columns([record])) for record in (random_record("zsy4", {}, 1), other_suits(2)))
    assert [field.dtype for field in by_rule.seen] == [field.dtype for field in chosen.seen]
    assert by_rule.plays.dtype == chosen.plays.dtype


def test_games_without_a_play_have_no_decisions():
    state = reference.deal(games.load("doudizhu", bidding=True), 1)
    dealt, bid = records.Record.from_state(state), records.Record.from_state(reference.bid(state, 1))
    assert len(decisions_of(BatchEngine(state.game), columns([dealt, bid]))) == 0


# -- minibatches ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The same forty games as Parquet in row groups of eight, and as text."""
    folder = tmp_path_factory.mktemp("games")
    played = [replace(random_record("zsy2", {}, seed), name="", players=()) for seed in range(40)]
    records.write(folder / "a.txt", played)
    records.write(folder / "a.jsonl", played)
    import pyarrow.parquet as pq

    from shangyou.records.parquet import open_writer

    with (folder / "a.parquet").open("wb") as file, open_writer(file, {}) as writer:
        writer.write_table(to_table(map(row_of, played)), 8)
    assert pq.read_metadata(folder / "a.parquet").num_row_groups == 5
    return folder


ENGINE = BatchEngine(games.load("zsy2"))


def minibatches(games, seed=1):
    return list(decisions_of(ENGINE, games).shuffled(50, torch.Generator().manual_seed(seed)))


def every_decision(batches) -> list[tuple[int, ...]]:
    return sorted(
        (int(game), int(play), *hand.tolist())
        for batch in batches
        for game, play, hand in zip(batch.game, batch.plays, batch.seen.hand, strict=True)
    )


@pytest.mark.parametrize("name", ["a.parquet", "a.txt", "a.jsonl"])
def test_every_decision_comes_once(stored, name):
    files = GameFiles([stored / name], ENGINE.game)
    found = [minibatches(part) for part in files.chunks(size=16, seed=3)]
    assert {len(batch) for part in found for batch in part[:-1]} == {50}
    everything = decisions_of(ENGINE, next(files.chunks(size=100)))
    assert every_decision(batch for part in found for batch in part) == every_decision([everything])
    assert len(set(found[0][0].game.tolist())) > 8  # not one row group after the other


def test_a_rule_newer_than_a_file_has_its_default_there(tmp_path):
    record = random_record("doudizhu", {}, 1)
    row = row_of(record)
    older = row | {"rules": row["rules"].replace("doubling=false ", "")}
    assert older != row
    (tmp_path / "a.parquet").write_bytes(to_bytes([older, older | {"rules": "no such rule"}]))
    assert [len(part) for part in GameFiles([tmp_path / "a.parquet"], record.game).chunks(size=10)] == [1]
    assert next(records.read(tmp_path / "a.parquet")) == record


def test_a_seed_gives_an_order(stored):
    files = GameFiles([stored / "a.parquet"], ENGINE.game)
    first, again, other = (
        torch.cat([batch.plays for part in files.chunks(seed=seed) for batch in minibatches(part, seed)]) for seed in (1, 1, 2)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert torch.equal(first.sort().values, other.sort().values)


def test_held_out_games_are_the_others_and_stay_so(stored):
    files = GameFiles([stored / "a.parquet"], ENGINE.game)
    kept, held = ([n for part in files.chunks(side, 0.3) for n in part.number.tolist()] for side in (False, True))
    assert sorted(kept + held) == list(range(1, 41))
    assert 4 <= len(held) <= 20
    text = GameFiles([stored / "a.txt"], ENGINE.game)
    assert [n for part in text.chunks(True, 0.3, seed=8) for n in part.number.tolist()] != held  # another order
    assert sorted(n for part in text.chunks(True, 0.3, seed=8) for n in part.number.tolist()) == held


def test_a_deal_is_on_one_side_in_all_files():
    """By its seed and index, not by its place in a file; about the share that was asked for."""
    deals = 20_000
    part = columns([random_record("zsy2", {}, 1)])
    part = part.at(np.zeros(deals, np.int64))
    part = replace(part, seed=np.full(deals, 7), index=np.arange(deals), number=np.arange(deals))
    held = part.is_held_out(0.1)
    assert abs(held.mean() - 0.1) < 0.01
    backwards = part.at(np.arange(deals)[::-1])
    assert np.array_equal(replace(backwards, number=part.number).is_held_out(0.1), held[::-1])
    assert not np.array_equal(replace(part, seed=np.full(deals, 8)).is_held_out(0.1), held)


def test_the_match_of_the_paper(tmp_path):
    game = games.load("doudizhu", base=3)
    with pytest.raises(BadInput, match=r"deeprocket_match.txt: record 22: line 114, play 1"):
        list(GameFiles([MATCH], game).chunks())
    (found,) = GameFiles([MATCH], game, skip_bad=True).chunks()
    assert len(found) > 15
    batch = decisions_of(BatchEngine(game), found)
    assert set(batch.role.tolist()) == {0, 1, 2}
    assert len(batch) > 300


def test_games_of_other_rules_are_passed_over(tmp_path):
    mixed = [random_record("zsy2", {}, 1), random_record("doudizhu", {}, 1), random_record("doudizhu", {"base": 3}, 2)]
    records.write(tmp_path / "a.parquet", mixed)
    for number, record in enumerate(mixed, 1):
        (found,) = GameFiles([tmp_path / "a.parquet"], record.game).chunks()
        assert (found.game, found.number.tolist()) == (record.game, [number])
    with pytest.raises(BadInput, match="there is no game of zsy4"):
        list(GameFiles([tmp_path / "a.parquet"], games.load("zsy4")).chunks())


# -- what is wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"plays": [9000]}, "game 1: play 1, row 9000 of the table, is not legal"),
        ({"scores": [7, -7]}, "game 1: the scores are not what the plays give"),
        ({"scores": None}, "game 1: the scores are not what the plays give"),
        ({"hands": [1, 2]}, "zsy2 deal"),
        ({"first": 5}, "may not act first"),
        ({"bids": [1]}, "game 1: it has bids, and its rules have none"),
    ],
)
def test_games_that_break_the_rules_are_refused(changes, reason):
    row = row_of(random_record("zsy2", {}, 1)) | changes
    part = columns_of(to_table([row]), {}, np.array([1]))
    with pytest.raises(BadInput, match=reason):
        decisions_of(ENGINE, part)


def test_plays_after_the_end_and_before_it_are_refused():
    row = row_of(random_record("zsy2", {}, 1))
    for plays in (row["plays"] + [0], row["plays"][:-1]):
        with pytest.raises(BadInput, match="not what the plays give"):
            decisions_of(ENGINE, columns_of(to_table([row | {"plays": plays}]), {}, np.array([1])))


def test_bids_that_make_nobody_landlord_are_refused():
    record = random_record("doudizhu", {"bidding": True}, 1)
    for bids in ([0, 0, 0], [0], None):
        part = columns_of(to_table([row_of(record) | {"bids": bids}]), {}, np.array([1]))
        with pytest.raises(BadInput, match="game 1: it has plays, and its bids make nobody landlord"):
            decisions_of(BatchEngine(record.game), part)


def test_games_of_another_game_are_refused():
    with pytest.raises(BadInput, match="on an engine of zsy2"):
        decisions_of(ENGINE, columns([random_record("doudizhu", {}, 1)]))
