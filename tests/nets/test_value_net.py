from __future__ import annotations

import pytest
import torch

from nets.test_encoding import random_inputs
from shangyou import games
from shangyou.nets.value_net import Size, ValueNet, utility

SMALL = Size(trunk=32, trunk_depth=1, head=16, head_depth=1, turns=3)


def make(name: str = "zsy2", points_scale: float = 1.0) -> ValueNet:
    torch.manual_seed(0)
    return ValueNet(games.load(name), SMALL, points_scale).eval()


def test_a_position_is_judged_alone():
    """Whatever else is in the batch, in whatever order."""
    net = make()
    seen = random_inputs(net.encoder, 9000)
    rows, plays = torch.tensor([0, 0, 3, 6, 6]), torch.tensor([5, 0, 70, 8000, 1])
    win, points = net(seen, rows, plays)
    for i in range(len(rows)):
        alone = net(seen.at(rows[i : i + 1]), torch.tensor([0]), plays[i : i + 1])
        torch.testing.assert_close(torch.cat(alone), torch.stack([win[i], points[i]]))


def test_points_are_in_points():
    net, scaled = make(points_scale=1.0), make(points_scale=4.0)
    seen = random_inputs(net.encoder, 9000)
    rows, plays = torch.arange(7), torch.arange(7)
    torch.testing.assert_close(scaled(seen, rows, plays)[1], 4 * net(seen, rows, plays)[1])
    torch.testing.assert_close(scaled(seen, rows, plays)[0], net(seen, rows, plays)[0])


def test_each_pair_is_chosen_by_its_own_objective():
    win, points = torch.tensor([0.5, 0.6]), torch.tensor([-5.0, -6.0])
    assert utility(win, points, torch.tensor([0, 1])).tolist() == pytest.approx([0.5 - 4e-4, -6.0])


def test_points_tell_apart_what_wins_alike():
    to_win = torch.zeros(2, dtype=torch.int64)
    assert utility(torch.tensor([0.7, 0.7]), torch.tensor([1.0, 2.0]), to_win).argmax() == 1
    assert utility(torch.tensor([0.71, 0.7]), torch.tensor([1.0, 20.0]), to_win).argmax() == 0


def test_little_chances_are_told_apart():
    """In a game for two that is as good as lost, points are minus one whatever is played."""
    win, lost = torch.tensor([1e-30, 2e-30], dtype=torch.float64), torch.full((2,), -1.0, dtype=torch.float64)
    assert utility(win, lost, torch.zeros(2, dtype=torch.int64)).argmax() == 1
