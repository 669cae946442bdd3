"""`shangyou record`, as a person or a script meets it."""

import json
from functools import partial

import pytest

from cli import running
from records.random_games import random_record
from shangyou import agents, games, records
from shangyou.lab import deeprocket_match
from shangyou.records import Record
from shangyou.records.jsonl import to_json
from shangyou.search.truth import truth

MATCH = deeprocket_match.FILE
BAD_LINE = (
    '  22  bad         Section 5.4 inference: line 114, play 1 "0,345678" with hand 3334557788TTJJKKA22S: '
    "345678: the hand 3334557788TTJJKKA22S lacks 6"
)


run = partial(running.run, "record")


@pytest.fixture
def good_match(tmp_path):
    """The match without its bad record."""
    path = tmp_path / "match.txt"
    path.write_text(MATCH.read_text().partition("name: Section 5.4 inference")[0])
    return path


def test_check_prints_a_line_for_each_record():
    lines = run("check", MATCH, code=1).stdout.split("\n")
    assert lines[0] == "   1  ok          Table 9 number 1: landlord +12"
    assert lines[13] == "  14  unfinished  Table 10 number 4: after 14 plays"
    assert lines[20] == "  21  ok          Section 5.4 cooperation: landlord -6"
    assert lines[21] == BAD_LINE
    assert lines[22:] == ["22 records: 18 ok, 3 unfinished, 1 bad", ""]


def test_check_says_who_wins_where_there_is_no_landlord(tmp_path):
    records.write(tmp_path / "a.txt", [random_record("zsy2", {}, 1), random_record("zsy4", {}, 1)])
    lines = run("check", tmp_path / "a.txt").stdout.split("\n")
    assert lines[0] in ("   1  ok          zsy2 1: seat 0 wins, +1 -1", "   1  ok          zsy2 1: seat 1 wins, -1 +1")
    assert "+3" in lines[1]


def test_check_as_json():
    told = json.loads(run("check", MATCH, "--json", code=1).stdout)
    assert told["totals"] == {"ok": 18, "unfinished": 3, "bad": 1}
    assert told["unreadable_files"] == 0
    first, last = told["records"][0], told["records"][-1]
    assert (first["number"], first["status"], first["scores"], first["players"][0]) == (1, "ok", [12, -6, -6], "DeepRocket")
    assert (last["number"], last["line"], last["play_number"], last["play"]) == (22, 114, 1, "0,345678")
    assert last["hand"] == "3334557788TTJJKKA22S"
    assert last["reason"].endswith("lacks 6")


def test_check_goes_on_after_a_file_that_cannot_be_read(good_match):
    result = run("check", "nothing.txt", good_match, code=2)
    assert "error: cannot read nothing.txt: No such file or directory" in result.stderr
    assert f"{good_match}:\n" in result.stdout
    assert "21 records: 18 ok, 3 unfinished, 0 bad" in result.stdout


def test_check_of_a_file_that_cannot_be_read_is_one_line():
    result = run("check", "nothing.txt", code=2)
    assert result.output == "error: cannot read nothing.txt: No such file or directory\n"
    told = json.loads(run("check", "nothing.txt", "--json", code=2).stdout)
    assert told == {"records": [], "totals": {"ok": 0, "unfinished": 0, "bad": 0}, "unreadable_files": 1}


def test_the_first_of_several_records_is_said_to_be_one(good_match, tmp_path):
    note = f"note: this is the first of several records in {good_match}; --number chooses another\n"
    assert run("show", good_match).stderr == note
    assert run("show", good_match, "--number", "2").stderr == ""
    records.write(tmp_path / "one.txt", [random_record("zsy2", {}, 1)])
    assert run("show", tmp_path / "one.txt").stderr == ""


