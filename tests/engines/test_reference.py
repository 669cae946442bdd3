"""The reference engine: turns, rounds, bids, endings, scores, and what a seat sees."""

import random
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.variants import VARIANTS, variant_name
from shangyou import games
from shangyou.engines import reference
from shangyou.engines.reference import bid, deal, legal, legal_bids, put, start, step, view
from shangyou.games import NOBODY, PASS, BadInput, IllegalPlay
from team_game import TeamGame


def play_cards(state, *plays):
    """The state after plays written as text, `pass` among them."""
    for text in plays:
        state = put(state, 0 if text == "pass" else state.game.deck.parse(text))
    return state


def position(game, *hands, turn=0, **fields):
    """A state with these hands, as if the rest of the cards had been dealt to nobody."""
    cards = tuple(game.deck.parse(hand) for hand in hands)
    landlord = 0 if game.name == "doudizhu" else NOBODY
    return replace(deal(game, 0), hands=cards, turn=turn, landlord=landlord, **fields)


def random_state(game, seed, steps):
    """A state after some random choices, bids included; the last one before the end at most."""
    choose, state = random.Random(seed), deal(game, seed)
    for _ in range(steps):
        if state.bidding:
            after = bid(state, choose.choice(legal_bids(state)))
        else:
            after = step(state, choose.choice(legal(state).tolist()))
        if after.over:
            return state
        state = after
    return state


# -- dealing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**63 - 1), index=st.integers(0, 2**40))
def test_deals_use_every_card_once_and_repeat(variant, seed, index):
    game = games.load(variant[0], **variant[1])
    dealt = game.deal(seed, index)
    assert sum(dealt.hands) + dealt.public + dealt.hidden == game.deck.full
    assert game.deal(seed, index) == dealt
    assert game.make_deal(dealt.hands, dealt.public, dealt.first) == dealt


def test_every_card_is_as_likely_in_every_hand():
    """3,000 deals: each card is in a hand of 18 of 54 a third of the time; five standard errors are 0.043."""
    game = games.load("zsy2")
    hands = [game.deal(1, index).hands[0] for index in range(3000)]
    for rank, suit in game.deck.kinds:
        share = sum(game.deck.copies(hand, rank, suit) for hand in hands) / len(hands) / game.deck.kinds[rank, suit]
        assert abs(share - 1 / 3) < 0.043
    leads = [game.deal(1, index).first for index in range(3000)]
    assert abs(sum(leads) / 3000 - 0.5) < 0.046


def test_zsy4_serves_14_and_13_and_the_spade_3_leads():
    game = games.load("zsy4")
    larger = [0] * 4
    for index in range(400):
        dealt = game.deal(3, index)
        sizes = [game.deck.size(hand) for hand in dealt.hands]
        assert sorted(sizes) == [13, 13, 14, 14]
        assert game.deck.copies(dealt.hands[dealt.first], 0, 0) == 1
        larger = [n + (size == 14) for n, size in zip(larger, sizes, strict=True)]
    assert all(150 < n < 250 for n in larger)  # 200 each expected, standard deviation 10


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "7", True])
def test_bad_seeds_are_named(seed):
    with pytest.raises(BadInput, match=f"seed {seed!r}"):
        deal(games.load("zsy2"), seed)


def test_bad_deals_are_named():
    game = games.load("doudizhu")
    hands = game.deal(0).hands
    with pytest.raises(BadInput, match="3 hands, not 2"):
        game.make_deal(hands[:2])
    with pytest.raises(BadInput, match="too many for the deck"):
        game.make_deal((hands[0], hands[0], hands[1]), game.deal(0).public)
    with pytest.raises(BadInput, match=r"hands of 17, 17, 17, 0 cards; it deals 17, 17, 17, 3"):
        game.make_deal(hands)
    with pytest.raises(BadInput, match="seat 1 may not act first"):
        game.make_deal(hands, game.deal(0).public, first=1)


# -- rounds ----------------------------------------------------------------------------------------------------------


def test_a_round_goes_on_until_all_others_pass():
    game = games.load("doudizhu")
    state = position(game, "34568", "445577", "6688KK")
    state = play_cards(state, "3", "4", "6", "8", "pass", "K")
    assert (state.turn, state.last_by) == (0, 2)  # seat 1 passed once and may come back
    state = play_cards(state, "pass", "pass")
    assert (state.turn, state.last) == (2, PASS)


