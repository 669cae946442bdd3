"""`model` from the command line."""

import json
from functools import partial

import pytest

from cli import running
from records.random_games import random_record
from shangyou import records
from shangyou.cli.options import console
from tiny_models import hollow_model, write_tiny

run = partial(running.run, "model")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SHANGYOU_MODELS", str(tmp_path / "models"))
    for shipped in ("CHAMPIONS", "PAPERS"):
        monkeypatch.setattr(f"shangyou.agents.models.model_files.{shipped}", tmp_path / "none")
    monkeypatch.setattr(console, "width", 200)
    return tmp_path / "models"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return write_tiny(tmp_path_factory.mktemp("tiny"), "doudizhu")


def test_add_list_and_info(tiny, folder):
    assert "there are no models" in run("list").stdout
    assert "stored as mine/first" in run("add", tiny, "--name", "mine/first").stdout
    assert "it is there already" in run("add", tiny, "--name", "mine/first", code=2).stderr
    run("add", tiny, "--name", "mine/first", "--overwrite")
    listed = run("list").stdout
    assert "mine/first" in listed
    assert "2,000,000 games in 2.0 min" in listed
    (entry,) = json.loads(run("list", "--json").stdout)
    assert (entry["name"], entry["plays_here"], entry["game"]) == ("mine/first", True, "doudizhu")
    assert json.loads(run("info", "mine/first", "--json").stdout) == entry
    told = run("info", tiny).stdout
    assert "about.progress.games  2000000" in told
    assert "encoding  1" in told


def test_what_cannot_be_played_is_listed_with_the_reason(folder):
    folder.mkdir()
    (folder / "old.onnx").write_bytes(hollow_model(table="1" * 16))
    (folder / "garbage.onnx").write_bytes(b"garbage")
    garbage, old = json.loads(run("list", "--json").stdout)
    assert not garbage["plays_here"]
    assert "table 1111" in old["fault"]
    assert "old: the model was made for doudizhu" in run("list").stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["info", "mine/none"], "there is no model 'mine/none'"),
        (["add", "none.onnx", "--name", "mine/first"], "there is no model file none.onnx"),
        (["add", "none.onnx", "--name", "a b"], "name 'a b'"),
        (["export", "/nowhere"], "has no checkpoint.pt"),
        (["export", "/nowhere", "--half"], "has no half.pt"),
    ],
)
def test_bad_input_is_one_clear_line(words, complaint):
    result = run(*words, code=2)
    assert complaint in result.stderr
    assert "Traceback" not in result.output


# -- accuracy ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def games_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "random.jsonl"
    records.write(path, [random_record("doudizhu", {}, seed) for seed in range(40)])
    return path


@pytest.fixture(scope="module")
def rocket(games_file, tmp_path_factory):
    """A run of a tiny net."""
    folder = tmp_path_factory.mktemp("rocket")
    small = [
        "size.policy.filters=4",
        "size.policy.strides=22,22",
        "size.kicker.strides=22",
        "batches=1",
        "opponents=",
        "held_out=0.4",
    ]
    settings = [word for setting in small for word in ("--set", setting)]
    words = ["train", "doudizhu", "--algorithm", "supervised", "--device", "cpu", "--out", folder, "--data", games_file]
    assert f"stored in {folder}" in running.run(*words, *settings).stderr.replace("\n", "")
    return folder


def test_accuracy_as_tables_and_as_json(rocket, games_file):
    words = ["accuracy", rocket, "--data", games_file, "--device", "cpu"]
    shown = run(*words, "--held-out", 0.4).stdout
    assert "policy: labels" in shown
    assert "with forced ones" in shown
    assert "calibration error" in shown
    held_out, everything, one = (
        json.loads(run(*words, "--json", *more).stdout)
        for more in (["--held-out", 0.4], ["--held-out", 1], ["--games", 1, "--held-out", 1])
    )
    counts = [found["policy"]["rows"][0]["count"] for found in (one, held_out, everything)]
    assert 0 < counts[0] < counts[1] < counts[2]
    assert everything["policy"]["rows"][0]["decisions"] == "2+ legal labels"
    mean, half_width = everything["policy"]["rows"][0]["accuracy"]
    assert 0 < mean < 1
    assert 0 < half_width < 0.2


def test_what_has_no_accuracy_is_said(tiny, rocket, games_file, tmp_path):
    words = ["accuracy", tiny, "--device", "cpu", "--held-out", 1, "--data"]
    assert "does not give probabilities of plays" in run(*words, games_file, code=2).stderr
    assert "there is no game of doudizhu" in run(*words, games_file, "--rules", "base=3", code=2).stderr
    assert "none.parquet" in run(*words, "none.parquet", code=2).stderr
    assert "has no checkpoint.pt" in run("accuracy", tmp_path, "--data", games_file, code=2).stderr


# -- remove -----------------------------------------------------------------------------------------------------------


def test_own_models_are_removed_with_what_bids_for_them(tiny, folder):
    run("add", tiny, "--name", "mine/first")
    run("add", tiny, "--name", "mine/second")
    (folder / "mine" / "first-bids.onnx").write_bytes(b"bids")
    assert "removed mine/first" in run("remove", "mine/first").stdout
    assert sorted(path.name for path in folder.rglob("*.onnx")) == ["second.onnx"]
    assert json.loads(run("remove", "mine/second", "--json").stdout)["removed"] == [str(folder / "mine" / "second.onnx")]
    assert "there is no model 'mine/second'" in run("remove", "mine/second", code=2).stderr


@pytest.mark.parametrize("name", ["champion/zsy2", "paper/none", "greedy"])
def test_what_comes_with_the_package_stays(name, folder):
    assert f"{name!r} comes with this package" in run("remove", name, code=2).stderr


def test_a_file_is_not_removed_by_its_path(tiny):
    assert "models are removed by the names" in run("remove", tiny, code=2).stderr
    assert tiny.exists()


def test_names_of_models_are_shown_in_full(tiny, monkeypatch):
    run("add", tiny, "--name", "my-own-folder/a-model-with-a-long-name")
    monkeypatch.setattr(console, "width", 80)
    assert "my-own-folder/a-model-with-a-long-name" in run("list").stdout