def test_check_needs_to_know_the_game(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("334566789JJQQKASB;34456789TTKAAA222;345577889TTJQQKK2;69J\n0,33;")
    complaint = "line 1, no game is given: put a line such as `game: doudizhu` above the record, or use --game"
    assert complaint in run("check", path, code=1).stdout
    assert "unfinished  after 1 play" in run("check", path, "--game", "doudizhu", "--rules", "base=3").stdout
    assert "there is no game 'bridge'" in run("check", path, "--game", "bridge", code=2).stderr


def test_nothing_from_a_file_reaches_the_terminal_but_signs(tmp_path):
    record = Record.from_state(records.replay(random_record("zsy2", {}, 1)), ["[red]x", "\x1b[31m"], "\ud800[/bold]\x07")
    records.write(tmp_path / "a.jsonl", [record])
    checked, shown = run("check", tmp_path / "a.jsonl").stdout, run("show", tmp_path / "a.jsonl").stdout
    assert "\\ud800[/bold]\\x07" in checked
    assert "[red]x" in shown
    assert "\\x1b[31m" in shown
    assert "\\ud800[/bold]\\x07" in shown
    assert json.loads(run("check", tmp_path / "a.jsonl", "--json").stdout)["records"][0]["name"] == record.name


def test_convert_there_and_back(good_match, tmp_path):
    told = run("convert", good_match, tmp_path / "a.jsonl").stdout
    assert told == f"wrote 21 records to {tmp_path / 'a.jsonl'}\n"
    run("convert", tmp_path / "a.jsonl", tmp_path / "b.txt")
    assert list(records.read(tmp_path / "b.txt")) == list(records.read(good_match))
    run("convert", good_match, tmp_path / "c.txt", "--to", "jsonl")
    assert (tmp_path / "c.txt").read_bytes() == (tmp_path / "a.jsonl").read_bytes()


def test_convert_writes_nothing_while_a_record_is_bad(tmp_path):
    result = run("convert", MATCH, tmp_path / "a.jsonl", code=1)
    assert BAD_LINE in result.stderr
    assert "1 bad of 22 records" in result.stderr
    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_convert_can_leave_bad_records_out(tmp_path):
    result = run("convert", MATCH, tmp_path / "a.jsonl", "--skip-bad")
    assert BAD_LINE in result.stderr
    assert result.stdout == f"wrote 21 records to {tmp_path / 'a.jsonl'}, left out 1 bad\n"
    told = json.loads(run("convert", MATCH, tmp_path / "b.jsonl", "--skip-bad", "--json").stdout)
    assert told["written"] == 21
    assert [entry["number"] for entry in told["left_out"]] == [22]


def test_convert_replaces_no_file_unless_told_to(good_match, tmp_path):
    target = tmp_path / "a.jsonl"
    target.write_text("precious")
    result = run("convert", good_match, target, code=2)
    assert f"error: cannot write {target}: it is there already" in result.stderr
    assert target.read_text() == "precious"
    run("convert", good_match, target, "--force")
    assert len(list(records.read(target))) == 21


def test_convert_onto_itself(good_match):
    before = list(records.read(good_match))
    run("convert", good_match, good_match, "--force")
    assert list(records.read(good_match)) == before


def test_show_replays_a_record():
    lines = [" ".join(line.split()) for line in run("show", MATCH, "--number", 2).stdout.split("\n")]
    assert lines[0] == "Table 9 number 2 doudizhu base=3"
    assert "0 landlord DeepRocket 34445689TJQKKAAA22SB" in lines
    assert "public cards AAS" in lines
    assert "1 1 0 4443 trio+solo 16" in lines
    assert "1 3 2 pass 17" in lines
    assert "1 6 2 pass 17 round to seat 0" in lines
    assert lines[-4].endswith("89TJQ solo-chain x5 0 out, round to seat 0")
    assert lines[-2] == "landlord +12"


def test_show_bids(tmp_path):
    record = random_record("doudizhu", {"bidding": True}, 4)
    records.write(tmp_path / "a.jsonl", [record])
    assert f"seat {record.deal.first} bids {record.bids[0]}" in run("show", tmp_path / "a.jsonl").stdout


def test_show_who_doubled(tmp_path):
    record = random_record("doudizhu", {"doubling": True}, 4)
    records.write(tmp_path / "a.jsonl", [record])
    shown = run("show", tmp_path / "a.jsonl").stdout
    says = [
        f"seat {seat} {'doubles' if double else 'does not double'}" for seat, double in zip((1, 2, 0), record.bids, strict=True)
    ]
    assert ", ".join(says) in " ".join(shown.split())


def test_show_as_json():
    told = json.loads(run("show", MATCH, "--number", 2, "--json").stdout)
    assert told["record"] == to_json(list(records.read(MATCH))[1])
    assert told["turns"][1] == {
        "turn": 2, "round": 1, "seat": 1, "cards": "5557", "pattern": "trio+solo", "bomb": False, "left": 13,
        "round_won_by": None,
    }  # fmt: skip
    assert told["turns"][5]["round_won_by"] == 0


def test_show_says_what_it_cannot_show():
    assert BAD_LINE in run("show", MATCH, "--number", 22, code=1).stderr
    assert "there is no record 23 in" in run("show", MATCH, "--number", 23, code=2).stderr


# -- Parquet and generated games --------------------------------------------------------------------------------------


def test_convert_to_parquet_and_back(good_match, tmp_path):
    run("convert", good_match, tmp_path / "a.parquet")
    assert "21 records: 18 ok, 3 unfinished, 0 bad" in run("check", tmp_path / "a.parquet").stdout
    assert "Table 9 number 2" in run("show", tmp_path / "a.parquet", "--number", 2).stdout
    run("convert", tmp_path / "a.parquet", tmp_path / "again.txt")
    run("convert", good_match, tmp_path / "direct.txt")
    assert (tmp_path / "again.txt").read_text() == (tmp_path / "direct.txt").read_text()


def test_generate(tmp_path):
    out = tmp_path / "a.parquet"
    words = "generate", "zsy2", "--games", 40, "--temperature", 0.02, "--device", "cpu", "--seed", 3, "--out", out
    assert f"wrote 40 games to {out}" in run(*words).stdout
    assert "40 records: 40 ok" in run("check", out).stdout
    assert "champion/zsy2" in run("show", out, "--number", 7).stdout
    before = out.read_bytes()
    assert "it is there already" in run(*words, code=2).stderr
    told = json.loads(run(*words, "--force", "--json").stdout)
    assert (told["games"], told["bytes"], told["temperature"]) == (40, len(before), 0.02)
    assert out.read_bytes() == before  # the same seed, the same games


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--agent", "greedy"), "agent 'greedy' does not estimate win chances"),
        (("--agent", "nobody"), "there is no agent 'nobody'"),
        (("--temperature", 0), "temperature 0: a number above 0"),
        (("--device", "abacus"), "device 'abacus'"),
        (("--rules", "x=1"), "x"),
    ],
)
def test_what_cannot_be_generated(tmp_path, options, reason):
    words = "generate", "zsy2", "--games", 4, "--temperature", 0.02, "--out", tmp_path / "a.parquet", *options
    assert reason in run(*words, code=2).stderr
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def a_game(tmp_path):
    game = games.load("doudizhu", bidding=True)
    end = agents.play_game(game, [agents.load("rule", game)] * 3, seed=5)
    records.write(tmp_path / "a.jsonl", [Record.from_state(end)])
    return tmp_path / "a.jsonl"


