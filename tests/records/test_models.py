"""Models kept on disk: what is taken in, what is refused, and runs made into models."""

import re

import onnx
import pytest
import torch

from shangyou import agents, games
from shangyou.engines import reference
from shangyou.games import BadInput
from shangyou.nets.value_net import Size
from shangyou.records import models
from shangyou.records.runs import CHECKPOINT
from shangyou.training import dmc
from shangyou.training.algorithm import Progress, checkpoint
from tiny_models import hollow_model, write_tiny

GAME = games.load("doudizhu")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "models"
    monkeypatch.setenv("SHANGYOU_MODELS", str(folder))
    return folder


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return write_tiny(tmp_path_factory.mktemp("tiny"), "doudizhu")


def own():
    return [model for model in models.stored_models() if not model.name.startswith(("champion/", "paper/"))]


def test_a_model_is_taken_in_and_plays(tiny, folder):
    assert models.add(tiny, "mine/first") == folder / "mine" / "first.onnx"
    (kept,) = own()
    assert (kept.name, kept.fault, kept.size, kept.info.game) == ("mine/first", "", tiny.stat().st_size, "doudizhu")
    assert models.training_of(kept.info) == "2,000,000 games in 2.0 min; won against greedy 0.750"
    state = reference.deal(GAME, 1)
    assert agents.load("mine/first", GAME).act(reference.view(state), reference.legal(state))


def test_nothing_is_overwritten_unasked(tiny, folder):
    models.add(tiny, "first")
    (folder / "first.onnx").write_bytes(b"old")
    with pytest.raises(BadInput, match="it is there already"):
        models.add(tiny, "first")
    models.add(tiny, "first", overwrite=True)
    assert (folder / "first.onnx").read_bytes() == tiny.read_bytes()
    assert [path.name for path in folder.iterdir()] == ["first.onnx"]


def test_the_model_that_bids_comes_along(tiny, tmp_path, folder):
    source = tmp_path / "two.onnx"
    source.write_bytes(tiny.read_bytes())
    (tmp_path / "two-bids.onnx").write_bytes(hollow_model(kind="bids"))
    models.add(source, "mine/two")
    assert sorted(path.name for path in (folder / "mine").iterdir()) == ["two-bids.onnx", "two.onnx"]
    assert [model.name for model in own()] == ["mine/two"]
    models.add(tiny, "mine/two", overwrite=True)
    assert [path.name for path in (folder / "mine").iterdir()] == ["two.onnx"]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a/b/c",
        "../up",
        "/tmp/x",
        "a b",
        "mine/",
        "champion/zsy2",
        "champion",
        "paper/mine",
        "greedy",
        "x-bids",
        "a:points",
        "x.onnx",
    ],
)
def test_names_that_are_refused(name, tiny):
    with pytest.raises(BadInput, match=r"^name "):
        models.add(tiny, name)
    assert own() == []


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "there is no model file"),
        (b"", "model .*given"),
        (b"garbage" * 100, "model .*given"),
        (hollow_model(table=None), "does not say what it is"),
        (hollow_model(kind="bids"), "is a bids model"),
        (hollow_model(asks="wind"), "the model asks for wind, which this version does not supply"),
        (hollow_model(table="1" * 16), "table 1111"),
        (hollow_model(game="chess"), "there is no game 'chess'"),
        (hollow_model(rules="wild=true"), "has no rule 'wild'"),
        (hollow_model(), "does not answer as a doudizhu model should"),
    ],
)
def test_what_is_no_model_is_not_taken_in(tmp_path, content, complaint):
    path = tmp_path / "given"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadInput, match=complaint):
        models.add(path, "mine/first")
    assert own() == []


def test_the_list_says_what_cannot_be_played(folder):
    folder.mkdir()
    (folder / "garbage.onnx").write_bytes(b"garbage")
    (folder / "old.onnx").write_bytes(hollow_model(table="1" * 16, about={"progress": "much"}))
    garbage, old = own()
    assert garbage.info is None
    assert "garbage.onnx" in garbage.fault
    assert old.info.table == "1" * 16
    assert "table 1111" in old.fault
    assert models.training_of(old.info) == ""


