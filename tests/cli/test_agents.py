"""`agents`, `--version` and completion from the command line."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.running import run
from shangyou import agents, games
from shangyou.agents.catalogue import agent_names, sentence_of
from shangyou.cli import app
from shangyou.cli.options import console
from shangyou.evaluation.strength import bot_ratings, duels_of
from tiny_models import write_tiny

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder of own models with one in it."""
    monkeypatch.setenv("SHANGYOU_MODELS", str(tmp_path))
    (tmp_path / "mine").mkdir()
    write_tiny(tmp_path, "zsy2").rename(tmp_path / "mine" / "first.onnx")


def test_every_agent_has_a_sentence_and_its_games(own, monkeypatch):
    rows = {row["name"]: row for row in json.loads(run("agents", "--json").stdout)}
    assert set(rows) == {*agents.names(), "mine/first"}
    assert all(row["sentence"].strip() for row in rows.values())
    for game in games.names():
        listed = [name for name, row in rows.items() if game in row["games"] and name != "mine/first"]
        assert listed == agents.names(games.load(game))
    assert rows["mine/first"]["games"] == ["zsy2"]
    assert "2,000,000 games" in rows["mine/first"]["sentence"]
    monkeypatch.setattr(console, "width", 120)
    shown = run("agents").stdout
    assert all(name in shown for name in rows)
    assert "rlcard-rule 0.905" in shown


def test_agents_of_one_game(own):
    rows = json.loads(run("agents", "doudizhu", "--json").stdout)
    names = [row["name"] for row in rows]
    assert names == agents.names(games.load("doudizhu"))
    assert "mine/first" in [row["name"] for row in json.loads(run("agents", "zsy2", "--json").stdout)]
    (champion,) = [row["ratings"] for row in rows if row["name"] == "champion/doudizhu"]
    measured = {rules: bot_ratings(games.load_text("doudizhu", rules))["champion/doudizhu"] for rules in ("", "bidding=true")}
    assert {one["rules"]: one["mu"] for one in champion} == {rules: rating.mu for rules, rating in measured.items()}
    assert all(f"{rating.mu:.1f} {rules}" in run("agents", "doudizhu").stdout for rules, rating in measured.items())
    assert "no game 'chess'" in run("agents", "chess", code=2).stderr


@pytest.mark.parametrize("name", agents.names())
def test_measured_strength_is_that_of_the_docs(name):
    """The same figure and interval stand in a line of the docs that names both agents."""
    lines = [line for page in ("results", "training", "lab") for line in (DOCS / f"{page}.md").read_text().splitlines()]
    for one in duels_of(name):
        low, high = one.interval
        figure = re.compile(rf"{one.won:.3f}\W+\({low:.3f} \.\. {high:.3f}\)")
        naming = [line for line in lines if figure.search(line) and name.removeprefix("paper/") in line]
        assert any(one.against in line or name.startswith("paper/") for line in naming), (name, one)
    assert sentence_of(name)


def test_version():
    assert re.fullmatch(r"shangyou \d+\.\d+\.\d+\n", run("--version").stdout)


@pytest.mark.parametrize(
    ("typed", "offered", "not_offered"),
    [
        ("shangyou match zs", ["zsy2", "zsy4"], ["doudizhu"]),
        ("shangyou match doudizhu r", ["random", "rule", "rlcard-rule"], ["greedy"]),
        ("shangyou match zsy2 champion/zsy2 p", ["paper-greedy", "paper/taught"], ["paper/ddqn-pool", "rule"]),
        ("shangyou play zsy4 --against paper/", ["paper/ddqn-pool"], ["greedy"]),
        ("shangyou bot --agent mi", ["mine/first"], ["greedy"]),
        ("shangyou model remove ", ["mine/first"], ["champion/zsy2"]),
        ("shangyou agents ", ["zsy2", "zsy4", "doudizhu"], []),
    ],
)
def test_the_shell_completes_games_and_agents(own, typed, offered, not_offered):
    """As bash asks for it."""
    words = typed.split(" ")
    asked = {"_SHANGYOU_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    done = CliRunner().invoke(app, [], env=asked, prog_name="shangyou")
    found = done.stdout.split()
    assert set(offered) <= set(found)
    assert not set(not_offered) & set(found)
    assert set(found) <= {*agent_names(), *games.names()}
