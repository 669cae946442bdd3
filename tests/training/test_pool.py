"""The pool: ratings order players rightly, the weakest leaves, and a run goes on with the same pool."""

from math import erf, exp, pi, sqrt

import pytest
import torch
from torch import nn

from shangyou.evaluation.ratings import RatedGame, Rating, rate
from shangyou.games import BadInput
from shangyou.training.ddqn.pool import LEARNER, Pool, PoolArgs


def net_of(number: float) -> nn.Module:
    net = nn.Linear(1, 1)
    nn.init.constant_(net.weight, number)
    return net


def simulated(strengths: torch.Tensor, seats: torch.Tensor, seed: int) -> torch.Tensor:
    """[B, S] places of players who perform about as well as they are strong; strengths by number in `seats`."""
    noise = torch.randn(seats.shape, generator=torch.Generator().manual_seed(seed))
    return (strengths[seats] + noise).argsort(1, descending=True).argsort(1) + 1


def test_ratings_order_players_of_known_strength():
    pool = Pool(PoolArgs(size=6, rated_games=1000), net_of(0))
    for number in range(1, 6):
        pool.admit(net_of(number))
    strengths = torch.tensor([1.0, -1.5, 0.3, -0.7, 1.8, 0.6, -0.2])  # of the learner, then of the versions
    for batch in range(5):
        seats = pool.seats(1000, 4, torch.Generator().manual_seed(batch))
        pool.rate(seats, simulated(strengths, seats, batch))
    names = [LEARNER, *pool.names]
    by_rating = sorted(range(7), key=lambda i: pool.ratings[names[i]].mu)
    assert by_rating == strengths.argsort().tolist()


def test_a_game_of_two_is_rated_as_trueskill_would():
    """The closed form of TrueSkill for two players without draws; Plackett-Luce is another model, so the two agree roughly."""
    winner, loser = Rating(27, 3), Rating(25, 4)
    beta = 25 / 6
    spread = sqrt(2 * beta**2 + winner.sigma**2 + loser.sigma**2)
    margin = (winner.mu - loser.mu) / spread
    density, below = exp(-(margin**2) / 2) / sqrt(2 * pi), (1 + erf(margin / sqrt(2))) / 2
    v = density / below
    w = v * (v + margin)
    after = rate([RatedGame((("a",), ("b",)), (1, 2))], {"a": winner, "b": loser})
    for name, before, sign in (("a", winner, 1), ("b", loser, -1)):
        gain = sign * before.sigma**2 / spread * v
        assert after[name].mu - before.mu == pytest.approx(gain, rel=0.35)
        assert after[name].sigma == pytest.approx(before.sigma * sqrt(1 - before.sigma**2 / spread**2 * w), rel=0.1)
    assert (after["a"].mu - 27) / (after["b"].mu - 25) == pytest.approx(-(3**2) / 4**2)


def test_the_learner_has_each_seat_in_turn_and_versions_the_others():
    pool = Pool(PoolArgs(), net_of(0))
    pool.admit(net_of(1))
    seats = pool.seats(4000, 4, torch.Generator().manual_seed(0))
    assert torch.equal((seats == 0).nonzero(), torch.stack([torch.arange(4000), torch.arange(4000) % 4], 1))
    assert abs((seats == 1).sum().item() / 12_000 - 0.5) < 0.03
    assert seats.max() == 2


@pytest.mark.parametrize(("draw", "often"), [("latest", 1.0), ("rating", 2 / 3)])
def test_other_ways_to_draw_versions(draw, often):
    pool = Pool(PoolArgs(draw=draw), net_of(0))
    pool.ratings["version 0"], pool.ratings[LEARNER] = Rating(24), Rating(25)
    pool.admit(net_of(1))
    seats = pool.seats(4000, 4, torch.Generator().manual_seed(0))
    assert abs((seats == 2).sum().item() / 12_000 - often) < 0.03


def test_the_learner_replaces_the_lowest_once_it_is_rated_higher():
    pool = Pool(PoolArgs(size=2), net_of(0))
    assert pool.admit(net_of(1))
    pool.ratings |= {"version 0": Rating(20), "version 1": Rating(30), LEARNER: Rating(19)}
    assert not pool.admit(net_of(2))
    pool.ratings[LEARNER] = Rating(21)
    assert pool.admit(net_of(3))
    assert pool.names == ["version 1", "version 2"]
    assert pool.versions["version 2"]["weight"].item() == 3
    assert pool.ratings["version 2"].mu == 21
    assert set(pool.ratings) == {LEARNER, "version 1", "version 2"}


def test_only_the_learner_grows_uncertain():
    pool = Pool(PoolArgs(rated_games=0, drift=3.0), net_of(0))
    pool.ratings = {LEARNER: Rating(25, 4), "version 0": Rating(25, 4)}
    pool.rate(torch.zeros(1, 4, dtype=torch.long), torch.ones(1, 4))
    assert (pool.ratings[LEARNER].sigma, pool.ratings["version 0"].sigma) == (5.0, 4.0)


def test_a_version_stays_as_it_was_admitted_and_a_stored_pool_comes_back():
    net = net_of(1)
    pool = Pool(PoolArgs(), net)
    nn.init.constant_(net.weight, 7)
    assert pool.versions["version 0"]["weight"].item() == 1
    pool.ratings[LEARNER] = Rating(31, 2, 40)
    pool.admit(net)
    other = Pool(PoolArgs(), net_of(0))
    other.restore(pool.state())
    assert (other.ratings, other.names, other.admitted) == (pool.ratings, pool.names, 1)
    assert other.versions["version 1"]["weight"].item() == 7


def test_bad_settings_are_named():
    with pytest.raises(BadInput, match=r"pool.draw 'best'"):
        PoolArgs(draw="best")
    with pytest.raises(BadInput, match=r"pool.size 0"):
        PoolArgs(size=0)
