"""How plays are chosen from what nets say: ties, random choices, and the input of first moves."""

from __future__ import annotations

import math

import pytest
import torch

from shangyou import agents, games
from shangyou.agents.batch import ScalarAdapter, load_batch
from shangyou.agents.batch.ensemble import AS_PRINTED, FIXED, EnsembleAgent, Style, first_listed, mean_logit
from shangyou.agents.batch.onnx_model import OnnxBatchAgent
from shangyou.agents.models.ensemble import AggregateAgent
from shangyou.agents.models.net_agent import NetAgent
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine
from shangyou.games import PASS, BadInput
from shangyou.nets.papers import DEEP_Q, Ensemble, Stack
from shangyou.testing import check_agent
from shangyou.training.population import shares_won
from tiny_models import write_tiny

GAME = games.load("zsy2")
ENGINE = BatchEngine(GAME)


def ensemble(nets: int = 1, how: str = "mean", scale: float = 1.0, bias: float = 0.0) -> Ensemble:
    torch.manual_seed(2)
    stack = Stack(GAME, [DEEP_Q.scaled_down(8)] * nets)
    with torch.no_grad():
        stack.weights[-1].mul_(scale)
        stack.biases[-1].fill_(bias)
    return Ensemble([stack], how)


def some_position(steps: int):
    state = ENGINE.deal(200, seed=6)
    for _ in range(steps):
        legal = ENGINE.legal(state)
        state = ENGINE.step(state, legal.plays[legal.starts[1:] - 1])
    return ENGINE.view(state), ENGINE.legal(state)


def test_among_equals_the_first_of_the_papers_list():
    """Leading, bombs come before chains, and chains by their number of links; following, bombs are last."""
    for steps in (0, 1, 2, 3):
        view, legal = some_position(steps)
        chosen = first_listed(torch.zeros(len(legal.plays)), view, legal, GAME.table)
        for i in range(len(legal.starts) - 1):
            plays = legal.plays[legal.starts[i] : legal.starts[i + 1]].tolist()
            groups = [GAME.table.groups[play] for play in plays]
            leading = view.last[i] == PASS
            keys = [(len(g), [n for _, n in g], g[:1]) if leading else (play,) for g, play in zip(groups, plays, strict=True)]
            assert chosen[i] == legal.starts[i] + keys.index(min(keys))


def test_the_best_is_chosen_where_there_is_one():
    view, legal = some_position(0)
    values = torch.rand(len(legal.plays), generator=torch.Generator().manual_seed(1))
    chosen = first_listed(values, view, legal, GAME.table)
    for i, place in enumerate(chosen.tolist()):
        mine = values[legal.starts[i] : legal.starts[i + 1]]
        assert place == legal.starts[i] + int(mine.argmax())


def test_saturated_nets_tie_unless_logits_are_compared():
    view, legal = some_position(0)
    first, logit = (EnsembleAgent(GAME, ensemble(bias=40.0), style) for style in (AS_PRINTED, FIXED))
    assert set(first.values(view, legal).tolist()) == {1.0}
    assert len(set(logit.values(view, legal).tolist())) > 1000
    assert not torch.equal(first.act(view, legal), logit.act(view, legal))


def test_the_mean_is_of_chances_and_exact_at_both_ends():
    chances = torch.tensor([[0.2, 0.9], [0.4, 0.7]], dtype=torch.float64)
    torch.testing.assert_close(torch.sigmoid(mean_logit(torch.logit(chances))), chances.mean(0))
    far = mean_logit(torch.tensor([[60.0, 61.0, -60.0, -61.0], [70.0, 70.0, -70.0, -70.0]]))
    assert far[1] > far[0] > 40
    assert far[3] < far[2] < -40


