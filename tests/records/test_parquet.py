"""Parquet: what is written is read again exactly, foreign and broken files are refused, and columns are the records."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from games.variants import VARIANTS, variant_name
from records.random_games import random_record, read_all
from shangyou import games, records
from shangyou.engines import reference
from shangyou.games import BadInput
from shangyou.records import BadRecord, Record
from shangyou.records.parquet import ParquetFile, columns_of, read_row, row_of, schema, to_bytes, to_table


@pytest.fixture(params=VARIANTS, ids=variant_name)
def games_played(request):
    name, rules = request.param
    return [random_record(name, rules, seed, finished) for seed in range(3) for finished in (True, False)]


def other_suits(seed: int) -> Record:
    """A game of zsy4 in which seats put down other cards than the rule would pick, where they have them."""
    chance, game = Random(seed), games.load("zsy4")
    state = reference.deal(game, seed)
    while not state.over:
        play = chance.choice(reference.legal(state).tolist()[-6:])
        cards, hand = game.pick(state.hands[state.turn], play), state.hands[state.turn]
        for held in game.deck.split(hand & ~cards):
            for given in game.deck.split(cards):
                try:
                    state_after = reference.put(state, cards - given + held)
                except BadInput:
                    continue
                if state_after.history[-1].play == play:
                    cards = cards - given + held
                    break
        state = reference.put(state, cards)
    return Record.from_state(state)


def test_a_file_of_all_games_and_rules(tmp_path):
    played = [random_record(name, rules, 3) for name, rules in VARIANTS]
    assert read_all(tmp_path, to_bytes(map(row_of, played)), "a.parquet") == played


def test_the_very_cards_are_stored_where_the_rule_picks_others(tmp_path):
    by_rule, chosen = random_record("zsy4", {}, 1), other_suits(2)
    assert row_of(by_rule)["cards"] is None
    cards, deck = row_of(chosen)["cards"], chosen.game.deck
    assert [deck.from_words([word]) for word in cards] == [cards for _, cards in chosen.turns]
    records.write(tmp_path / "a.parquet", [by_rule, chosen])
    assert list(records.read(tmp_path / "a.parquet")) == [by_rule, chosen]


def test_no_file_without_records(tmp_path):
    with pytest.raises(BadInput, match=r"a.parquet holds no records"):
        read_all(tmp_path, to_bytes([]), "a.parquet")


# -- what is wrong ----------------------------------------------------------------------------------------------------


def changed(record: Record, **values) -> Record | BadRecord:
    """The record as it is read from a file in which its row has these values."""
    return read_row(to_table([row_of(record) | values]), 1, {})


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"game": "bridge"}, "there is no game 'bridge'"),
        ({"game": None}, "the games have no game"),
        ({"rules": "cards_each=x"}, "cards_each"),
        ({"table": "0"}, "table: '0' is not"),
        ({"plays": [0]}, "must lead|to lead|pass"),
        ({"plays": [65535]}, "plays of zsy2 are numbered"),
        ({"plays": []}, "the plays give none"),
        ({"scores": [1]}, "game 1: 1 numbers in scores, not 2"),
        ({"scores": None}, "scores: none; the plays give"),
        ({"scores": [7, -7]}, r"scores: \[7, -7\]; the plays give"),
        ({"hands": [1, 2, 3]}, "3 numbers in hands, not 2"),
        ({"hands": None}, "0 numbers in hands, not 2"),
        ({"hands": [-1, -1]}, "zsy2 deal"),
        ({"first": 7}, "may not act first"),
        ({"bids": [1]}, "bid 1"),
        ({"players": ["a"]}, "zsy2 has 2 seats, not 1"),
        ({"cards": [1]}, "numbers in cards, not"),
        ({"plays": [None]}, "plays: a list has an entry that is null"),
    ],
)
def test_a_bad_row_is_a_bad_record(values, reason):
    found = changed(random_record("zsy2", {}, 1), **values)
    assert isinstance(found, BadRecord)
    assert re.search(reason, str(found)), str(found)


def test_the_error_of_a_play_names_it_and_the_hand():
    record = random_record("zsy2", {}, 1)
    plays = row_of(record)["plays"]
    found = changed(record, plays=[*plays[:2], 9000, *plays[3:]])
    assert (found.play_number, found.line) == (3, 1)
    assert "row 9000" in found.play
    assert found.hand


def test_files_that_are_not_ours(tmp_path):
    path = tmp_path / "a.parquet"
    for content, reason in (
        (b"", "no Parquet file"),
        (b"game: zsy2", "no Parquet file"),
        (b"PAR1 and nothing else PAR1", "no Parquet"),
    ):
        with pytest.raises(BadInput, match=reason):
            read_all(tmp_path, content, "a.parquet")
    pq.write_table(pa.table({"x": [1]}), path)
    with pytest.raises(BadInput, match="is no file of games: its format is None, not 'shangyou-games'"):
        list(records.read(path))
    about = {b"shangyou": json.dumps({"format": "shangyou-games", "version": 1}).encode()}
    pq.write_table(pa.table({"x": [1]}).replace_schema_metadata(about), path)
    with pytest.raises(BadInput, match="other columns or types: x"):
        list(records.read(path))
    about = {b"shangyou": json.dumps({"format": "shangyou-games", "version": 2}).encode()}
    pq.write_table(schema().empty_table().replace_schema_metadata(about), path)
    with pytest.raises(BadInput, match="its version is 2, not 1"):
        list(records.read(path))
    with pytest.raises(BadInput, match=r"cannot read .*none.parquet: No such file"):
        list(records.read(tmp_path / "none.parquet"))


def test_no_change_to_a_good_file_makes_reading_crash(tmp_path):
    """A changed byte is found by the checksums, refused as no Parquet, or in a part that does not matter."""
    good = [random_record("zsy2", {}, seed) for seed in range(3)]
    content, chance, refused = to_bytes(map(row_of, good)), Random(0), 0
    for _ in range(200):
        broken = bytearray(content)
        broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
        try:
            found = read_all(tmp_path, bytes(broken), "a.parquet")
        except BadInput:
            refused += 1
        else:
            assert all(isinstance(record, Record | BadRecord) for record in found)
    assert refused > 100


def test_without_pyarrow_there_is_a_clear_error(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for act in (lambda: records.write(tmp_path / "a.parquet", []), lambda: read_all(tmp_path, b"PAR1", "b.parquet")):
        with pytest.raises(BadInput, match=r"Parquet needs pyarrow: pip install shangyou\[train\]"):
            act()


def test_names_that_are_no_text_are_refused():
    record = replace(random_record("zsy2", {}, 1), name="\ud800")
    with pytest.raises(BadInput, match="do not fit the columns of Parquet"):
        to_bytes([row_of(record)])


# -- columns ----------------------------------------------------------------------------------------------------------


def test_columns_are_the_records(tmp_path, games_played):
    records.write(tmp_path / "a.parquet", games_played)
    file = ParquetFile(tmp_path / "a.parquet")
    columns = columns_of(file.read(0), file.about, np.arange(1, 7))
    assert columns.game == games_played[0].game
    for i, record in enumerate(games_played):
        state = columns.states(i)[-1]
        assert tuple((turn.seat, turn.cards) for turn in state.history) == record.turns
        assert (columns.finished[i], tuple(columns.scores[i])) == (record.result.finished, record.result.scores)


def test_some_of_the_columns(games_played):
    columns = columns_of(to_table(map(row_of, games_played)), {}, np.arange(1, 7))
    some = columns.at(np.array([4, 1]))
    assert [some.plays[0], some.plays[1]] == [columns.plays[4], columns.plays[1]]
    assert some.number.tolist() == [5, 2]
    both = type(columns).joined([some, columns.at(columns.number == 1)])
    assert both.number.tolist() == [5, 2, 1]
    assert both.plays[2] == columns.plays[0]
    assert np.array_equal(both.hands[0], columns.hands[4])
