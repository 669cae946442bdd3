"""`train` and `curves` from the command line; the loop itself is tested with the training code."""

import json

import pytest

from cli.running import run


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["zsy3"], "there is no game 'zsy3'"),
        (["zsy2", "--rules", "cards=3"], "cards"),
        (["zsy2", "--device", "tpu"], "error: device 'tpu': cpu, cuda or auto\n"),
        (["zsy2", "--device", "cuda:99"], "CUDA devices here"),
        (["zsy2", "--resume"], "is no folder of a run: it has no checkpoint.pt"),
        (
            ["zsy2", "--device", "cpu", "--against", "nowhere"],
            "error: nowhere is no folder of a run: it has no checkpoint.pt\n",
        ),
        (["zsy2", "--device", "cpu", "--sparring", "rule"], "plays doudizhu only"),
        (["zsy2", "--device", "cpu", "--set", "depth=3"], "setting 'depth=3'"),
        (["zsy2", "--algorithm", "ppo"], "there are dmc, reinforce, ddqn"),
        (["zsy2", "--algorithm", "td-linear", "--minutes", "3"], "--minutes: td-linear has no such setting; it has game,"),
        (["zsy2", "--algorithm", "population", "--set", "nets=all"], "nets 'all': there are experiment-1"),
        (["doudizhu", "--algorithm", "bids"], "player=RUN names the run"),
        (["doudizhu", "--algorithm", "supervised", "--device", "cpu"], "there are no games to learn from"),
        (["doudizhu", "--algorithm", "supervised", "--device", "cpu", "--data", "none.parquet"], "none.parquet"),
        (["zsy2", "--device", "cpu", "--data", "zsy2.parquet"], "--data: dmc has no such setting"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(words, reason, tmp_path):
    result = run("train", *words, "--out", str(tmp_path / "run"), code=2)
    assert reason in result.output
    assert result.output.startswith("error: ")
    assert result.output.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_run_is_not_overwritten(tmp_path):
    (tmp_path / "checkpoint.pt").write_bytes(b"precious")
    assert "--resume goes on with it" in run("train", "zsy2", "--out", str(tmp_path), code=2).output
    assert (tmp_path / "checkpoint.pt").read_bytes() == b"precious"
    assert "is no checkpoint" in run("train", "zsy2", "--out", str(tmp_path), "--resume", code=2).output


def test_old_names_of_settings_are_understood_and_a_run_goes_on(tmp_path):
    words = ["train", "zsy2", "--algorithm", "td-linear", "--device", "cpu", "--rules", "cards_each=5", "--out", str(tmp_path)]
    small = ["--keep-seconds", "0", "--set", "gauge_games=5", "--set", "games=16"]
    assert "against random" in run(*words, *small, "--set", "batches=1").output
    stored = json.loads((tmp_path / "args.json").read_text())
    assert (stored["eval_deals"], stored["checkpoint_seconds"]) == (5, 0)
    assert "other games" in run(*words, "--resume", "--set", "games=8", code=2).output
    assert "not a dmc run" in run("train", "zsy2", "--algorithm", "dmc", "--resume", "--out", str(tmp_path), code=2).output
    run("train", "zsy2", "--resume", "--out", str(tmp_path), "--device", "cpu")


def test_curves_are_drawn(tmp_path):
    points = [{"seconds": 60 * i, "strength": {"random": [0.5 + i / 10, 0.0]}} for i in range(4)]
    curve = tmp_path / "first.curve.jsonl"
    curve.write_text("".join(json.dumps(point) + "\n" for point in points))
    run("curves", str(curve), "--plot", str(tmp_path / "c.svg"))
    drawn = (tmp_path / "c.svg").read_text()
    assert drawn.startswith("<?xml")
    assert "first, 0.800 at the end" in drawn


def test_curves_that_are_none_are_named(tmp_path):
    (tmp_path / "bad.jsonl").write_text("{half")
    (tmp_path / "empty.jsonl").write_text("")
    assert "is no learning curve" in run("curves", str(tmp_path / "bad.jsonl"), code=2).output
    nowhere = tmp_path / "nowhere"
    assert run("curves", str(nowhere), code=2).output == f"error: cannot read {nowhere}: No such file or directory\n"
    assert "nothing to plot" in run("curves", str(tmp_path / "empty.jsonl"), code=2).output