def test_a_seat_that_passed_may_play_again():
    game = games.load("doudizhu")
    state = play_cards(position(game, "358", "4477", "66KK"), "3", "pass", "6", "8")
    assert state.turn == 1
    assert game.table.labels.index("7") not in legal(state)
    assert legal(state).tolist() == [PASS]
    final = games.load("doudizhu", pass_is_final=True)
    state = play_cards(position(final, "358", "4477", "66KK"), "3", "pass", "6", "8")
    assert state.turn == 2  # seat 1 waits for the next round
    state = play_cards(state, "pass")
    assert (state.turn, state.last) == (0, PASS)


def test_in_zsy4_play_goes_on_for_the_places():
    game = games.load("zsy4")
    state = position(game, "9s", "Ts3h", "4d5d", "Kd7c6c", turn=0)
    state = play_cards(state, "9s")
    assert state.out == (0,)
    assert not state.over
    state = play_cards(state, "Ts", "pass", "Kd", "pass", "pass")
    assert (state.turn, state.last) == (3, PASS)
    state = play_cards(state, "7c", "pass", "pass", "6c")
    assert state.out == (0, 3)
    state = play_cards(state, "pass", "pass")
    assert (state.turn, state.last) == (1, PASS)  # seat 3 won the round but is out: the next seat still in leads
    state = play_cards(state, "3h")
    assert state.over
    assert state.places == (1, 3, 4, 2)
    assert state.scores == (3, -1, -3, 1)
    assert state.winners == (0,)


def test_points_to_the_winner_alone():
    game = games.load("zsy4", points="winner")
    state = position(game, "9s", "3h", "4d5d", "KdKh", out=(1, 3), turn=0)
    state = replace(state, hands=(state.hands[0], 0, state.hands[2], 0))
    assert play_cards(state, "9s").scores == (-1, 3, -1, -1)


def test_a_winner_without_cards_leaves_the_lead_to_its_partner():
    hands = "22", "34", "56", "78"
    state = play_cards(position(TeamGame(), *hands), "22", "pass", "pass", "pass")
    assert (state.turn, state.last, state.over) == (2, PASS, False)
    everybody_next = type("Next", (TeamGame,), {"lead_passes_to": "next"})()
    assert play_cards(position(everybody_next, *hands), "22", "pass", "pass", "pass").turn == 1


def test_a_deal_ends_when_a_side_is_out():
    state = play_cards(position(TeamGame(), "22", "34", "5", "78"), "22", "pass", "pass", "pass", "5")
    assert state.over
    assert (state.out, state.places, state.winners, state.scores) == ((0, 2), (1, 0, 2, 0), (0, 2), (3, -3, 3, -3))
    assert legal(state).size == 0
    state = play_cards(position(TeamGame(), "22", "3", "45", "6"), "22", "pass", "pass", "pass", "4", "6")
    assert (state.out, state.over) == ((0, 3), False)
    state = play_cards(state, "pass", "pass")
    assert (state.turn, state.last) == (1, PASS)  # seat 3 won the round but is out: its partner leads
    state = play_cards(state, "3")
    assert state.over
    assert (state.out, state.places, state.scores) == ((0, 3, 1), (1, 3, 4, 2), (1, -1, 1, -1))


# -- bids and scores -------------------------------------------------------------------------------------------------


def test_the_highest_bidder_is_landlord_and_takes_the_public_cards():
    game = games.load("doudizhu", bidding=True)
    state = deal(game, 4)
    first = state.turn
    assert legal(state).size == 0
    assert legal_bids(state) == (0, 1, 2, 3)
    state = bid(bid(state, 1), 0)
    assert legal_bids(state) == (0, 2, 3)
    state = bid(state, 2)
    landlord = (first + 2) % 3
    assert (state.landlord, state.turn) == (landlord, landlord)
    assert game.deck.size(state.hands[landlord]) == 20
    assert game.deck.holds(state.hands[landlord], state.start.public)


