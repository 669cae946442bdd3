"""Reviews: what a decision cost in both measures, of what kind a mistake is; luck, play and the rest add up to the result."""

from string import Formatter

import pytest

from shangyou import agents, games
from shangyou.agents.mistakes import SENTENCES, Kind, explain_bid, explain_play
from shangyou.agents.play import play_game
from shangyou.agents.review import (
    MEASURES,
    Grade,
    accuracy_of,
    adviser_names,
    grade_of,
    main_measure,
    points_at_stake,
    review,
    sum_up,
)
from shangyou.engines import reference
from shangyou.engines.position import position
from shangyou.engines.reference import View
from shangyou.records import Record, with_bids

GAMES = [("zsy2", {}), ("zsy4", {}), ("doudizhu", {}), ("doudizhu", {"bidding": True})]


@pytest.fixture(scope="module", params=GAMES, ids=str)
def reviewed(request):
    """A game between random players, its states and the champion's review."""
    name, rules = request.param
    game = games.load(name, **rules)
    player = "rule" if name == "doudizhu" else "greedy"
    end = play_game(game, [agents.load(player, game) for _ in range(game.seats)], seed=5)
    advisers = {measure: agents.load(agent, game) for measure, agent in adviser_names(f"champion/{name}").items()}
    states = with_bids(Record.from_state(end))
    return states, review(states, advisers)


def kind(game, hand, made, best, last="", landlord=-1, left=None):
    """The kind of a mistake and its sentence, for `made` where `best` was better; texts of cards, "" to pass."""
    deck = game.deck
    held, put, better = deck.parse(hand), deck.parse(made), deck.parse(best)
    view = View(
        game=game,
        hand=held,
        unseen=deck.full - held,
        played=(0,) * game.seats,
        left=left or (deck.size(held), *[9] * (game.seats - 1)),
        last=game.table.find(deck.parse(last)),
        landlord=landlord,
    )
    return explain_play(view, game.table.find(put), put, game.table.find(better), "63%", "41%")


# -- every decision ---------------------------------------------------------------------------------------------------


def test_every_bid_and_play_is_a_decision(reviewed):
    states, decisions = reviewed
    end = states[-1]
    assert len(decisions) == len(end.bids) + len(end.history)
    assert [one.made.play for one in decisions] == [*end.bids, *(turn.play for turn in end.history)]
    assert [one.seat for one in decisions] == [state.turn for state in states[:-1]]


def test_losses_are_what_the_best_choice_is_worth_beyond_the_one_made(reviewed):
    states, decisions = reviewed
    for before, one in zip(states, decisions, strict=False):
        assert set(one.judged) == ({"points"} if one.bidding else set(MEASURES))
        for measure, judged in one.judged.items():
            worth = {choice.play: getattr(choice, measure) for choice in one.choices}
            assert judged.best == max(worth.values())
            assert judged.made == worth[one.made.play]
            stake = points_at_stake(before, one.seat) if measure == "points" else 1
            assert judged.share == pytest.approx(judged.loss / stake)
            assert judged.grade == grade_of(judged.share)
            assert (judged.why is None) == (judged.kind is None) == (judged.grade in (Grade.BEST, Grade.GOOD))


def test_luck_play_and_the_rest_add_up_to_the_result(reviewed):
    """The rest is what happened between my decisions: the next is worth more or less than I left it."""
    states, decisions = reviewed
    end = states[-1]
    for measure in MEASURES:
        for seat in range(end.game.seats):
            account = sum_up(decisions, measure, seat, end).account
            values = [one.judged[measure] for one in decisions if one.seat == seat and measure in one.judged]
            assert account.result == (seat in end.winners if measure == "win" else end.scores[seat])
            assert account.even + account.deal == pytest.approx(values[0].best)
            assert account.play == pytest.approx(-sum(one.loss for one in values))
            met = [one.best for one in values[1:]] + [account.result]
            assert account.rest == pytest.approx(sum(after - one.made for one, after in zip(values, met, strict=True)))
            assert account.even + account.deal + account.play + account.rest == pytest.approx(account.result)


