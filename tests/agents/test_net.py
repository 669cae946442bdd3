"""Nets at the table: an exported model says what the net says, one by one and in batches, and refuses what it is not for."""

from random import Random

import numpy as np
import pytest
import torch

from shangyou import agents, games
from shangyou.agents.models.model_files import find_model, is_model, list_models
from shangyou.agents.models.net_agent import Model, NetAgent
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine
from shangyou.games import PASS, BadInput
from shangyou.nets.inputs import inputs_of
from shangyou.nets.spec import OBJECTIVES
from shangyou.testing import check_agent
from tiny_models import hollow_model, tiny_net, write_tiny

GAMES = [("zsy2", {}), ("zsy4", {"decks": 2}), ("doudizhu", {})]
CLOSE = {"rtol": 1e-3, "atol": 1e-3}  # a model keeps its weights in half precision


@pytest.fixture(scope="module", params=GAMES, ids=lambda game: game[0])
def game_and_model(request, tmp_path_factory):
    name, rules = request.param
    return games.load(name, **rules), write_tiny(tmp_path_factory.mktemp("models"), name, **rules)


def net_says(game, state, engine, objective):
    """What the torch net expects of all legal plays of a batch, [N, 2]."""
    legal = engine.legal(state)
    seen = inputs_of(engine.view(state), torch.full((len(legal.starts) - 1,), OBJECTIVES.index(objective)))
    with torch.no_grad():
        net = tiny_net(game.name, **game.rules.changes())
        return torch.stack(net(seen, legal.rows.long(), legal.plays.long()), 1).numpy()


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_model_agrees_with_its_net_through_whole_games(game_and_model, objective):
    """The net sees the batch engine's words, the model the reference engine's views."""
    game, path = game_and_model
    agent, engine, choose = NetAgent(path, "tiny", objective), BatchEngine(game, "cpu"), Random(objective)
    state, twins = engine.deal(6, 11), [reference.deal(game, 11, i) for i in range(6)]
    compared = 0
    while len(state.running):
        running = [twins[i] for i in state.running.tolist()]
        views, legals = [reference.view(twin) for twin in running], [reference.legal(twin) for twin in running]
        if compared % 4 == 0:
            found = np.concatenate([np.stack([one.win, one.points], 1) for one in agent.estimate_many(views, legals)])
            np.testing.assert_allclose(found, net_says(game, state, engine, objective), **CLOSE)
        chosen = [choose.choice(legal.tolist()) for legal in legals]
        for i, play in zip(state.running.tolist(), chosen, strict=True):
            twins[i] = reference.step(twins[i], play)
        state, compared = engine.step(state, torch.tensor(chosen)), compared + 1
    assert compared > 20


def positions(game, deals=4):
    found = []
    for index in range(deals):
        choose, state = Random(index), reference.deal(game, 3, index)
        while not state.over:
            legal = reference.legal(state)
            found.append((reference.view(state), legal))
            state = reference.step(state, choose.choice(legal.tolist()))
    return found[::3]


def test_many_at_once_are_as_one_by_one(game_and_model):
    game, path = game_and_model
    agent = NetAgent(path, "tiny")
    views, legals = zip(*positions(game), strict=True)
    assert agent.act_many(views, legals) == [agent.act(view, legal) for view, legal in zip(views, legals, strict=True)]
    assert agent.act_many([], []) == []


def test_the_objective_decides_the_choice(game_and_model):
    game, path = game_and_model
    for view, legal in positions(game, 1)[:5]:
        for objective in OBJECTIVES:
            agent = agents.load(f"{path}:{objective}", game)
            expected = getattr(agent.estimate(view, legal), objective)
            np.testing.assert_allclose(agent.values(view, legal), expected, atol=0.01)  # points break ties of winning


def test_a_net_keeps_the_rules_of_agents(game_and_model):
    game, path = game_and_model
    check_agent(lambda: agents.load(str(path), game), game, games=2)