def test_three_ends_the_bidding():
    state = deal(games.load("doudizhu", bidding=True), 4)
    assert bid(state, 3).landlord == state.turn


def test_cards_are_dealt_again_when_nobody_bids():
    state = deal(games.load("doudizhu", bidding=True), 4)
    again = bid(bid(bid(state, 0), 0), 0)
    assert again.bidding
    assert again.bids == ()
    assert again.start != state.start
    assert bid(bid(bid(state, 0), 0), 0) == again


@pytest.mark.parametrize("points", [4, -1, 1])
def test_bids_must_be_above_the_last(points):
    state = bid(deal(games.load("doudizhu", bidding=True), 4), 2)
    with pytest.raises(IllegalPlay, match=f"bid {points}"):
        bid(state, points)


def test_no_play_before_the_bids_and_no_bid_without_bidding():
    with pytest.raises(IllegalPlay, match="must bid before"):
        step(deal(games.load("doudizhu", bidding=True), 4), 1)
    with pytest.raises(IllegalPlay, match="nothing now"):
        bid(deal(games.load("doudizhu"), 4), 1)


@pytest.mark.parametrize(
    ("rules", "hands", "plays", "scores"),
    [
        ({}, ("3K", "46", "57"), ("3", "4", "5", "K"), (2, -1, -1)),
        ({"base": 3}, ("3333K", "46", "57"), ("3333", "pass", "pass", "K"), (12, -6, -6)),
        ({}, ("3333K", "4444Q", "5SB"), ("3333", "4444", "SB", "pass", "pass", "5"), (-16, 8, 8)),
        ({"spring": True}, ("3333K", "46", "57"), ("3333", "pass", "pass", "K"), (8, -4, -4)),
        ({"spring": True}, ("3K", "46", "57"), ("3", "4", "5", "K"), (2, -1, -1)),
        ({"spring": True}, ("3KK", "4444Q", "57"), ("3", "4444", "pass", "pass", "Q"), (-8, 4, 4)),
        ({"spring": True}, ("3KA", "4Q", "57"), ("3", "4", "pass", "K", "pass", "pass", "A"), (2, -1, -1)),
    ],
)
def test_doudizhu_pays(rules, hands, plays, scores):
    state = play_cards(position(games.load("doudizhu", **rules), *hands), *plays)
    assert state.over
    assert state.scores == scores


def test_with_bidding_the_bid_is_the_base():
    game = games.load("doudizhu", bidding=True, base=7)
    state = bid(deal(game, 1), 3)
    others = [seat for seat in range(3) if seat != state.landlord]
    hands = [0, 0, 0]
    hands[state.landlord] = game.deck.parse("3")
    for seat in others:
        hands[seat] = game.deck.parse("44")
    state = play_cards(replace(state, hands=tuple(hands)), "3")
    assert state.scores[state.landlord] == 6
    assert [state.scores[seat] for seat in others] == [-3, -3]


# -- doubling --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("bids", "landlord"), [((3,), 0), ((1, 2, 0), 1), ((0, 0, 1), 2)])
def test_after_the_bids_the_peasants_and_then_the_landlord_say_whether_they_double(bids, landlord):
    state = deal(games.load("doudizhu", bidding=True, doubling=True), 4)
    first = state.turn
    for points in bids:
        assert state.phase == "bid"
        state = bid(state, points)
    landlord = (first + landlord) % 3
    assert (state.landlord, state.game.deck.size(state.hands[landlord])) == (landlord, 20)
    for after, says in ((1, 1), (2, 0), (0, 1)):
        assert (state.phase, state.turn, legal_bids(state), legal(state).size) == ("double", (landlord + after) % 3, (0, 1), 0)
        state = bid(state, says)
    assert (state.phase, state.turn, legal_bids(state)) == ("play", landlord, ())
    assert state.doubled == {landlord, (landlord + 1) % 3}
    peasant = view(state, (landlord + 1) % 3)
    assert peasant.auction == {(first + i - landlord - 1) % 3: points for i, points in enumerate(bids)}
    assert peasant.doubles == {0: True, 1: False, 2: True}


