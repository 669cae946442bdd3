"""Ratings against published answers, and what must hold of any."""

import pytest

from shangyou import agents, games
from shangyou.evaluation.ratings import MU, SIGMA, RatedGame, Rating, rate, rated_game
from shangyou.games import BadInput


def alone(*names):
    """A game of single players in the order in which they came out."""
    return RatedGame(tuple((name,) for name in names), tuple(range(1, len(names) + 1)))


def test_four_seats_as_openskill_publishes_them():
    """The first test of openskill.js."""
    known = {"a": Rating(29.182, 4.782), "b": Rating(27.174, 4.922), "c": Rating(16.672, 6.217)}
    after = rate([alone("a", "b", "c", "d")], known)
    assert [(after[name].mu, after[name].sigma) for name in "abcd"] == [
        pytest.approx((30.209971908310553, 4.764898977359521)),
        pytest.approx((27.64460833689499, 4.882789305097372)),
        pytest.approx((17.403586731283518, 6.100723440599442)),
        pytest.approx((19.214790707434826, 7.8542613981643985)),
    ]


def test_teams_as_openskill_publishes_them():
    """The example of its README."""
    known = {"a2": Rating(32.444, 5.123), "b1": Rating(43.381, 2.421), "b2": Rating(25.188, 6.211)}
    after = rate([RatedGame((("a1", "a2"), ("b1", "b2")), (1, 2))], known)
    assert (after["a1"].mu, after["a1"].sigma) == pytest.approx((28.669648436582808, 8.071520788025197))
    assert (after["b2"].mu, after["b2"].sigma) == pytest.approx((23.149503312339064, 6.1378606973362135))


def test_two_seats_are_symmetric():
    after = rate([alone("a", "b")])
    assert after["a"].mu - MU == pytest.approx(MU - after["b"].mu)
    assert after["a"].mu > MU
    assert after["a"].sigma == pytest.approx(after["b"].sigma)
    assert after["a"].sigma < SIGMA


def test_a_draw_of_equals_moves_nobody():
    after = rate([RatedGame((("a",), ("b",)), (1, 1))])
    assert (after["a"].mu, after["b"].mu) == pytest.approx((MU, MU))


def test_one_against_two_is_even_between_equals():
    """A landlord who wins gains what the peasants gain who win, and together they gain and lose the same."""
    sides = ("a",), ("b", "c")
    won, lost = rate([RatedGame(sides, (1, 2))]), rate([RatedGame(sides, (2, 1))])
    for name in "abc":
        assert won[name].mu - MU == pytest.approx(MU - lost[name].mu)
    assert won["a"].mu - MU == pytest.approx(2 * MU - won["b"].mu - won["c"].mu)
    assert won["b"] == won["c"]


def test_a_player_in_several_seats():
    both = rate([RatedGame((("a",), ("b", "b")), (1, 2))])
    assert both["a"].mu - MU == pytest.approx(MU - both["b"].mu)
    assert both["b"].games == 1
    assert sum(rating.mu for rating in rate([alone("a", "b", "b", "b")]).values()) == pytest.approx(2 * MU)


def test_a_player_against_himself_says_nothing():
    assert rate([alone("a", "a")]) == {"a": Rating()}


def test_who_wins_more_is_rated_higher_and_better_known():
    games_played = [alone("a", "b"), alone("b", "c"), alone("a", "c")] * 30
    after = rate(games_played)
    assert after["a"].mu > after["b"].mu > after["c"].mu
    assert max(rating.sigma for rating in after.values()) < 0.6 * SIGMA
    assert after["b"].games == 60
    assert rate(games_played[45:], rate(games_played[:45])) == after


def test_drift_keeps_ratings_open():
    long = [alone("a", "b"), alone("b", "a")] * 200
    assert rate(long, drift=0.3)["a"].sigma > rate(long)["a"].sigma


def test_finished_games_become_rated_games():
    greedy = agents.load("greedy")
    end = agents.play_game(games.load("doudizhu"), [greedy] * 3, 1)
    assert rated_game(end, "abc") == RatedGame((("a",), ("b", "c")), (1, 2) if 0 in end.winners else (2, 1))
    end = agents.play_game(games.load("zsy4"), [greedy] * 4, 1)
    assert rated_game(end, "abcd") == RatedGame((("a",), ("b",), ("c",), ("d",)), end.places)
    assert sorted(end.places) == [1, 2, 3, 4]


def test_games_that_make_no_sense_are_refused():
    with pytest.raises(BadInput, match="a place for each team"):
        rate([RatedGame((("a",), ("b",)), (1,))])
    with pytest.raises(BadInput, match="a player in each"):
        rate([RatedGame((("a",), ()), (1, 2))])
