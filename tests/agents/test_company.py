"""Nets that are asked together play as each would alone."""

from __future__ import annotations

import pytest
import torch

from shangyou.agents import crowd, panel
from shangyou.agents.batch import load_batch
from shangyou.agents.company import Company, companies
from shangyou.agents.crowd import play_crowd
from shangyou.agents.panel import PanelAgent, Style
from shangyou.nets.linear import Linear
from shangyou.nets.paper_nets import DEEP_Q, EXPERIMENT_2, LSTM, Panel, Stack
from short_games import ENGINE, GAME

SHAPES = [EXPERIMENT_2[name].thinned(8) for name in ("ConvNet5", "DenseNet1", "ConvNet6", "DenseNet2")]


def agents_of(style: Style) -> list[PanelAgent]:
    torch.manual_seed(7)
    return [PanelAgent(GAME, Panel([Stack(GAME, [shape])]), style, str(i), i) for i, shape in enumerate(SHAPES)]


def test_who_is_asked_together():
    others = [Style(), Style(epsilon=0.1)]
    nets = agents_of(others[0])
    loner = agents_of(others[1])[0]  # the same nets in another style
    recurrent = [PanelAgent(GAME, Panel([Stack(GAME, [LSTM.thinned(8)])]), others[0], "lstm") for _ in range(2)]
    linear = PanelAgent(GAME, Panel([Linear(GAME)]), others[0], "linear")
    pair = PanelAgent(GAME, Panel([Stack(GAME, [SHAPES[0], SHAPES[2]])], "min"), others[0], "min2")
    mixed = [load_batch("greedy", GAME), *nets, loner, *recurrent, linear, pair]
    found = companies(mixed)
    assert [members for _, members in found] == [[0], [1, 3], [2, 4], [5], [6], [7], [8], [9]]
    assert [isinstance(agent, Company) for agent, _ in found] == [False, True, True, *[False] * 5]
    assert all(agent is mixed[members[0]] for agent, members in found if len(members) == 1)


@pytest.mark.parametrize("style", [Style(), Style("first"), Style("first", blank=True)], ids=str)
@pytest.mark.parametrize("numbers", [1 << 26, 1 << 18], ids=["at once", "in parts"])
def test_together_as_alone(style, numbers, monkeypatch):
    """Every pair of four nets of two shapes, some in many games and some in few."""
    monkeypatch.setitem(panel.NUMBERS_AT_ONCE, "cpu", numbers)
    agents = [*agents_of(style), load_batch("greedy", GAME)]
    pairs = [(a, b) for a in range(5) for b in range(5)]
    seats = torch.tensor([pair for pair in pairs for _ in range(1 + sum(pair) % 3)])
    together = play_crowd(ENGINE, agents, seats, seed=3, record=True)
    monkeypatch.setattr(crowd, "companies", lambda agents: [(agent, [number]) for number, agent in enumerate(agents)])
    alone = play_crowd(ENGINE, agents, seats, seed=3, record=True)
    assert torch.equal(together.won, alone.won)
    assert torch.equal(together.decisions.play, alone.decisions.play)


def test_lots_are_as_many_as_the_style_says():
    """By lot nearly always: the company then wins about as much as a random player does, and not what its nets would."""
    torch.manual_seed(1)
    stacks = [Stack(GAME, [DEEP_Q]) for _ in range(2)]
    wild = [PanelAgent(GAME, Panel([stack.pick([0])]), Style(epsilon=1.0), "wild", i) for i, stack in enumerate(stacks)]
    players = [*wild, load_batch("random", GAME, 3)]
    won = play_crowd(ENGINE, players, torch.tensor([[0, 2], [1, 2]] * 400), seed=5).won[:, 0].float()
    assert abs(won[::2].mean() - 0.5) < 0.1
    assert abs(won[1::2].mean() - 0.5) < 0.1


def test_a_company_is_not_asked_for_values():
    company = Company(agents_of(Style())[::2])
    state = ENGINE.deal(2, seed=1)
    with pytest.raises(TypeError, match="act_each"):
        company.values(ENGINE.view(state), ENGINE.legal(state))