def test_review_says_what_was_wrong_and_what_was_luck(a_game):
    told = json.loads(run("review", a_game, "--json").stdout)
    printed = run("review", a_game).stdout
    assert told["adviser"] == "champion/doudizhu"
    assert [one["phase"] for one in told["decisions"]][:4] == ["bid", "bid", "bid", "play"]
    judged = [one.get("win") or one["points"] for one in told["decisions"]]
    assert all(bool(one["why"]) == (one["grade"] not in ("best", "good")) for one in judged)
    assert {one["grade"] for one in judged if one["grade"] not in ("best", "good")} <= set(printed.split())
    for seat, summary in enumerate(told["seats"]["win"]):
        account = summary["account"]
        assert sum(account[part] for part in ("even", "deal", "play", "rest")) == pytest.approx(account["result"])
        assert f"seat {seat}: accuracy {summary['accuracy']:.1f}; chance of winning: deal {account['deal']:+.2f}" in printed


@pytest.mark.parametrize("name", ["zsy2", "zsy4"])
def test_review_says_what_was_forced(tmp_path, name):
    """Of a game between random players, who give much away."""
    game = games.load(name)
    record = Record.from_state(agents.play_game(game, [agents.load("random", game, seed=i) for i in range(game.seats)], seed=4))
    records.write(tmp_path / "a.jsonl", [record])
    told = json.loads(run("review", tmp_path / "a.jsonl", "--solve", "--json").stdout)["truth"]
    printed = " ".join(run("review", tmp_path / "a.jsonl", "--solve").stdout.split())  # lines may be broken anywhere
    found = truth(records.with_bids(record))
    assert [told[key] for key in ("proven_from", "forced_from", "nodes")] == [found.proven_from, found.forced_from, found.nodes]
    lost = [one for one in told["turns"] if one["gave_away"]]
    assert [one["turn"] for one in lost] == [one.turn for one in found.turns if one.gave_away]
    assert lost
    for one in lost:
        what = "the win" if name == "zsy2" else f"place {one['value']} against all others"
        assert f"turn {one['turn'] + 1}: seat {one['seat']} gave {what} away" in printed
        assert f"; {one['better']['label' if name == 'zsy2' else 'cards'] or 'pass'} would have kept it" in printed
    said = f"won by force from turn {found.forced_from + 1}" if name == "zsy2" else "what can be forced is proven from turn"
    assert f"with open cards: {said}" in printed
    assert "with open cards" not in run("review", tmp_path / "a.jsonl").stdout


def test_review_needs_an_adviser_that_knows_chances(a_game):
    error = run("review", a_game, "--agent", "rule", code=2).stderr
    assert "agent 'rule' knows neither chances of winning nor points" in error
