"""Who sits where when two players are compared."""

from shangyou import games
from shangyou.agents.seating import even_share, seatings
from team_game import TeamGame


def spelled(game, mirrored=False):
    return ["".join("A" if mine else "B" for mine in seating) for seating in seatings(game, mirrored)]


def test_seatings():
    assert spelled(games.load("zsy2")) == ["AB", "BA"]
    assert spelled(games.load("zsy2"), mirrored=True) == ["AB", "BA"]
    assert spelled(games.load("doudizhu")) == ["ABB", "BAA"]
    assert spelled(games.load("doudizhu", bidding=True)) == ["ABB", "BAB", "BBA", "BAA", "ABA", "AAB"]
    assert spelled(games.load("zsy4")) == ["ABBB", "BABB", "BBAB", "BBBA"]
    assert spelled(TeamGame()) == spelled(TeamGame(), mirrored=True) == ["ABAB", "BABA"]
    assert spelled(games.load("zsy4"), mirrored=True) == [*spelled(games.load("zsy4")), "BAAA", "ABAA", "AABA", "AAAB"]


def test_even_shares():
    assert even_share(games.load("zsy2")) == even_share(games.load("doudizhu")) == 0.5
    assert even_share(games.load("doudizhu", bidding=True)) == 0.5
    assert even_share(TeamGame()) == 0.5
    assert even_share(games.load("zsy4")) == 0.25
