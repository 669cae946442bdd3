"""What a game is worth to either side."""

import numpy as np
import pytest

from games.variants import VARIANTS, variant_name
from shangyou import agents, games
from shangyou.agents.seating import seatings
from shangyou.evaluation.backends import ReferenceBackend
from shangyou.evaluation.duplicate import PlayedDeals, play_deals
from shangyou.games import NOBODY

GAMES = {2: games.load("zsy2"), 3: games.load("doudizhu"), 4: games.load("zsy4")}


def outcome(mine, winners, scores, landlord=NOBODY):
    """One deal of one game."""
    won = [seat in winners for seat in range(len(mine))]
    columns = ([[landlord]], [[won]], [[[0] * len(mine)]], [[scores]])
    return PlayedDeals(GAMES[len(mine)], np.array([[seat == "A" for seat in mine]]), *map(np.array, columns))


def roles(mine, winners, scores, landlord=NOBODY):
    found = outcome(mine, winners, scores, landlord).by_role()
    assert all(counted.all() for counted, _, _ in found.values())
    return {role: (win.item(), points.item()) for role, (_, win, points) in found.items()}


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
    assert outcome(mine, winners, scores, landlord).win.item() == pytest.approx(win)
    assert outcome(mine, winners, scores, landlord).points.item() == points


def test_roles():
    assert roles("ABB", (0,), (4, -2, -2), 0) == {"landlord": (1, 4)}
    assert roles("BAA", (0,), (4, -2, -2), 0) == {"peasants": (0, -4)}
    assert roles("AAB", (0,), (4, -2, -2), 0) == {"landlord": (1, 4), "peasants": (0, -2)}
    assert roles("ABBB", (0,), (3, 1, -1, -3)) == {"alone": (1, 3)}
    assert roles("BAAA", (0,), (3, 1, -1, -3)) == {"three": (0, -3)}
    assert roles("AB", (0,), (1, -1)) == {}


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
def test_what_one_side_gains_the_other_loses(variant):
    """Points always; wins too, where they are the wins of sides."""
    name, rules = variant
    game = games.load(name, **rules)
    players = agents.load("greedy", game), agents.load("random", game)
    played = play_deals(ReferenceBackend(game, players, seed=2), range(3, 6), mirrored=True)
    assert played.win.shape == (3, len(seatings(game, mirrored=True)))
    other = played.from_other_side
    assert (played.points == -other.points).all()
    assert game.seats == 4 or (played.win + other.win == 1).all()
    assert (other.from_other_side.win == played.win).all()


def test_games_of_a_deal_are_the_games_played_alone():
    game = games.load("doudizhu")
    greedy, random = agents.load("greedy", game), agents.load("random", game)
    ((landlord, peasants),) = play_deals(ReferenceBackend(game, [greedy, random], seed=4), range(7, 8)).scores.tolist()
    assert tuple(landlord) == agents.play_game(game, [greedy, random, random], 4, 7).scores
    assert tuple(peasants) == agents.play_game(game, [random, greedy, greedy], 4, 7).scores