def test_suggestions_say_what_the_net_expects(game_and_model):
    game, path = game_and_model
    agent = agents.load(str(path), game)
    view, legal = next(pair for pair in positions(game, 1) if len(pair[1]) > 3 and pair[1][0] != PASS)
    found = agents.suggest(view, agent)
    assert found[0].play == agent.act(view, legal)
    assert sorted(one.play for one in found) == legal.tolist()
    assert [one.value for one in found] == sorted((one.value for one in found), reverse=True)
    expected = dict(zip(legal.tolist(), zip(*agent.estimate(view, legal)[1:], strict=True), strict=True))
    assert all((one.win, one.points) == expected[one.play] for one in found)
    assert all(one.label == game.table.labels[one.play] for one in found)


def test_suggestions_of_agents_without_forecasts():
    view = reference.view(reference.deal(games.load("zsy2"), 4))
    found = agents.suggest(view, agents.load("greedy"))
    assert [one.value for one in found] == sorted((one.value for one in found), reverse=True)
    assert {(one.win, one.points) for one in found} == {(None, None)}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "model .*bad.onnx: "),
        (b"no model at all", "model .*bad.onnx: "),
        (hollow_model(table=None), "does not say what it is: its metadata has"),
        (hollow_model(turns="five"), "does not say what it is"),
        (hollow_model(colour="red"), "does not say what it is"),
        (hollow_model(kind="bids"), "is a bids model, not a value model"),
    ],
)
def test_files_that_are_no_models_for_this_version(tmp_path, content, complaint):
    path = tmp_path / "bad.onnx"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=complaint):
        Model(path)


def test_a_model_for_another_table_is_refused(tmp_path):
    path = tmp_path / "other.onnx"
    path.write_bytes(hollow_model(table="0" * 16))
    with pytest.raises(BadInput, match=r"made for doudizhu .*, table 0000.*this is doudizhu"):
        agents.load(str(path), games.load("doudizhu"))
    with pytest.raises(BadInput, match=r"made for doudizhu .*this is zsy2"):
        NetAgent(path, "other").act(reference.view(reference.deal(games.load("zsy2"), 0)), np.array([1]))


def test_unknown_objectives_are_refused(tmp_path):
    path = tmp_path / "hollow.onnx"
    path.write_bytes(hollow_model())
    with pytest.raises(BadInput, match="objective 'glory': a net plays for win or points"):
        agents.load(f"{path}:glory")


def test_names_of_models(tmp_path, monkeypatch):
    monkeypatch.setenv("SHANGYOU_MODELS", str(tmp_path))
    for name in ("second", "mine/third", "mine/third-bids"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.onnx").write_bytes(hollow_model())
    own = [name for name in list_models() if not name.startswith(("champion/", "paper/"))]
    assert own == ["mine/third", "second"]
    assert is_model("second:points")
    assert not is_model("first")
    assert find_model("mine/third") == tmp_path / "mine" / "third.onnx"
    assert agents.load("second:points", games.load("doudizhu")).name == "second:points"
    with pytest.raises(BadInput, match=r"no model 'mine/first'; there are .*mine/third"):
        agents.load("mine/first")
    with pytest.raises(BadInput, match="no model file"):
        agents.load(str(tmp_path / "fourth.onnx"))


def test_the_strongest_is_the_champion_where_it_knows_the_rules(tmp_path, monkeypatch):
    monkeypatch.setattr("shangyou.agents.models.model_files.CHAMPIONS", tmp_path)
    assert agents.strongest(games.load("doudizhu")) == "rule"
    (tmp_path / "doudizhu.onnx").write_bytes(hollow_model())
    (tmp_path / "zsy2.onnx").write_bytes(hollow_model(game="zsy2", table="0" * 16))
    assert agents.strongest(games.load("doudizhu", spring=True)) == "champion/doudizhu"
    assert agents.strongest(games.load("zsy2")) == "greedy"
    assert "champion/zsy2" in agents.names(games.load("zsy2"))