def test_an_unfinished_game_has_no_account(reviewed):
    states, decisions = reviewed
    found = sum_up(decisions[:-1], "win", states[-2].turn, states[-2])
    assert found.account is None
    assert found.decisions == sum(found.grades.values())


def test_who_is_never_asked_has_nothing(reviewed):
    states, _ = reviewed
    assert sum_up([], "win", 0, states[-1]).accuracy is None


def test_points_count_the_bid():
    """The net saw no bids: it expects of a game for 3 points three times what it does of a game for 1."""
    game = games.load("doudizhu", bidding=True)
    net = agents.load("champion/doudizhu:points", game)
    state = reference.deal(game, 4)
    found = [agents.suggest(reference.view(_bid_out(state, bids)), net)[0] for bids in ((1, 0, 0), (3,))]
    assert found[1].points == pytest.approx(3 * found[0].points, rel=1e-5)
    assert found[1].win == found[0].win


def test_points_are_those_of_training_where_no_bid_is_known():
    hand, public = "34445689TJQKKA22B3TT", "3TT"
    typed, played = (
        position(games.load("doudizhu", bidding=bidding), hand, role="landlord", public=public) for bidding in (True, False)
    )
    net = agents.load("champion/doudizhu")
    found, expected = ([one.points for one in agents.suggest(view, net)] for view in (typed, played))
    assert found == expected


def _bid_out(state, bids):
    for points in bids:
        state = reference.bid(state, points)
    return state


def test_an_adviser_without_a_net_says_what_it_would_do():
    game = games.load("doudizhu", bidding=True)
    end = play_game(game, [agents.load("rule", game)] * 3, seed=5)
    advisers = {measure: agents.load(agent, game) for measure, agent in adviser_names("rule").items()}
    decisions = review(with_bids(Record.from_state(end)), advisers)
    assert not any(one.judged for one in decisions)
    assert all(one.made.play == one.advised for one in decisions)


# -- what is judged by ------------------------------------------------------------------------------------------------


def test_points_at_stake():
    game = games.load("doudizhu", bidding=True)
    state = reference.deal(game, 4)
    assert points_at_stake(state, state.turn) == 12  # win or lose 6 as landlord for 3
    after = reference.bid(state, 3)
    assert [points_at_stake(after, seat) for seat in range(3)].count(12) == 1
    assert points_at_stake(after, (after.landlord + 1) % 3) == 6
    assert points_at_stake(reference.deal(games.load("doudizhu", spring=True), 4), 0) == 4
    assert points_at_stake(reference.deal(games.load("zsy2"), 4), 0) == 2
    assert points_at_stake(reference.deal(games.load("zsy4"), 4), 0) == 6
    assert points_at_stake(reference.deal(games.load("zsy4", points="winner"), 4), 0) == 4


def test_places_are_paid_in_one_game():
    measures = {name: main_measure(games.load(name)) for name in games.names()}
    assert measures == {"zsy2": "win", "zsy4": "points", "doudizhu": "win"}
    assert main_measure(games.load("zsy4", points="winner")) == "win"


def test_grades_and_accuracy_fall_with_the_share_lost():
    shares = [0, 0.005, 0.006, 0.02, 0.021, 0.05, 0.051, 0.1, 0.101, 1]
    grades = [grade_of(share) for share in shares]
    assert grades == [grade for grade in Grade for _ in range(2)]
    assert [accuracy_of(share) for share in (0, 0.15, 0.3)] == pytest.approx([100, 50, 25])


# -- kinds ------------------------------------------------------------------------------------------------------------

DOUDIZHU, ZSY2, ZSY4 = games.load("doudizhu"), games.load("zsy2"), games.load("zsy4")