def test_random_plays_are_as_likely_as_they_should_be():
    """Every play random, in one position many times."""
    view, legal = some_position(0)
    even = EnsembleAgent(GAME, ensemble(), Style(epsilon=1.0), seed=3)
    by_value = EnsembleAgent(GAME, ensemble(scale=8.0), Style(epsilon=1.0, sampling="value"), seed=3)
    count = int(legal.counts[0])
    for agent in (even, by_value):
        drawn = torch.zeros(count)
        values = agent.values(view, legal)
        for _ in range(400):
            drawn[int(agent.choose(view, legal, values)[0])] += 1
        chances = torch.sigmoid(values[:count]) if agent is by_value else torch.ones(count)
        expected = 400 * chances / chances.sum()
        assert ((drawn - expected).abs() < 5 * expected.sqrt() + 3).all()


def test_a_share_of_decisions_is_random():
    view, legal = some_position(0)
    still, lively = (EnsembleAgent(GAME, ensemble(), Style(epsilon=epsilon), seed=1) for epsilon in (0.0, 0.3))
    values = still.values(view, legal)
    changed = sum(int((still.choose(view, legal, values) != lively.choose(view, legal, values)).sum()) for _ in range(20))
    expected = 20 * 0.3 * float((1 - 1 / legal.counts).sum())
    assert abs(changed - expected) < 5 * math.sqrt(expected)


def test_first_moves_may_be_encoded_as_zeros():
    for steps, same in ((0, False), (1, False), (2, True)):
        view, legal = some_position(steps)
        plain, blank = (EnsembleAgent(GAME, ensemble(), Style(blank=blank)).values(view, legal) for blank in (False, True))
        assert torch.equal(plain, blank) == same


def test_styles_that_are_none_are_named():
    with pytest.raises(BadInput, match="ties are logit or first"):
        Style(ties="last")


def test_parts_say_what_the_whole_says(monkeypatch):
    view, legal = some_position(0)
    agent = EnsembleAgent(GAME, ensemble(2, "min"))
    whole = agent.values(view, legal)
    agent.at_once = 100
    torch.testing.assert_close(agent.values(view, legal), whole)


def test_a_model_in_a_batch_plays_as_alone(tmp_path):
    path = write_tiny(tmp_path, "zsy2")
    together, alone = OnnxBatchAgent(GAME, NetAgent(path, "tiny")), ScalarAdapter(GAME, NetAgent(path, "tiny"))
    view, legal = some_position(1)
    torch.testing.assert_close(together.values(view, legal), alone.values(view, legal))
    assert torch.equal(together.act(view, legal), alone.act(view, legal))
    won = shares_won(ENGINE, [together, alone, load_batch("random", GAME)], [(0, 1), (0, 2), (1, 2)], 5, seed=1)
    assert (won[0] == 0.5).all()


# -- joined by name ----------------------------------------------------------------------------------------------------


def test_agents_are_joined_by_name(tmp_path):
    path = write_tiny(tmp_path, "zsy2")
    state = reference.deal(GAME, 3)
    view, legal = reference.view(state), reference.legal(state)
    one, other = agents.load(str(path), GAME), agents.load("random", GAME, 5)
    both = [one.values(view, legal), other.values(view, legal)]
    for how, expected in (("min", min), ("max", max), ("mean", lambda a, b: (a + b) / 2)):
        joined = agents.load(f"{how}:{path},random", GAME, 5)
        assert joined.values(view, legal).tolist() == [pytest.approx(expected(a, b)) for a, b in zip(*both, strict=True)]
    check_agent(lambda: agents.load(f"min:{path},greedy", GAME), GAME)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("min:", "of at least one agent"), ("mean:random,nobody", "no agent 'nobody'"), ("max:rule", "doudizhu only")],
)
def test_aggregates_that_are_none_are_named(name, reason):
    with pytest.raises(BadInput, match=reason):
        agents.load(name, GAME)


def test_an_aggregate_is_one_of_its_ways():
    with pytest.raises(BadInput, match="min or mean or max"):
        AggregateAgent([agents.load("greedy")], "median", "x")
