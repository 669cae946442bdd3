"""JSON Lines are taken exactly as specified, or not at all."""

import copy
import json

import pytest

from records.random_games import random_record, read_all
from shangyou.records import BadRecord, Record
from shangyou.records.jsonl import RECORD, to_json

GAME = to_json(random_record("zsy2", {}, 1))
BID_GAME = to_json(random_record("doudizhu", {"bidding": True}, 1))


def changed(game, *path, to):
    """A copy of the object with one value exchanged; `to=None` removes the key."""
    value = copy.deepcopy(game)
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    if to is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = to
    return value


def test_everything_is_there():
    assert list(GAME) == [*RECORD]
    assert GAME["rules"] == {"cards_each": 18, "shortest_chain": 2, "two_in_chain": True, "first_lead": "coin"}
    assert set(GAME["result"]) == {"finished", "scores", "winners", "places"}


BAD = {
    "an array": ([], "record: a list is not an object"),
    "no format": (changed(GAME, "format", to=None), "record: the key 'format' is missing"),
    "other format": (changed(GAME, "format", to="chess"), "format: 'chess' is not 'shangyou-record'"),
    "other version": (changed(GAME, "version", to=2), "version: 2 is not 1"),
    "version true": (changed(GAME, "version", to=True), "version: true is not a whole number"),
    "missing key": (changed(GAME, "players", to=None), "record: the key 'players' is missing"),
    "unknown key": (changed(GAME, "date", to="today"), "record: unknown key 'date'; there are format"),
    "unknown game": (changed(GAME, "game", to="go"), "there is no game 'go'"),
    "missing rule": (changed(GAME, "rules", "cards_each", to=None), "rules: the key 'cards_each' is missing"),
    "unknown rule": (changed(GAME, "rules", "colour", to=1), "zsy2 has no rule 'colour'"),
    "rule of another type": (changed(GAME, "rules", "cards_each", to="18"), 'cards_each: "18" is not a whole number'),
    "rule out of range": (changed(GAME, "rules", "cards_each", to=99), "cards_each=99 is not one of 1..20"),
    "other table": (changed(GAME, "table", to="00"), "table: '00' is not "),
    "no hand": (changed(GAME, "deal", "hands", to=["3"]), "zsy2 has 2 hands, not 1"),
    "hand no text": (changed(GAME, "deal", "hands", 0, to=3), "deal: hands: 3 is not a string"),
    "hand no cards": (changed(GAME, "deal", "hands", 0, to="x"), "'x' is no card"),
    "first no seat": (changed(GAME, "deal", "first", to=7), "seat 7 may not act first"),
    "first no number": (changed(GAME, "deal", "first", to=0.0), "deal: first: 0.0 is not a whole number"),
    "first too big": (changed(GAME, "deal", "first", to=10**4000), "may not act first"),
    "bids not due": (changed(GAME, "bids", to=[3]), "may bid nothing now"),
    "bid no number": (changed(BID_GAME, "bids", 0, to="1"), 'bids: "1" is not a whole number'),
    "bid too high": (changed(BID_GAME, "bids", 0, to=4), "bid 4: seat"),
    "play no pair": (changed(GAME, "plays", 2, to=[0]), "plays: entry 3: a list of 1 is not [seat, cards]"),
    "play no list": (changed(GAME, "plays", 2, to="0,3"), 'plays: entry 3: "0,3" is not a list'),
    "cards no text": (changed(GAME, "plays", 2, 1, to=3), "plays: entry 3: cards: 3 is not a string"),
    "seat no number": (changed(GAME, "plays", 2, 0, to=True), "plays: entry 3: seat: true is not a whole number"),
    "one player": (changed(GAME, "players", to=["a"]), "zsy2 has 2 seats, not 1"),
    "player no text": (changed(GAME, "players", to=["a", 1]), "players: 1 is not a string"),
    "result unfinished": (
        changed(GAME, "result", "finished", to=False),
        "result: finished false is not what the plays give: true",
    ),
    "result wrong": (changed(GAME, "result", "scores", to=[0, 0]), "result: scores [0, 0] is not what the plays give: ["),
    "result true": (changed(GAME, "result", "places", to=[True, 0]), "result: places: true is not a whole number"),
    "result short": (changed(GAME, "result", "winners", to=None), "result: the key 'winners' is missing"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_records_name_the_key_and_the_reason(tmp_path, case):
    value, reason = BAD[case]
    bad, good = read_all(tmp_path, f"{json.dumps(value)}\n{json.dumps(GAME)}\n", "a.jsonl")
    assert isinstance(bad, BadRecord), bad
    assert (bad.number, bad.line, bad.play_number) == (1, 1, 0)
    assert reason in bad.reason
    assert isinstance(good, Record)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "this is not JSON"),
        (b"\xff", "not UTF-8 text: 0xff"),
        (b'{"version": NaN}', "NaN is no number"),
        (b'{"a": 1, "a": 2}', "the key 'a' is there 2 times"),
        (b"[" * 100_000, "nested too deeply"),
        (b"1" * 10_000, "this is not JSON"),
    ],
)
def test_a_line_that_is_not_json_spoils_no_other(tmp_path, line, reason):
    good = json.dumps(GAME).encode()
    found = read_all(tmp_path, b"\n".join([b"", good, line, b"\r", good]), "a.jsonl")
    assert [type(record) for record in found] == [Record, BadRecord, Record]
    assert (found[1].number, found[1].line) == (2, 3)
    assert reason in found[1].reason


@pytest.mark.parametrize("depth", [100, 900, 950, 990])
@pytest.mark.parametrize("place", ['{"format": %s}', '{"format": "shangyou-record", "version": 1, "rules": %s}'])
def test_nested_values_are_an_error_like_any_other(tmp_path, depth, place):
    (bad,) = read_all(tmp_path, place % ("[" * depth + "]" * depth), "a.jsonl")
    assert isinstance(bad, BadRecord)


def test_a_play_out_of_turn_or_not_held(tmp_path):
    seat, cards = GAME["plays"][0]
    out_of_turn = changed(GAME, "plays", 0, to=[1 - seat, cards])
    not_held = changed(GAME, "plays", 0, 1, to="3333444455556666")
    found = read_all(tmp_path, f"{json.dumps(out_of_turn)}\n{json.dumps(not_held)}")
    assert found[0].reason == f"it is the turn of seat {seat}, not of seat {1 - seat}"
    assert (found[0].play_number, found[0].play, found[0].name) == (1, f"{1 - seat},{cards}", "zsy2 1")
    assert (found[1].hand, found[1].play) == (GAME["deal"]["hands"][seat], f"{seat},3333444455556666")


def test_json_lines_are_known_by_their_first_sign(tmp_path):
    assert isinstance(read_all(tmp_path, "\n" + json.dumps(GAME), "a.txt")[0], Record)
