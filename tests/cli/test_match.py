"""`match` and `tournament` from the command line."""

import json
import re

import pexpect
import pytest

from cli.running import run
from shangyou.lab import deeprocket_match
from terminals import spawn

MATCH = deeprocket_match.FILE


def test_a_match_as_json():
    words = "match", "doudizhu", "greedy", "random", "--deals", "10", "--seed", "3", "--json"
    result = json.loads(run(*words).stdout)
    assert (result["deals"], result["games"], result["even"]) == (10, 20, 0.5)
    low, high = result["win_interval_95"]
    assert low <= result["win_rate"] <= high
    landlord, peasants = result["by_role"]["landlord"], result["by_role"]["peasants"]
    assert result["win_rate"] == pytest.approx((landlord["win_rate"] + peasants["win_rate"]) / 2)
    assert result["sprt"] is None
    assert json.loads(run(*words, "--workers", "2").stdout) == result


def test_a_match_as_a_table():
    shown = run("match", "zsy4", "greedy", "random", "--deals", "2", "--mirrored").stdout
    assert "zsy4, greedy against random, 2 deals, 16 games, seed 0" in shown
    for word in ("alone", "three", "all", "won by equals: 0.25"):
        assert word in shown
    assert "alone" not in run("match", "zsy4", "greedy", "random", "--deals", "1").stdout


def test_rules_of_the_training_that_the_match_does_not_have_are_named():
    words = "match", "doudizhu", "champion/doudizhu", "random", "--deals", "2", "--json"
    other = run(*words, "--rules", "spring=true")
    assert "note: champion/doudizhu was trained with spring=false\n" in other.stderr
    assert json.loads(other.stdout)["deals"] == 2
    assert "note" not in run(*words).stderr


def test_one_deal_has_no_interval_of_points_and_is_still_json():
    result = run("match", "zsy2", "greedy", "random", "--deals", "1", "--json").stdout
    assert json.loads(result)["points_half_width_95"] is None
    assert "Infinity" not in result


def test_given_deals_and_teams(tmp_path):
    words = "match", "doudizhu", "rule", "greedy", "--deals-file", MATCH, "--rules", "base=3"
    assert json.loads(run(*words, "--json").stdout)["deals"] == 12
    result = json.loads(run(*words, "--deals", "10", "--teams", "--json").stdout)
    assert (result["games"], result["deals_file"]) == (20, str(MATCH))
    teams, tables = result["teams"], result["teams"]["tables"]
    assert tables[1]["landlord"] == tables[2]["down peasant"] == "greedy"
    assert teams["totals"] == [sum(row["score"] for row in tables if row["landlord"] == name) for name in ("rule", "greedy")]
    assert result["mean_points"] == pytest.approx((teams["totals"][0] - teams["totals"][1]) / 20)
    shown = run(*words, "--deals", "10", "--teams").stdout
    assert re.search(r"10 +│ 2 +│ greedy +│ rule +│ rule", shown)
    assert f"scores as landlord: rule {teams['totals'][0]}, greedy {teams['totals'][1]}" in shown
    assert f"{teams['winner']} wins" in shown
    many = run("match", "doudizhu", "greedy", "greedy", "--deals", "101", "--teams").stdout
    assert "down peasant" not in many
    assert many.endswith("even\n")


def test_bids_of_a_simulation():
    words = "simulate", "doudizhu", "rule", "--games", "5", "--rules", "bidding=true"
    counts = json.loads(run(*words, "--json").stdout)["bids"]["rule"]
    assert sum(counts[0]) >= 5
    assert "bids 3" in run(*words).stdout
    assert json.loads(run("simulate", "doudizhu", "rule", "--games", "2", "--json").stdout)["bids"] == {}


def test_a_test_says_who_is_better():
    words = "match", "zsy2", "greedy", "random", "--deals", "5000", "--sprt", "--gain", "0.1"
    result = json.loads(run(*words, "--json").stdout)
    assert result["sprt"]["verdict"] == "H1"
    assert result["deals"] < 500
    assert "SPRT of 0.5 against 0.6: greedy is better" in run(*words).stdout
    assert "greedy is not better" in run("match", "zsy2", "greedy", "greedy", "--sprt").stdout
    assert "more deals are needed" in run("match", "zsy2", "greedy", "paper-greedy", "--sprt", "--deals", "8").stdout


