"""Splits of unseen cards: the dynamic programme against all splits one by one, with numpy and with torch."""

from __future__ import annotations

from itertools import product
from math import comb, exp, log, prod

import numpy as np
import pytest
import torch

from shangyou import games
from shangyou.nets import splits
from shangyou.nets.splits import Hidden

FREE = np.array([[3, 0, 4, 1, 2], [1, 1, 2, 4, 0]])  # of two positions with five ranks
SIZES = np.array([4, 3])
MOST, K = 6, 5


@pytest.fixture
def scores():
    return 2 * np.random.default_rng(0).normal(size=(2, 5, K))


def all_splits(free, size):
    return [k for k in product(*(range(f + 1) for f in free)) if sum(k) == size]


def plain_chances(scores, free, size):
    """By the formula, every split of one position."""
    found = {k: prod(comb(f, n) * exp(scores[r, n]) for r, (f, n) in enumerate(zip(free, k, strict=True)))
             for k in all_splits(free, size)}  # fmt: skip
    return {k: weight / sum(found.values()) for k, weight in found.items()}


def test_probabilities_are_those_of_all_splits_one_by_one(scores):
    for i in range(2):
        expected = plain_chances(scores[i], FREE[i].tolist(), SIZES[i])
        taken = np.array(list(expected))
        rows = [i] * len(taken)
        weights = splits.weights_of(scores[rows], FREE[rows], np)
        found = splits.log_probability(weights, SIZES[rows], taken, MOST, np)
        np.testing.assert_allclose(np.exp(found), list(expected.values()), rtol=1e-12)
        assert np.exp(found).sum() == pytest.approx(1)


def test_zero_scores_are_the_hypergeometric_distribution():
    free, size = [4, 3, 2, 1], 5
    taken = np.array(all_splits(free, size))
    zeros, rows = np.zeros((len(taken), 4, K)), np.tile(free, (len(taken), 1))
    weights = splits.weights_of(zeros, rows, np)
    found = splits.log_probability(weights, np.full(len(taken), size), taken, MOST, np)
    expected = [sum(log(comb(f, k)) for f, k in zip(free, one, strict=True)) - log(comb(10, 5)) for one in taken.tolist()]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_torch_gives_what_numpy_gives(scores):
    both = []
    for xp, of in ((np, np.asarray), (torch, torch.tensor)):
        hidden = Hidden(of(FREE), of(np.zeros((2, 3, 5), np.int64)), of(np.array([[4, 3, 3], [3, 2, 3]])))
        stacked, noise = of(np.stack([scores, -scores], 1)), of(np.random.default_rng(1).random((2, 2, 5)))
        taken = splits.draw_all(stacked, hidden, noise, MOST, xp)
        both.append((np.asarray(taken), np.asarray(splits.log_likelihood(stacked, hidden, taken, MOST, xp))))
    np.testing.assert_array_equal(both[0][0], both[1][0])
    np.testing.assert_allclose(both[0][1], both[1][1], rtol=1e-12)


def test_two_splits_of_three_hands_add_up_to_one(scores):
    """All ways to give 2, 1 and 2 cards to three hands."""
    free = [2, 1, 0, 1, 1]
    ways = [(a, b) for a in all_splits(free, 2) for b in all_splits([f - n for f, n in zip(free, a, strict=True)], 1)]
    n = len(ways)
    hidden = Hidden(np.tile(free, (n, 1)), np.zeros((n, 3, 5), np.int64), np.tile([2, 1, 2], (n, 1)))
    found = splits.log_likelihood(np.tile(scores, (n, 1, 1, 1)), hidden, np.array(ways), MOST, np)
    assert np.exp(found).sum() == pytest.approx(1)
    even = splits.log_likelihood(np.zeros((n, 2, 5, K)), hidden, np.array(ways), MOST, np)
    deals = comb(5, 2) * comb(3, 1)
    first = {way: round(deals * chance) for way, chance in zip(ways, np.exp(even).tolist(), strict=True)}
    assert first[((2, 0, 0, 0, 0), (0, 1, 0, 0, 0))] == 1
    assert first[((1, 1, 0, 0, 0), (1, 0, 0, 0, 0))] == 2
    assert sum(first.values()) == deals


def test_splits_are_drawn_as_often_as_they_are_likely(scores):
    draws = 20_000
    expected = plain_chances(scores[0], FREE[0].tolist(), SIZES[0])
    weights = splits.weights_of(np.repeat(scores[:1], draws, 0), np.repeat(FREE[:1], draws, 0), np)
    taken = splits.draw(weights, np.repeat(SIZES[:1], draws), np.random.default_rng(2).random((draws, 5)), MOST, np)
    ways, counts = np.unique(taken, axis=0, return_counts=True)
    drawn = dict(zip(map(tuple, ways.tolist()), counts.tolist(), strict=True))
    assert set(drawn) <= set(expected)
    likely = {k: draws * chance for k, chance in expected.items() if draws * chance >= 5}
    chi_square = sum((drawn.get(k, 0) - wanted) ** 2 / wanted for k, wanted in likely.items())
    freedom = len(likely) - 1
    assert freedom > 10
    assert chi_square < freedom + 4 * (2 * freedom) ** 0.5  # its mean and four standard deviations


@pytest.mark.parametrize("size", [0, 10])
def test_gradients_are_finite_at_the_bounds_too(size):
    """Where only one split is possible, and with scores as extreme as they can be."""
    sign = torch.tensor([1.0, -1.0, 1.0, -1.0, 1.0], dtype=torch.float64)
    scores = (splits.BOUND * sign * torch.ones(1, 15, 5, dtype=torch.float64)).requires_grad_()
    free = torch.tensor([[4] * 13 + [1, 1]])
    taken = torch.zeros(1, 15, dtype=torch.int64)
    taken[0, :size] = 1
    weights = splits.weights_of(scores, free, torch)
    found = splits.log_probability(weights, torch.tensor([size]), taken, 20, torch)
    found.sum().backward()
    assert found.isfinite().all()
    assert scores.grad.isfinite().all()
    assert bool((scores.grad.abs() > 1e-9).any()) == (size > 0)


def test_the_landlords_unplayed_public_cards_are_his():
    """He was given 3 3 5 and has played one 3: another 3 and the 5 are still his."""
    public, played = np.array([[2, 0, 1]]), np.array([[[0, 0, 0], [1, 0, 0], [1, 2, 0]]])
    unseen, left = np.array([[2, 2, 3]]), np.array([[5, 4, 3]])
    hidden = splits.hidden_cards(unseen, public, played, np.array([1]), left, np)
    assert hidden.known.tolist() == [[[1, 0, 1], [0, 0, 0]]]
    assert hidden.free.tolist() == [[1, 2, 2]]
    assert hidden.sizes.tolist() == [[2, 3]]
    mine = splits.hidden_cards(unseen, public, played, np.array([0]), left, np)
    assert mine.free.tolist() == unseen.tolist()


@pytest.mark.parametrize(("name", "count"), [("doudizhu", 1), ("zsy2", 1), ("zsy4", 2)])
def test_splits_of_each_game(name, count):
    assert splits.splits_of(games.load(name)) == count
