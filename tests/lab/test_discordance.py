"""How alike nets value plays: cosines of their values by hand, nets whose values are all zero among them."""

import pytest
import torch

from shangyou.lab.experiments.discordance import cosines


def test_cosines_by_hand():
    values = torch.tensor([[3.0, 4.0, 1.0, 1.0], [4.0, 3.0, 1.0, 0.0]])
    sums = cosines(values, torch.tensor([2, 2]))  # two positions of two plays
    assert sums.diagonal().tolist() == pytest.approx([2, 2])
    assert sums[0, 1].item() == pytest.approx(24 / 25 + 0.5**0.5)
    assert sums[1, 0] == sums[0, 1]


def test_a_net_that_values_all_plays_at_zero_counts_as_one_that_values_all_alike():
    """Saturated nets do; the diagonal is 1 all the same, and a net of equal values is just like it."""
    values = torch.tensor([[0.0, 0.0, 0.0], [0.7, 0.7, 0.7], [1.0, 0.0, 0.0]])
    sums = cosines(values, torch.tensor([3]))
    assert sums.diagonal().tolist() == pytest.approx([1, 1, 1])
    assert sums[0, 1].item() == pytest.approx(1)
    assert sums[0, 2].item() == pytest.approx(3**-0.5)


def test_zeros_in_one_position_say_nothing_of_another():
    values = torch.tensor([[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0]])
    assert cosines(values, torch.tensor([2, 2]))[0, 1].item() == pytest.approx(0.5**0.5 + 1)