def test_a_tournament_as_json_and_as_a_table(tmp_path):
    words = "tournament", "zsy2", "random", "greedy", "paper-greedy", "--deals", "20", "--seed", "3"
    heat = tmp_path / "heat.svg"
    result = json.loads(run(*words, "--plot", str(heat), "--json").stdout)
    assert [agent["name"] for agent in result["agents"]] == ["greedy", "paper-greedy", "random"]
    assert len(result["matches"]) == 6
    assert result["agents"][0]["rating"]["games"] == 80
    assert sum(agent["mean_points"] for agent in result["agents"]) == pytest.approx(0)
    assert heat.read_text(encoding="utf-8").startswith("<?xml")
    shown = run(*words).stdout
    assert "zsy2, 60 deals, 120 games, seed 3" in shown
    assert "won against" in shown


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["match", "chess", "greedy", "random"], "no game 'chess'"),
        (["match", "zsy2", "greedy", "nobody"], "no agent 'nobody'"),
        (["match", "zsy2", "rule", "greedy"], "plays doudizhu only"),
        (["match", "zsy2", "champion/doudizhu", "greedy"], "the model was made for doudizhu"),
        (["match", "zsy2", "greedy", "random", "--deals", "0"], "--deals 0: should be greater than or equal to 1"),
        (["match", "zsy2", "greedy", "random", "--workers", "x"], "--workers x: should be a valid integer\n"),
        (["match", "zsy2", "greedy", "random", "--seed", "-1"], "seed -1"),
        (["match", "zsy2", "greedy", "random", "--sprt", "--gain", "0"], "gain 0: must be above 0"),
        (["match", "zsy4", "greedy", "random", "--sprt", "--gain", "0.8"], "gain 0.8: must be above 0 and at most 0.75"),
        (["match", "zsy2", "greedy", "random", "--rules", "decks=2"], "no rule 'decks'"),
        (["match", "doudizhu", "greedy", "random", "--deals-file", MATCH, "--deals", "13"], "deals 13: only 12 are given"),
        (["match", "zsy2", "greedy", "random", "--deals-file", MATCH], "line 4: that was a game of doudizhu, not of zsy2"),
        (["match", "zsy2", "greedy", "random", "--deals-file", "nowhere"], "cannot read nowhere"),
        (["match", "zsy2", "greedy", "random", "--teams"], "teams: zsy2 deals no landlord"),
        (["tournament", "zsy2", "greedy"], "two or more different agents"),
        (["tournament", "zsy2", "greedy", "greedy"], "two or more different agents"),
        (["tournament", "zsy2", "greedy", "random", "--deals", "0"], "--deals"),
        (["tournament", "zsy2", "greedy", "random", "--plot", "heat.pdf"], "must end in .svg or .png"),
        (["tournament", "zsy2", "greedy", "random", "--plot", "nowhere/heat.svg"], "there is no folder nowhere"),
    ],
)
def test_bad_input_is_one_clear_line(words, complaint):
    result = run(*words, code=2)
    assert complaint in result.stderr
    assert result.output.startswith("error: ")
    assert result.output.count("\n") == 1


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("words", [["match", "zsy2", "greedy", "random"], ["tournament", "zsy2", "greedy", "random"]])
def test_ctrl_c_shows_the_deals_so_far(words, workers):
    terminal = spawn(*words, "--deals", "1000000", "--workers", workers, term="xterm", columns=120)
    terminal.expect(r"[1-9]\d*/1000000")
    terminal.sendintr()
    terminal.expect("zsy2, .*[1-9]\\d* deals")
    terminal.expect("won by equals")
    terminal.expect(pexpect.EOF)
    assert "Traceback" not in terminal.before
    terminal.close()
    assert terminal.exitstatus == 0
