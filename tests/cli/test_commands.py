"""`games`, `legal` and `simulate` from the command line."""

import json

import pytest

from cli.running import run


def test_games_as_json():
    games = {game["name"]: game for game in json.loads(run("games", "--json").stdout)}
    assert games["zsy2"]["plays"] == 9076
    assert games["zsy2"]["deals"] == 151632049354500
    assert games["doudizhu"]["plays"] == 27472
    assert games["doudizhu"]["patterns"]["plane+solos"] == 21822
    assert games["zsy4"]["seats"] == 4


def test_games_as_a_table_and_under_other_rules():
    assert "27,472 plays with PASS" in run("games").stdout
    (game,) = json.loads(run("games", "zsy4", "--rules", "decks=2", "--json").stdout)
    assert game["patterns"]["bomb x8"] == 13
    assert "--rules needs a game" in run("games", "--rules", "decks=2", code=2).stderr


def test_legal_plays_to_lead_and_to_follow():
    plays = json.loads(run("legal", "zsy2", "--hand", "33445", "--json").stdout)
    assert [play["label"] for play in plays] == ["3", "4", "5", "33", "44", "3344"]
    assert plays[-1]["pattern"] == "chain 2-2"
    assert "44" in run("legal", "zsy2", "--hand", "33445", "--last", "33").stdout
    plays = json.loads(run("legal", "zsy4", "--hand", "3s4s5s5h", "--last", "345", "--json").stdout)
    assert [(play["label"], play["cards"]) for play in plays] == [("pass", ""), ("345♠", "3s4s5s")]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["legal", "chess", "--hand", "3"], "no game 'chess'"),
        (["legal", "zsy2", "--hand", "33333"], "more than 4 of 3"),
        (["legal", "zsy2", "--hand", "3z"], "'z' is no card"),
        (["legal", "zsy2", "--hand", ""], "has 0 cards"),
        (["legal", "doudizhu", "--hand", "3333444455556666777788"], "has 22 cards; in doudizhu a hand has 1 to 20"),
        (["legal", "zsy2", "--hand", "34", "--last", "446"], "446 is no play of zsy2"),
        (["legal", "zsy2", "--hand", "3334", "--last", "33"], "3 too many in the deck"),
        (["legal", "zsy4", "--hand", "34"], "3 needs a suit"),
        (["legal", "zsy2", "--hand", "3", "--rules", "decks=2"], "no rule 'decks'"),
        (["simulate", "zsy2", "greedy", "alphazero"], "no agent 'alphazero'"),
        (["simulate", "zsy4", "paper-greedy"], "plays zsy2 only"),
        (["solve", "zsy2", "--hands", "45S / 4X"], "cards '4X': 'X' is no card"),
        (["simulate", "zsy2", "greedy", "greedy", "greedy"], "3 agents for 2 seats"),
        (["simulate", "zsy2", "greedy", "--seed", "-4"], "seed -4"),
        (["play", "zsy2", "--seat", "2"], "seats 0..1"),
        (["play", "zsy2", "--against", "nobody"], "no agent 'nobody'"),
    ],
)
def test_bad_input_is_one_clear_line(words, complaint):
    result = run(*words, code=2)
    assert complaint in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--nosuch"], "no such option: --nosuch"),
        (["nosuch"], "no such command 'nosuch'"),
        (["record", "nosuch"], "no such command 'nosuch'"),
        (["legal", "zsy2"], "missing option '--hand'"),
        (["legal"], "missing argument 'GAME'"),
        (["suggest", "zsy2", "--hand", "3", "--top", "0"], "--top 0: should be greater than or equal to 1"),
        (["serve", "--port", "99999"], "--port 99999: should be less than or equal to 65535"),
        (["bench", "speed"], "BENCHMARK speed: 'speed' is not one of 'signature',"),
        (["simulate", "zsy2", "greedy", "--games"], "option '--games' requires an argument"),
    ],
)
def test_a_wrong_option_is_one_clear_line(words, complaint):
    result = run(*words, code=2)
    assert result.output.startswith(f"error: {complaint}")
    assert result.output.count("\n") == 1


def test_a_group_without_a_command_shows_its_help():
    assert "Stored games" in run("record", code=2).stdout


def test_simulate_counts_games():
    result = json.loads(run("simulate", "zsy2", "greedy", "random", "--games", "20", "--seed", "3", "--json").stdout)
    assert result["games"] == 20
    assert sum(seat["wins"] for seat in result["seats"]) == 20
    low, high = result["seats"][0]["win_interval_95"]
    assert low <= result["seats"][0]["win_rate"] <= high
    assert "plays and passes a game" in run("simulate", "zsy4", "random", "--games", "2").stdout
