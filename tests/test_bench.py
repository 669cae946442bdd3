"""The benchmarks measure what they say; the signatures on their page are those of today."""

import json
import re
import sys
from pathlib import Path

import numba
import pytest
from typer.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import engine as engine_bench
import measuring
import signature
import strength
from random_play import use_threads
from shangyou.cli import app, bench

sys.path.pop(0)  # there are a training.py and a search.py in it, and tests have folders of these names

PAGE = (Path(__file__).parents[1] / "docs" / "benchmarks.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Tests run side by side already."""
    before = numba.get_num_threads()
    use_threads(1)
    yield
    use_threads(before)


@pytest.mark.parametrize("name", signature.GAMES)
def test_reference_and_batch_engine_have_one_signature(name):
    game = signature.GAMES[name]()
    assert signature.reference_signature(game, 12) == signature.batch_signature(game, "cpu", 12)


def test_the_page_has_the_signatures_of_today():
    listed = dict(re.findall(r"^\| ([^|]+) \| `([0-9a-f]{16})` \|$", PAGE, re.M))
    assert listed == {name: signature.batch_signature(load(), "cpu") for name, load in signature.GAMES.items()}


def test_a_signature_tells_every_turn_and_score():
    played, scores = [[(0, 5), (1, 0)], [(1, 7)]], [(1, -1), (-1, 1)]
    changed = [
        signature.digest([[(1, 5), (1, 0)], [(1, 7)]], scores),
        signature.digest([[(0, 5), (1, 2)], [(1, 7)]], scores),
        signature.digest([[(0, 5), (1, 0), (1, 7)], []], scores),
        signature.digest(played, [(1, -1), (1, -1)]),
    ]
    assert len({signature.digest(played, scores), *changed}) == 5


def test_engines_that_differ_are_noticed():
    assert signature.agree({"game": "zsy2", "reference": "a", "cpu": "a"})
    assert not signature.agree({"game": "zsy2", "reference": "a", "cpu": "a", "cuda": "b"})


def test_numbers_are_shown_to_three_digits():
    shown = [measuring.as_text(cell) for cell in (None, "text", 1_234_567, 0.012345, 12.34, 2_345_678.9)]
    assert shown == ["-", "text", "1,234,567", "0.0123", "12.3", "2,350,000"]


def test_rows_come_ready_for_the_page():
    rows = [{"game": "zsy2", "games/s": 1234.5, "ratio": None}, {"game": "zsy4", "games/s": 2.0, "ratio": 3}]
    assert measuring.as_markdown(rows).splitlines() == [
        "| game | games/s | ratio |",
        "|---|---:|---:|",
        "| zsy2 | 1,230 | - |",
        "| zsy4 | 2.00 | 3 |",
    ]


def test_a_peer_that_is_not_installed_is_said_to_be_so():
    rows = engine_bench.add_ratios(
        [
            engine_bench.speed_row("doudizhu", engine_bench.BASELINE, "cpu", 1, 10, None, 0),
            engine_bench.speed_row("doudizhu", "shangyou", "cpu", 1, 10, 2.0, 600),
        ]
    )
    assert rows[0]["engine"].endswith("not installed")
    assert [row["ratio to OpenSpiel"] for row in rows] == [None, None]
    assert rows[1]["games/s"] == 5
    assert rows[1]["decisions/s"] == 300


def test_ratios_are_to_openspiel_in_the_same_game():
    speeds = [("doudizhu", engine_bench.BASELINE, 2.0), ("doudizhu", "shangyou", 0.5), ("zsy2", "shangyou", 0.1)]
    rows = engine_bench.add_ratios([engine_bench.speed_row(game, name, "cpu", 1, 10, s, 0) for game, name, s in speeds])
    assert [row["ratio to OpenSpiel"] for row in rows] == [1, 4, None]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of scripts in place of the real one."""
    monkeypatch.setattr(bench, "FOLDER", tmp_path)
    return tmp_path


def test_bench_without_a_source_checkout_is_one_clear_line(folder):
    result = CliRunner().invoke(app, ["bench", "engine"])
    assert result.exit_code == 2
    assert f"there is no {folder / 'engine.py'}" in result.stderr


def test_bench_gathers_json_and_hands_on_failure(folder):
    (folder / "legal.py").write_text("print('{\"rows\": []}')")
    (folder / "engine.py").write_text("raise SystemExit(1)")
    result = CliRunner().invoke(app, ["bench", "legal", "engine", "--json"])
    assert json.loads(result.stdout) == {"legal": {"rows": []}, "engine": None}
    assert result.exit_code == 1


def test_strength_goes_on_where_a_leg_ended_and_plays_each_match_once(tmp_path, monkeypatch, capsys):
    size = ["size.trunk=32", "size.trunk_depth=1", "size.head=16", "size.head_depth=1", "size.turns=0"]
    monkeypatch.setitem(
        strength.STUDIES, "units", {"plain": size, "norm": [*size, "size.norm=true"], "bias": [*size, "bias=0.5"]}
    )
    short = ["rules=cards_each=5", "batches=3", "untimed=0", "batch=32", "minibatch=32", "checkpoint_seconds=0", "eval_deals=2"]
    words = ["strength.py", "units", "--game", "zsy2", "--device", "cpu", "--folder", str(tmp_path), "--against", "greedy"]
    words += ["--deals", "30", "--unit-games", "4", "--lean", "--json", "--set", *short]

    def run(*more: str):
        monkeypatch.setattr(sys, "argv", [*words, *more])
        strength.main()
        return capsys.readouterr()

    assert "1 of 3 runs" in run("--leg", "0").err
    first = tmp_path / "zsy2-units" / "plain-3-min"
    stored = strength.load_checkpoint(first)
    assert stored["progress"]["iterations"] == 0
    assert "optimiser" not in stored
    plot = tmp_path / "strength.svg"
    rows = json.loads(run("--plot", str(plot)).out)["rows"]
    assert strength.load_checkpoint(first)["progress"]["iterations"] == 3
    assert [row["run"] for row in rows] == ["plain, 3 min", "norm, 3 min", "bias, 3 min"]
    assert sum(row["won, same length"] for row in rows) == pytest.approx(1.5)
    assert all(0 <= row["silent, trunk"] <= 1 and row["±"] > 0 for row in rows)
    assert plot.is_file()
    monkeypatch.setattr(strength.Study, "match", None)  # all is stored
    assert json.loads(run().out)["rows"] == rows