def test_without_bidding_doubling_comes_at_once():
    state = deal(games.load("doudizhu", doubling=True), 4)
    assert (state.landlord, state.turn, state.phase, view(state).phase) == (0, 1, "double", "double")
    with pytest.raises(IllegalPlay, match="seat 1 must say whether it doubles before"):
        step(state, 1)
    with pytest.raises(IllegalPlay, match=r"double 2: seat 1 says 0 \(no\) or 1"):
        bid(state, 2)
    state = bid(bid(bid(state, 1), 0), 0)
    assert (state.turn, state.doubled) == (0, {1})
    with pytest.raises(IllegalPlay, match="nothing now"):
        bid(state, 1)


def test_nobody_doubles_where_nobody_bids():
    game = games.load("doudizhu", bidding=True, doubling=True)
    again = bid(bid(bid(deal(game, 4), 0), 0), 0)
    assert (again.phase, again.bids) == ("bid", ())
    assert again.start == bid(bid(bid(deal(games.load("doudizhu", bidding=True), 4), 0), 0), 0).start


@pytest.mark.parametrize("doubles", list(product((0, 1), repeat=3)))
@pytest.mark.parametrize(("plays", "points"), [(("3333", "pass", "pass", "K"), 12), (("3", "4", "5", "pass", "6"), -6)])
def test_each_peasant_and_the_landlord_pay_each_other(doubles, plays, points):
    """Base 3, with a spring and, where the landlord wins, a bomb. A peasant that is out wins for both."""
    game = games.load("doudizhu", doubling=True, spring=True, base=3)
    hands = ("3333K", "46", "57") if points > 0 else ("3KK", "46", "577")
    state = play_cards(position(game, *hands, bids=doubles), *plays)
    after, before, landlord = doubles
    paid = [points << after + landlord, points << before + landlord]
    assert state.scores == (sum(paid), -paid[0], -paid[1])


# -- illegal plays ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "hand", "last", "text", "complaint"),
    [
        ("zsy2", "3344", "", "pass", "the leader may not pass"),
        ("zsy2", "3344", "", "55", "the hand 3344 lacks 55"),
        ("zsy2", "33446", "", "446", "446 is no play of zsy2"),
        ("zsy2", "3344", "55", "44", r"44 \(pair\) is not higher than 55"),
        ("zsy2", "3344", "5", "44", r"44 \(pair\) does not answer 5 \(single\)"),
        ("zsy2", "3333", "4444", "3333", "is not higher than 4444"),
        ("zsy4", "3s4s5s", "", "3s4s", "is no play of zsy4"),
        ("zsy4", "3s4s5s", "4h5h6h", "3s4s5s", "345♠ .* is not higher than 456♥"),
    ],
)
def test_illegal_plays_are_explained(name, hand, last, text, complaint):
    game = games.load(name)
    row = game.table.find(game.deck.parse(last)) if last else PASS
    state = position(game, hand, "", *[""] * (game.seats - 2), last=row, last_by=1 if last else NOBODY)
    cards = 0 if text == "pass" else game.deck.parse(text)
    with pytest.raises(IllegalPlay, match=complaint):
        put(state, cards)
    play = game.table.find(cards)
    if play is not None:
        with pytest.raises(IllegalPlay):
            step(state, play)


def test_no_play_after_the_end():
    state = play_cards(position(games.load("zsy2"), "3", "44"), "3")
    with pytest.raises(IllegalPlay, match="the game is over"):
        step(state, 1)
    assert legal(state).size == 0


@pytest.mark.parametrize("play", [-1, 9076])
def test_rows_outside_the_table_are_refused(play):
    with pytest.raises(IllegalPlay, match=r"numbered 0\.\.9075"):
        step(deal(games.load("zsy2"), 0), play)