@pytest.mark.parametrize(
    ("game", "hand", "last", "made", "best", "expected"),
    [
        (DOUDIZHU, "3569KK", "J", "", "K", Kind.PASSED),
        (DOUDIZHU, "3569K", "J", "K", "", Kind.OVERPLAYED),
        (DOUDIZHU, "3334445555", "7", "5555", "", Kind.BOMB_EARLY),
        (DOUDIZHU, "35555K", "J", "5555", "K", Kind.BOMB_EARLY),
        (DOUDIZHU, "35555K", "J", "K", "5555", Kind.BOMB_KEPT),
        (DOUDIZHU, "5555SB", "J", "SB", "5555", Kind.TOO_HIGH),
        (DOUDIZHU, "5555SB", "J", "5555", "SB", Kind.TOO_LOW),
        (DOUDIZHU, "33379QK", "", "333K", "3337", Kind.KICKERS),
        (DOUDIZHU, "577K", "3", "7", "5", Kind.BROKE),
        (DOUDIZHU, "45678K", "3", "7", "K", Kind.BROKE),
        (DOUDIZHU, "35KK", "", "3", "KK", Kind.PATTERN),
        (DOUDIZHU, "358K", "4", "K", "8", Kind.TOO_HIGH),
        (DOUDIZHU, "358K", "4", "8", "K", Kind.TOO_LOW),
        (ZSY2, "44555K", "3", "5", "K", Kind.BROKE),
        (ZSY4, "4s5s6s 4h5h6h", "", "4s5s6s", "4h5h6h", Kind.SUIT),
        (ZSY4, "4s5s6s 9h Kd", "", "9h", "4s5s6s", Kind.PATTERN),
    ],
)
def test_kinds(game, hand, last, made, best, expected):
    found, why = kind(game, hand, made, best, last)
    assert found is expected
    assert "63%" in str(why)
    assert "41%" in str(why)


@pytest.mark.parametrize(
    ("hand", "last", "made", "best", "broken"),
    [
        ("577K", "3", "7", "K", "77"),
        ("7777K", "3", "7", "K", "7777"),
        ("45678K", "3", "7", "K", "45678"),
        ("77788K", "3", "8", "K", "88"),
        ("5SB", "K", "S", "", "SB"),
        ("3377", "", "3", "77", "33"),
    ],
)
def test_what_is_broken_up(hand, last, made, best, broken):
    assert str(kind(DOUDIZHU, hand, made, best, last)[1]).endswith(f"; {made} breaks up {broken}")


@pytest.mark.parametrize(
    ("hand", "last", "made", "best"),
    [
        ("577", "33", "77", ""),  # all of it
        ("345678", "", "34567", "345678"),  # the better choice is all of it
        ("3337", "", "3337", "7"),  # with a kicker
        ("3335", "", "3", "5"),
    ],
)
def test_nothing_is_said_to_be_broken_that_is_not(hand, last, made, best):
    found, why = kind(DOUDIZHU, hand, made, best, last)
    assert ("breaks" in str(why)) == (made == "3")
    assert (found is Kind.BROKE) == (made == "3")


def test_few_cards_left_at_an_opponent():
    said = [str(kind(DOUDIZHU, "35K", "", "K", "J", landlord, left)[1]) for landlord, left in
            ((1, (3, 2, 1)), (0, (3, 9, 1)), (1, (3, 4, 1)))]  # fmt: skip
    assert said == [
        "K keeps 63%; passing leaves 41%; the landlord has 2 cards left",
        "K keeps 63%; passing leaves 41%; an opponent has 1 card left",
        "K keeps 63%; passing leaves 41%",  # it is my partner who has one
    ]


def test_bids_too_high_and_too_low():
    assert explain_bid(3, 0, "+0.10 points", "−2.00 points")[0] is Kind.BID_HIGH
    kind, why = explain_bid(0, 2, "+1.10 points", "+0.20 points")
    assert kind is Kind.BID_LOW
    assert str(why) == "a bid of 2 is worth +1.10 points; no bid is worth +0.20 points: too low"


def test_every_kind_has_a_sentence_with_the_same_gaps():
    assert set(SENTENCES) == set(Kind)
    for why in SENTENCES.values():
        assert {name for _, name, _, _ in Formatter().parse(why.value) if name} == {"best", "made", "high", "low"}
