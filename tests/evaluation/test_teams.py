"""Two teams at two tables: the paper's match adds up as printed, and a match's tables are its own games."""

import numpy as np
import pytest

from shangyou import games
from shangyou.agents.play import play
from shangyou.engines import reference
from shangyou.evaluation.backends import by_name
from shangyou.evaluation.match import evaluate
from shangyou.evaluation.teams import TeamMatch, team_match
from shangyou.games import BadInput

DEEPROCKET = [12, 12, -12, 12, 6, -6, -6, 12, 6, -6]  # the columns of Table 7
HUMAN = [6, 12, -12, 12, 6, -6, 12, 12, -12, -6]


def test_the_match_of_the_paper():
    match = TeamMatch(("DR", "human"), np.array([DEEPROCKET, HUMAN]).T)
    tables = match.tables()
    assert (match.totals, match.winner) == ((30, 24), "DR")
    assert tables[0] == (1, 1, ("DR", "human", "human"), 12, (12, 0))
    assert tables[13] == (7, 2, ("human", "DR", "DR"), 12, (18, 30))
    assert (len(tables), tables[-1].totals) == (20, (30, 24))


def test_equal_totals_have_no_winner():
    assert TeamMatch(("a", "b"), np.array([[6, -6], [-6, 6]])).winner is None
    assert TeamMatch(("a", "b"), np.array([[6, 12]])).winner == "b"


def test_tables_are_the_games_of_the_deals():
    game, pair = games.load("doudizhu", base=3), (by_name("rule"), by_name("greedy"))
    given = [game.deal(7, number) for number in range(4)]
    found = team_match(evaluate(game, *pair, deals=4, seed=0, given=given))
    players = [contestant.make(game) for contestant in pair]
    for number, deal in enumerate(given):
        ends = play(game, players, [(0, 1, 1), (1, 0, 0)], [reference.start(game, deal)] * 2)
        assert found.scores[number].tolist() == [end.scores[0] for end in ends]
    assert set(np.abs(found.scores).flatten().tolist()) <= {6, 12, 24, 48}


def test_an_agent_against_itself_is_even():
    match = team_match(evaluate(games.load("doudizhu"), by_name("greedy"), by_name("greedy"), deals=20, seed=1))
    assert match.winner is None
    assert np.array_equal(match.scores[:, 0], match.scores[:, 1])


@pytest.mark.parametrize(("name", "rules"), [("zsy2", {}), ("zsy4", {}), ("doudizhu", {"bidding": True})])
def test_without_a_landlord_that_is_dealt_there_are_no_teams(name, rules):
    match = evaluate(games.load(name, **rules), by_name("greedy"), by_name("greedy"), deals=1, seed=1)
    with pytest.raises(BadInput, match=f"teams: {name}.* deals no landlord"):
        team_match(match)
