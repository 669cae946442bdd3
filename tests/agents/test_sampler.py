"""The sampler: plays in proportion to exp(win chance / temperature), by a seed, from any agent that knows win chances."""

from __future__ import annotations

import pytest
import torch

from recorded_games import record
from shangyou import games
from shangyou.agents.batch import load_batch
from shangyou.agents.batch.exploring import Sampler
from shangyou.agents.batch.onnx_model import OnnxBatchAgent, net_on_device
from shangyou.agents.models.model_files import find_model
from shangyou.agents.models.net_agent import NetAgent
from shangyou.engines.batch import BatchEngine
from shangyou.games import BadInput

CPU = torch.device("cpu")
ENGINE = BatchEngine(games.load("zsy2"))
CHAMPION = load_batch("champion/zsy2", ENGINE.game)


def sampler(temperature: float, seed: int) -> Sampler:
    agent = Sampler(CHAMPION, CPU, temperature)
    agent.generator.manual_seed(seed)
    return agent


def test_plays_are_drawn_as_often_as_the_temperature_says():
    draws, temperature = 3000, 0.05
    state = ENGINE.deal_these(torch.full((draws,), 3), 1)
    view, legal = ENGINE.view(state), ENGINE.legal(state)
    one = slice(0, int(legal.starts[1]))
    chances = (CHAMPION.win_chances(view, legal)[one] / temperature).softmax(0)
    made = sampler(temperature, 7).act(view, legal)
    shares = torch.stack([(made == play).double().mean() for play in legal.plays[one]])
    assert (shares - chances).abs().max() < 4 * 0.5 / draws**0.5
    assert chances.max() - chances.min() > 0.05


def test_a_seed_gives_the_same_games_and_another_seed_others():
    first, again, other = (record(ENGINE, [sampler(0.1, seed)] * 2, 30, 5).play for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert first.tolist() != other.tolist()


def test_a_low_temperature_plays_the_best():
    best, low = (record(ENGINE, [agent] * 2, 20, 5) for agent in (CHAMPION, sampler(1e-9, 1)))
    same = sum(best.of_game(i) == low.of_game(i) for i in range(20))
    assert same >= 18  # win chances may tie where points do not


def test_a_net_in_torch_knows_the_same_win_chances():
    path = find_model("champion/zsy2")
    agent = net_on_device(ENGINE.game, NetAgent(path, "champion/zsy2"), path, CPU)
    state = ENGINE.deal(50, 2)
    view, legal = ENGINE.view(state), ENGINE.legal(state)
    torch.testing.assert_close(agent.win_chances(view, legal).double(), CHAMPION.win_chances(view, legal), rtol=0, atol=1e-5)


def test_a_model_that_torch_cannot_load_plays_on_onnxruntime():
    assert isinstance(load_batch("paper/convnet2", ENGINE.game, device="cuda"), OnnxBatchAgent)


def test_agents_without_win_chances_are_refused():
    state = ENGINE.deal(2, 1)
    for name in ("greedy", "mean:champion/zsy2,paper/convnet2"):
        with pytest.raises(BadInput, match="does not estimate win chances"):
            Sampler(load_batch(name, ENGINE.game), CPU).act(ENGINE.view(state), ENGINE.legal(state))


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("inf"), float("nan")])
def test_temperatures_that_are_none(temperature):
    with pytest.raises(BadInput, match="temperature"):
        Sampler(CHAMPION, CPU, temperature)