def test_the_nets_of_the_papers_play_and_say_where_they_come_from():
    historical = [model for model in models.stored_models() if model.name.startswith("paper/")]
    names = {model.name.removeprefix("paper/") for model in historical}
    assert {"deep-q-2", "old-dqn", "td-linear", "convnet2", "convnet2-as-run", "min6", "mean6", "conv-lstm", "taught"} < names
    numbered = [int(model.name.removeprefix("paper/densenet")) for model in historical if "densenet" in model.name]
    assert numbered == sorted(numbered)
    assert max(numbered) > 9
    for model in historical:
        assert model.fault == ""
        assert model.info.game == model.path.parent.name
        command, figures = r"shangyou lab [a-z-]+ --scale paper --seed 0", r"[\d,]+ games in [\d.]+ min; won against .*"
        assert re.fullmatch(f"{command}|{figures}", models.training_of(model.info))
        game = games.load(model.info.game)
        state = reference.deal(game, 1)
        legal = reference.legal(state)
        assert agents.load(model.name, game).act(reference.view(state), legal) in legal
        assert model.name in agents.names(game)


def test_a_folder_that_cannot_be_made(tiny, folder):
    folder.write_text("a file")
    with pytest.raises(BadInput, match=r"cannot add .* as mine/first"):
        models.add(tiny, "mine/first")


def test_a_model_of_an_older_encoding_plays(tiny, tmp_path):
    """Its encoder is inside the file, so that the number is only for people."""
    model = onnx.load(tiny)
    (says,) = [entry for entry in model.metadata_props if entry.key == "encoding"]
    says.value = "0"
    onnx.save(model, tmp_path / "old.onnx")
    assert models.check_plays(tmp_path / "old.onnx").encoding == 0
    now, old = (agents.load(str(path), GAME) for path in (tiny, tmp_path / "old.onnx"))
    state = reference.deal(GAME, 3)
    question = reference.view(state), reference.legal(state)
    assert now.values(*question).tolist() == old.values(*question).tolist()


@pytest.fixture
def run(tmp_path):
    """The folder of a run that has just begun."""
    args = dmc.Args("zsy2", rules="cards_each=6", size=Size(trunk=16, trunk_depth=1, head=16, head_depth=1, turns=2))
    net = dmc.make_net(args, args.load_game())
    kept = checkpoint("dmc", args, Progress(games=12), {"net": net.state_dict()})
    path = tmp_path / "run"
    path.mkdir()
    torch.save(kept, path / CHECKPOINT)
    return path


def test_a_run_becomes_a_model(run):
    path = models.export(run, prune_games=50)["net"]
    assert path == run / "model.onnx"
    kept = models.StoredModel.of("run", path)
    assert kept.fault == ""
    assert kept.info.about["training"]["rules"] == "cards_each=6"
    assert kept.info.about["progress"]["games"] == 12
    assert all(0 < units <= 16 for layers in kept.info.about["units"].values() for units in layers)
    assert models.check_plays(path).rules.startswith("cards_each=6")
    with pytest.raises(BadInput, match="it is there already"):
        models.export(run)
    whole = models.export(run, run / "whole.onnx", prune_games=0)["net"]
    assert "units" not in models.StoredModel.of("whole", whole).info.about
    assert whole.stat().st_size > path.stat().st_size


@pytest.mark.parametrize(("kept", "complaint"), [({"args": {}}, "holds no checkpoint"), ([1, 2], "holds no checkpoint")])
def test_other_files_of_torch_are_no_runs(tmp_path, kept, complaint):
    torch.save(kept, tmp_path / CHECKPOINT)
    with pytest.raises(BadInput, match=complaint):
        models.export(tmp_path)


def test_folders_without_a_run_stay_as_they_are(tmp_path):
    with pytest.raises(BadInput, match=r"has no checkpoint\.pt"):
        models.export(tmp_path / "nowhere", tmp_path / "model.onnx")
    (tmp_path / CHECKPOINT).write_bytes(b"garbage")
    with pytest.raises(BadInput, match="is no checkpoint"):
        models.export(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [CHECKPOINT]
