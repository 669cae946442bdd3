"""Opponents by level: each is there, each is measurably stronger than the one below."""

from itertools import pairwise

import pytest

from shangyou import games
from shangyou.evaluation.strength import ladders
from shangyou.web.levels import levels_of

NAMES = ["beginner", "casual", "skilled", "expert", "champion"]
RATED = [(name, rules) for name in games.names() for rules in games.rules_of(name).standard]


def levels(client, game, rules=""):
    answer = client.get("/api/v1/levels", params={"game": game, "rules": rules})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize(("game", "rules"), RATED)
def test_every_level_is_stronger_than_the_one_below(client, game, rules):
    found = levels(client, game, rules)
    measured = [level["measured"] for level in found["levels"]]
    for below, above in pairwise(measured):
        assert below["rating"] < above["rating"]
        assert below["win_rate"] < above["win_rate"]
    (ladder,) = [one for one in ladders() if str(one.rules) == found["rules"]]
    assert found["contestants"] == len(ladder.bots)
    assert measured[-1]["name"] == ladder.bots[0].name  # the champion is the strongest of all


@pytest.mark.parametrize(("game", "rules"), RATED)
def test_everybody_a_level_names_can_be_played_against(client, game, rules):
    found = levels(client, game, rules)["levels"]
    listed = {agent["name"] for agent in client.get("/api/v1/agents", params={"game": game, "rules": rules}).json()}
    assert [level["level"] for level in found] == NAMES
    agents = {level["agent"] for level in found}
    assert agents <= listed
    assert len(agents) == len(NAMES)  # the page calls an agent by its one level
    assert [level["level"] for level in found if level["usual"]] == ["skilled"]


def test_under_house_rules_nobody_is_measured_and_who_cannot_play_them_is_left_out(client):
    found = levels(client, "zsy2", "cards_each=6")
    known = {agent["name"] for agent in client.get("/api/v1/agents", params={"game": "zsy2", "rules": "cards_each=6"}).json()}
    assert [level["agent"] for level in found["levels"]] == [one.agent for one in levels_of("zsy2") if one.agent in known]
    assert found["contestants"] == 0
    assert {level["measured"] for level in found["levels"]} == {None}
    assert sum(level["usual"] for level in found["levels"]) == 1


@pytest.mark.parametrize("game", games.names())
def test_the_lobby_offers_rules_that_are_rated(client, game):
    (shown,) = [one for one in client.get("/api/v1/games").json() if one["name"] == game]
    assert games.rules_of(game).make(**shown["usual"]).is_standard
