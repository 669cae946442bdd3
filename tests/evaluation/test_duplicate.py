"""What a game is worth to either side."""

import pytest

from games.variants import VARIANTS, variant_name
from shangyou import agents, games
from shangyou.agents.seating import seatings
from shangyou.evaluation.duplicate import Outcome, play_deals
from shangyou.games import NOBODY


def outcome(mine, winners, scores, landlord=NOBODY):
    return Outcome(tuple(seat == "A" for seat in mine), landlord, winners, (), scores)


@pytest.mark.parametrize(
    ("mine", "winners", "scores", "landlord", "win", "points"),
    [
        ("AB", (0,), (1, -1), NOBODY, 1, 1),
        ("BA", (0,), (1, -1), NOBODY, 0, -1),
        ("ABB", (0,), (4, -2, -2), 0, 1, 4),
        ("BAA", (0,), (4, -2, -2), 0, 0, -4),
        ("BAA", (1, 2), (-4, 2, 2), 0, 1, 4),
        ("ABB", (0, 2), (2, -4, 2), 1, (1 + 1 - 1 / 2) / 2, 2),  # bidding made A and B peasants: half of B's seats lost
        ("BABB", (1,), (-1, 3, 1, -3), NOBODY, 1, 3),
        ("BAAA", (1,), (-1, 3, 1, -3), NOBODY, 1 / 3, 1),
        ("BAAA", (0,), (3, 1, -1, -3), NOBODY, 0, -3),
    ],
)
def test_wins_and_points(mine, winners, scores, landlord, win, points):
    assert outcome(mine, winners, scores, landlord).win == pytest.approx(win)
    assert outcome(mine, winners, scores, landlord).points == points


def test_roles():
    assert outcome("ABB", (0,), (4, -2, -2), 0).by_role == {"landlord": (1, 4)}
    assert outcome("BAA", (0,), (4, -2, -2), 0).by_role == {"peasants": (0, -4)}
    assert outcome("AAB", (0,), (4, -2, -2), 0).by_role == {"landlord": (1, 4), "peasants": (0, -2)}
    assert outcome("ABBB", (0,), (3, 1, -1, -3)).by_role == {"alone": (1, 3)}
    assert outcome("BAAA", (0,), (3, 1, -1, -3)).by_role == {"three": (0, -3)}
    assert outcome("AB", (0,), (1, -1)).by_role == {}


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
def test_what_one_side_gains_the_other_loses(variant):
    """Points always; wins too, where they are the wins of sides."""
    name, rules = variant
    game = games.load(name, **rules)
    players = agents.load("greedy", game), agents.load("random", game)
    for deal in play_deals(game, *players, seed=2, indices=range(3, 6), mirrored=True):
        assert len(deal) == len(seatings(game, mirrored=True))
        for end in deal:
            other = end.from_other_side
            assert end.points == -other.points
            assert game.seats == 4 or end.win + other.win == 1
            assert other.from_other_side == end


def test_games_of_a_deal_are_the_games_played_alone():
    game = games.load("doudizhu")
    greedy, random = agents.load("greedy", game), agents.load("random", game)
    ((landlord, peasants),) = play_deals(game, greedy, random, seed=4, indices=range(7, 8))
    assert landlord.scores == agents.play_game(game, [greedy, random, random], 4, 7).scores
    assert peasants.scores == agents.play_game(game, [random, greedy, greedy], 4, 7).scores