# -- what holds in every game ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_cards_are_conserved_and_scores_cancel(variant, seed):
    game, choose = games.load(variant[0], **variant[1]), random.Random(seed)
    state = deal(game, seed)
    while not state.over:
        not_taken = state.start.public if state.landlord == NOBODY else 0
        assert sum(state.hands) + sum(state.played) + state.start.hidden + not_taken == game.deck.full
        if state.bidding:
            state = bid(state, choose.choice(legal_bids(state)))
            continue
        plays = legal(state).tolist()
        assert plays == sorted(set(plays))
        assert plays
        state = step(state, choose.choice(plays))
    assert sum(state.scores) == 0
    assert all(state.scores[seat] > 0 for seat in state.winners)


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), steps=st.integers(0, 60), data=st.data())
def test_a_view_does_not_change_when_hidden_cards_are_reshuffled(variant, seed, steps, data):
    game = games.load(variant[0], **variant[1])
    state = random_state(game, seed, steps)
    me = data.draw(st.integers(0, game.seats - 1))
    other = reshuffled(state, me, data.draw(st.randoms(use_true_random=False)))
    assert view(other, me) == view(state, me)


def reshuffled(state, me, choose):
    """The same game with the cards `me` cannot see dealt another way: other hands, hidden cards, public ones while bidding."""
    game = state.game
    known = (
        state.start.public if state.landlord not in (NOBODY, me) else 0
    )  # the landlord is known to hold what is left of these
    known = known - overlap(game, known, state.played[state.landlord]) if known else 0
    others = [seat for seat in range(game.seats) if seat != me]
    kept = {seat: known if seat == state.landlord else 0 for seat in others}
    sizes = [game.deck.size(state.hands[seat] - kept[seat]) for seat in others]
    unseen = game.deck.full - state.hands[me] - sum(state.played) - sum(kept.values())
    pile = [game.deck.card(*kind) for kind in game.deck.kinds for _ in range(game.deck.copies(unseen, *kind))]
    choose.shuffle(pile)
    hands, at = list(state.hands), 0
    for seat, size in zip(others, sizes, strict=True):
        hands[seat], at = kept[seat] + sum(pile[at : at + size]), at + size
    public = game.deck.size(state.start.public) if state.landlord == NOBODY else 0
    hidden = sum(pile[at + public :])
    start_cards = replace(state.start, public=sum(pile[at : at + public]) if public else state.start.public, hidden=hidden)
    return replace(state, hands=tuple(hands), start=start_cards)


def overlap(game, a, b):
    return sum(min(game.deck.copies(a, *kind), game.deck.copies(b, *kind)) * game.deck.card(*kind) for kind in game.deck.kinds)


def test_the_reshuffle_does_move_cards():
    """Guards the test above: the reshuffled state is another one."""
    state = random_state(games.load("doudizhu"), 1, 5)
    assert reshuffled(state, 0, random.Random(1)).hands != state.hands


def test_a_view_is_relative_to_its_seat():
    game = games.load("doudizhu")
    state = play_cards(position(game, "34K", "445", "6678"), "3", "4", "6")
    seen = view(state, 1)
    assert game.deck.format(seen.hand) == "45"
    assert [game.deck.format(cards) for cards in seen.played] == ["4", "6", "3"]
    assert seen.left == (2, 3, 2)
    assert (seen.landlord, seen.role, seen.last_by) == (2, 1, 1)
    assert [turn.seat for turn in seen.history] == [2, 0, 1]
    assert [view(state, seat).role for seat in range(3)] == [0, 1, 2]


def test_public_cards_are_hidden_while_seats_bid():
    game = games.load("doudizhu", bidding=True)
    state = deal(game, 9)
    assert view(state).public == 0
    state = bid(state, 3)
    assert view(state, (state.landlord + 1) % 3).public == state.start.public


# -- against numbers from elsewhere ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "mean", "tolerance"), [("zsy2", 37.8, 0.3), ("doudizhu", 61.1, 0.5)])
def test_random_games_are_as_long_as_known(name, mean, tolerance):
    """5,000 games; the standard error of the mean is about 0.08 for zsy2 and 0.22 for doudizhu."""
    game, choose, turns, count = games.load(name), random.Random(0), 0, 5_000
    for index in range(count):
        state = deal(game, 2026, index)
        while not state.over:
            state = step(state, choose.choice(legal(state).tolist()))
        turns += len(state.history)
    assert abs(turns / count - mean) < tolerance


def test_starting_from_given_cards_is_starting_from_the_deal():
    game = games.load("zsy4")
    dealt = game.deal(8)
    assert start(game, dealt, 8) == deal(game, 8)
    assert reference.start(game, game.make_deal(dealt.hands, first=dealt.first)).hands == dealt.hands
