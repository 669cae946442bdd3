"""The loop of the batch engine: every game has its own agents, agents of one group are asked together, observers see all."""

from __future__ import annotations

import pytest
import torch

from recorded_games import AskedAgent, Recorder, record
from shangyou import games
from shangyou.agents.batch import ensemble as ensemble_module
from shangyou.agents.batch import load_batch
from shangyou.agents.batch.ensemble import EnsembleAgent, StackedAgents, Style
from shangyou.agents.batch.play import play
from shangyou.engines.batch import BatchEngine
from shangyou.nets.papers import DEEP_Q, EXPERIMENT_2, LSTM, Ensemble, Stack
from shangyou.nets.papers.linear import Linear
from short_games import ENGINE, GAME

ZSY2 = BatchEngine(games.load("zsy2"))
AGENTS = [load_batch("greedy", ZSY2.game), load_batch("random", ZSY2.game, 5), load_batch("paper-greedy", ZSY2.game)]
SHAPES = [EXPERIMENT_2[name].scaled_down(8) for name in ("ConvNet5", "DenseNet1", "ConvNet6", "DenseNet2")]


def play_deals(engine, agents, seats, seed):
    recorder = Recorder()
    return recorder.trajectories(play(engine, agents, seats, engine.deal(len(seats), seed), recorder))


def test_every_game_has_its_own_agents():
    seats = torch.tensor([[0, 1], [1, 2], [2, 0]] * 20)
    mixed = play_deals(ZSY2, AGENTS, seats, seed=4)
    for pair in ([0, 1], [1, 2], [2, 0]):
        alone = record(ZSY2, [AGENTS[i] for i in pair], 60, seed=4)
        for game in torch.nonzero((seats == torch.tensor(pair)).all(1))[:, 0].tolist():
            assert mixed.of_game(game) == alone.of_game(game)
            assert mixed.played.won[game].tolist() == alone.played.won[game].tolist()
            assert mixed.played.turns[game] == len(alone.of_game(game))


def test_an_observer_sees_what_each_agent_was_asked():
    """The games with a choice in the order of asking: those of the first agent, then those of the second, ..."""
    seats, turns = torch.tensor([[0, 1], [1, 2], [2, 0]] * 20), []

    def look(decision):
        assert len(decision.plays) == len(decision.games) == len(decision.seat) == len(decision.view.last)
        who = seats[decision.games[decision.asked], decision.seat[decision.asked]]
        assert torch.bincount(who, minlength=3).cumsum(0).tolist() == decision.ends
        assert (who.diff() >= 0).all()
        assert decision.play_ends[-1] == len(decision.choices.plays) == decision.choices.counts.sum()
        assert torch.equal(decision.seen.hand, decision.view.hand[decision.asked])
        assert torch.equal(decision.choices.counts, decision.legal.counts[decision.asked])
        assert (decision.choices.counts > 1).all()
        assert len(decision.asked) == (decision.legal.counts > 1).sum()
        turns.append(len(decision.plays))

    played = play(ZSY2, AGENTS, seats, ZSY2.deal(60, seed=4), look)
    assert sum(turns) == played.turns.sum()


def test_an_agent_may_know_the_numbers_of_its_games():
    mine, seats = AskedAgent(ZSY2.game), torch.tensor([[0, 1], [1, 1]] * 10)
    play(ZSY2, [mine, AGENTS[0]], seats, ZSY2.deal(20, seed=1))
    assert set(mine.games) == set(range(0, 20, 2))


def test_no_games():
    found = play_deals(ZSY2, AGENTS, torch.zeros(0, 2, dtype=torch.int64), seed=0)
    assert found.played.won.shape == (0, 2)
    assert len(found.play) == 0


# -- agents that are asked together -----------------------------------------------------------------------------------


def agents_of(style: Style) -> list[EnsembleAgent]:
    torch.manual_seed(7)
    return [EnsembleAgent(GAME, Ensemble([Stack(GAME, [shape])]), style, str(i), i) for i, shape in enumerate(SHAPES)]


def test_who_is_asked_together():
    nets = agents_of(Style())
    loner = agents_of(Style(epsilon=0.1))[0]  # the same net in another style
    recurrent = [EnsembleAgent(GAME, Ensemble([Stack(GAME, [LSTM.scaled_down(8)])]), Style(), "lstm") for _ in range(2)]
    linear = EnsembleAgent(GAME, Ensemble([Linear(GAME)]), Style(), "linear")
    pair = EnsembleAgent(GAME, Ensemble([Stack(GAME, [SHAPES[0], SHAPES[2]])], "min"), Style(), "min2")
    everybody = [load_batch("greedy", GAME), *nets, loner, *recurrent, linear, pair]
    groups: dict[object, list[int]] = {}
    for number, agent in enumerate(everybody):
        groups.setdefault(agent.group, []).append(number)
    assert list(groups.values()) == [[0], [1, 3], [2, 4], [5], [6], [7], [8], [9]]
    assert isinstance(nets[0].together([nets[0], nets[2]]), StackedAgents)
    assert nets[0].together([nets[0]]) is nets[0]


@pytest.mark.parametrize("style", [Style(), Style("first"), Style("first", blank=True)], ids=str)
@pytest.mark.parametrize("numbers", [1 << 26, 1 << 18], ids=["at once", "in parts"])
def test_together_as_alone(style, numbers, monkeypatch):
    """Every pair of four nets of two shapes, some in many games and some in few."""
    monkeypatch.setitem(ensemble_module.NUMBERS_AT_ONCE, "cpu", numbers)
    agents = [*agents_of(style), load_batch("greedy", GAME)]
    pairs = [(a, b) for a in range(5) for b in range(5)]
    seats = torch.tensor([pair for pair in pairs for _ in range(1 + sum(pair) % 3)])
    together = play_deals(ENGINE, agents, seats, seed=3)
    monkeypatch.setattr(EnsembleAgent, "group", property(lambda agent: agent))
    alone = play_deals(ENGINE, agents, seats, seed=3)
    assert torch.equal(together.played.won, alone.played.won)
    assert torch.equal(together.play, alone.play)


def test_explored_plays_are_as_many_as_the_style_says():
    """Random nearly always: nets asked together then win about as much as a random player does."""
    torch.manual_seed(1)
    stacks = [Stack(GAME, [DEEP_Q]) for _ in range(2)]
    wild = [EnsembleAgent(GAME, Ensemble([stack.pick([0])]), Style(epsilon=1.0), "wild", i) for i, stack in enumerate(stacks)]
    seats = torch.tensor([[0, 2], [1, 2]] * 400)
    won = play(ENGINE, [*wild, load_batch("random", GAME, 3)], seats, ENGINE.deal(800, 5)).won[:, 0].float()
    assert abs(won[::2].mean() - 0.5) < 0.1
    assert abs(won[1::2].mean() - 0.5) < 0.1


def test_agents_asked_together_are_not_asked_for_values():
    company = StackedAgents(agents_of(Style())[::2])
    state = ENGINE.deal(2, seed=1)
    with pytest.raises(TypeError, match="act_each"):
        company.values(ENGINE.view(state), ENGINE.legal(state))
