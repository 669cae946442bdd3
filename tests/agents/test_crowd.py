"""Many players at once play as they would alone, and what is written down is what was played."""

from __future__ import annotations

import pytest
import torch

from shangyou import games
from shangyou.agents.batch import load_batch
from shangyou.agents.crowd import play_crowd, play_pairs
from shangyou.agents.trajectories import play
from shangyou.engines.batch import BatchEngine

GAME = games.load("zsy2")
ENGINE = BatchEngine(GAME)
AGENTS = [load_batch("greedy", GAME), load_batch("random", GAME, 5), load_batch("paper-greedy", GAME)]


def test_a_crowd_plays_as_two_would():
    seats = torch.tensor([[0, 1]] * 40)
    found = play_crowd(ENGINE, AGENTS, seats, seed=4)
    expected = play(ENGINE, AGENTS[:2], games=40, seed=4)
    assert torch.equal(found.won, ENGINE.winners(expected.state))


def test_every_game_has_its_own_players():
    seats = torch.tensor([[0, 1], [1, 2], [2, 0]] * 20)
    mixed = play_crowd(ENGINE, AGENTS, seats, seed=4, record=True)
    for pair in ([0, 1], [1, 2], [2, 0]):
        alone = play_crowd(ENGINE, AGENTS, torch.tensor([pair] * 60), seed=4)
        mine = (seats == torch.tensor(pair)).all(1)
        assert torch.equal(mixed.won[mine], alone.won[mine])
        assert torch.equal(mixed.turns[mine], alone.turns[mine])
    assert len(mixed.decisions.game) == mixed.turns.sum()


def test_decisions_are_those_of_the_games():
    seats = torch.tensor([[0, 1]] * 30)
    found = play_crowd(ENGINE, AGENTS, seats, seed=9, record=True)
    expected = play(ENGINE, AGENTS[:2], games=30, seed=9, record=True, views=True)
    decisions, views = found.decisions, expected.trajectories.views
    assert torch.equal(decisions.game, expected.trajectories.game.long())
    assert torch.equal(decisions.play, expected.trajectories.play.long())
    cards = torch.as_tensor(GAME.table.cards)
    assert torch.equal(decisions.after + cards[decisions.play], views.hand[:, 0])
    assert torch.equal(decisions.mine, views.played[:, 0, 0])
    assert torch.equal(decisions.theirs, views.played[:, 1, 0])


def test_pairs_play_their_deals_from_both_sides():
    won = play_pairs(ENGINE, AGENTS, [(0, 0), (0, 1), (1, 0)], deals=50, seed=3)
    assert won.shape == (3, 50)
    assert (won[0] == 0.5).all()  # an agent against itself
    assert won[1].mean() > 0.8
    assert won[2].mean() < 0.2


@pytest.mark.parametrize("record", [False, True])
def test_no_games(record):
    found = play_crowd(ENGINE, AGENTS, torch.zeros(0, 2, dtype=torch.int64), seed=0, record=record)
    assert found.won.shape == (0, 2)
    assert found.decisions is None
