"""`suggest` from the command line."""

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shangyou.cli import app
from shangyou.cli.options import console
from tiny_models import write_tiny

HAND = "4 5 66 7 8 9 T JJ QQ K A 2 B S"
DOUDIZHU = f'suggest doudizhu --hand "{HAND}" --role before --public 444 --played " / 3 4 / " --last 4 --last-by 1'
ZSY2 = 'suggest zsy2 --hand "3 55 8" --played "66 77 88 99 TT JJ QQ / 33 44 9" --last 9'


@pytest.fixture(autouse=True)
def no_champions(tmp_path, monkeypatch):
    monkeypatch.setattr("shangyou.agents.models.model_files.CHAMPIONS", tmp_path / "none")
    monkeypatch.setattr(console, "width", 200)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return write_tiny(tmp_path_factory.mktemp("tiny"), "doudizhu")


def run(line, *words, code=0):
    result = CliRunner().invoke(app, [*shlex.split(line), *map(str, words)])
    assert result.exit_code == code, result.output
    return result


def test_the_position_and_its_plays():
    shown = run(ZSY2).stdout
    assert "zsy2: 3558, 9 of seat 1 is to be beaten, the others hold 13 of" in shown
    assert "by greedy" in shown
    assert "value" in shown


def test_what_a_net_expects(tiny):
    told = json.loads(run(DOUDIZHU, "--agent", tiny, "--json", "--top", 4).stdout)
    assert told["agent"] == str(tiny)
    values = [one["value"] for one in told["suggestions"]]
    assert values == sorted(values, reverse=True)
    assert len(values) == 4
    assert all(0 < one["win"] < 1 for one in told["suggestions"])
    for_points, as_before = (run(DOUDIZHU, "--agent", tiny, option, "points", "--json") for option in ("--objective", "--aim"))
    points = [one["points"] for one in json.loads(for_points.stdout)["suggestions"]]
    assert points == sorted(points, reverse=True)
    assert as_before.stdout == for_points.stdout
    shown = run(DOUDIZHU, "--agent", tiny, "--top", 2).stdout
    assert "seat 1 is the landlord, the others hold 18 and 17" in shown
    assert "wins" in shown
    assert "more: --top" in shown


def test_the_champion_advises_where_there_is_one(tiny, monkeypatch):
    monkeypatch.setattr("shangyou.agents.models.model_files.CHAMPIONS", tiny.parent)
    assert json.loads(run(DOUDIZHU, "--json").stdout)["agent"] == "champion/doudizhu"


def test_a_history_says_all():
    line = f'suggest doudizhu --hand "{HAND}" --public 444 --history'
    assert "3 of seat 2 is to be beaten, seat 2 is the landlord, the others hold 17 and 19 of" in run(line, "3").stdout
    assert "3 of seat 1 is to be beaten, seat 1 is the landlord, the others hold 19 and 17 of" in run(line, "3 pass").stdout
    assert ": 4 (solo) is not higher than 5" in run(line, "5 4", code=2).stderr


def test_the_examples_of_the_page(capsys):
    page = (Path(__file__).parents[2] / "docs" / "suggest.md").read_text()
    (command,) = re.findall(r"```\nshangyou (suggest .*?)```", page, re.DOTALL)
    assert "45678" in run(command.replace("\\\n", "")).stdout
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out.split()[:3] == ["TJQKA", "-0.02", "None"]


def test_suits_are_shown():
    shown = run('suggest zsy4 --hand "3s4s5s6h7h9dTdJdQcKcA♠2hB" --left "14 14 13"').stdout
    assert "3s4s5s" in shown
    assert "345♠" in shown


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (f"{ZSY2} --left many", "left 'many': a number of cards"),
        (f"{ZSY2} --agent nobody", "there is no agent 'nobody'"),
        (f"{ZSY2} --agent rule", "plays doudizhu only"),
        (f"{ZSY2} --objective points", "there is no agent 'greedy:points'"),
        (f"{ZSY2} --agent champion/zsy2", "there is no model 'champion/zsy2'"),
        ("suggest zsy2 --hand 3", "1 card in the hand and 0 played by you are 1; you started with 18"),
        ("suggest chess --hand 3", "no game 'chess'"),
    ],
)
def test_bad_input_is_one_clear_line(line, complaint):
    result = run(line, code=2)
    assert complaint in result.stderr
    assert "Traceback" not in result.output
