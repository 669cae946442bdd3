"""The match and the positions of the DeepRocket paper: the cards that are printed, the scores of Table 7, what agents play."""

from math import exp, sqrt

import pytest

from shangyou import agents
from shangyou.agents import suggest
from shangyou.lab.deeprocket_match import landlord_scores, load_game, paper_scores, read_records, table_8
from shangyou.lab.deeprocket_positions import deduce_kings, king_deals, kings_held, positions, prefers

GAME = load_game()
FORMAT = GAME.deck.format


@pytest.fixture(scope="module")
def champion():
    return agents.load("champion/doudizhu", GAME)


def test_the_ten_deals_are_those_of_both_tables():
    deals = table_8()
    assert len(deals) == 10
    assert [*map(FORMAT, deals[9].hands), FORMAT(deals[9].public)] == [
        "35556JJJQQQKAA22S", "44566677788999A22", "3344789TTTTJQKKAB", "38K",
    ]  # fmt: skip
    assert [record.deal for record in read_records()[:20]] == [*deals, *deals]


def test_table_7_is_what_the_records_give():
    deeprocket, human = paper_scores()
    assert (deeprocket.total, human.total) == (30, 24)
    assert (deeprocket.peasants, human.peasants) == ("human", "DeepRocket")
    records = read_records()[:20]
    for record, score in zip(records, deeprocket.scores + human.scores, strict=True):
        if record.result.finished:
            assert record.result.scores[0] == score
    assert sum(not record.result.finished for record in records) == 3


def test_agents_play_the_ten_deals_as_landlord_and_as_peasants():
    rows = landlord_scores(["rule", "greedy", "rlcard-rule"])
    assert len(rows) == 6
    assert {(row.landlord, row.peasants) for row in rows} == {
        (a, b) for a in ("rule", "greedy", "rlcard-rule") for b in ("rule", "greedy", "rlcard-rule") if a != b
    }
    for row in rows:
        assert len(row.scores) == 10
        assert all(score % 6 == 0 and score for score in row.scores)
        assert row.total == sum(row.scores)


def test_the_positions_are_as_printed():
    cooperation, inference, kings = positions()
    assert [*map(FORMAT, cooperation.state.hands)] == ["448QB", "339TJ2", "5"]
    assert [*map(FORMAT, inference.state.hands)] == ["2", "44699JJQA2B", "78JKKAS"]
    assert [position.state.turn for position in positions()] == [1, 2, 0]
    assert cooperation.view.last == inference.view.last == 0  # both lead
    assert GAME.table.labels[kings.view.last] == "K"
    assert kings_held(kings.state)[:2] == [1, 2]
    assert [GAME.table.labels[turn.play] for turn in kings.state.history] == ["3", "pass", "K"]
    for position in (cooperation, inference):
        assert position.play in [suggestion.label for suggestion in suggest(position.view, agents.load("greedy", GAME))]


def test_the_champion_helps_its_partner_and_simple_agents_do_not(champion):
    cooperation = positions()[0]
    assert prefers(cooperation, champion)
    assert suggest(cooperation.view, champion)[0].win > 0.9
    assert not prefers(cooperation, agents.load("greedy", GAME))


def test_so_does_the_net_that_learned_from_its_games():
    cooperation, rocket = positions()[0], agents.load("paper/deeprocket", GAME)
    assert prefers(cooperation, rocket)
    assert exp(suggest(cooperation.view, rocket)[0].value) > 0.9  # its probability


def test_a_pass_and_a_king_say_where_the_other_kings_are(champion):
    found = deduce_kings(champion, 500, temperature=0.02)
    # Three K in two hands of 17: none, one, two or three in the up peasant's, and it has one.
    none = 17 * 16 * 15 / (34 * 33 * 32)
    two = (1 - 2 * none) / 2 / (1 - none)
    assert abs(found.by_cards[2] - two) < 4 * sqrt(two * (1 - two) / 500)
    assert sum(found.by_cards) == pytest.approx(1)
    assert found.by_plays[2] > found.by_cards[2] + 0.1
    assert 10 < found.effective_deals < 500


def test_king_deals_hold_what_the_paper_says():
    led = next(king_deals(3))
    assert (led.turn, GAME.table.labels[led.last]) == (1, "3")
    assert kings_held(led)[0] == 1
    assert kings_held(led)[2] >= 1
