"""Positions as a person types them: what a real game shows comes out again, and what cannot be is refused with the reason."""

from dataclasses import replace

import pytest

from records.random_games import random_states
from shangyou import games
from shangyou.engines import reference
from shangyou.engines.position import ROLES, legal, position
from shangyou.games import NOBODY, PASS, BadInput

VARIANTS = [
    ("zsy2", {}),
    ("zsy2", {"cards_each": 10}),
    ("zsy4", {}),
    ("zsy4", {"decks": 2}),
    ("doudizhu", {}),
    ("doudizhu", {"bidding": True}),
]


def cards_typed(view):
    """What a person types who sees this."""
    text = view.game.deck.format
    typed = {"played": [text(cards) for cards in view.played], "left": view.left[1:]}
    if view.last != PASS:
        turn = next(turn for turn in reversed(view.history) if turn.play != PASS)
        typed |= {"last": text(turn.cards), "last_by": view.last_by}
    return typed


def landlord_typed(view):
    return {"role": ROLES[view.role], "public": view.game.deck.format(view.public)} if view.landlord != NOBODY else {}


def history_typed(view):
    return {"history": " ".join(view.game.deck.format(turn.cards) or "pass" for turn in view.history)}


def decisions(name, rules, seed):
    """Some of those of a random game."""
    all_of_them = [state for state in random_states(name, rules, seed) if not state.over and not state.bidding]
    return all_of_them[seed % 5 :: 5]


@pytest.mark.parametrize(("name", "rules"), VARIANTS)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_typed_back_is_what_was_seen(name, rules, seed):
    for state in decisions(name, rules, seed):
        view = replace(reference.view(state), bids=())
        hand = view.game.deck.format(view.hand)
        by_cards = position(view.game, hand, **cards_typed(view), **landlord_typed(view))
        assert replace(by_cards, history=()) == replace(view, history=())
        assert by_cards.history == view.history[len(view.history) - len(by_cards.history) :]
        by_turns = position(view.game, hand, **cards_typed(view), **landlord_typed(view), **history_typed(view))
        assert by_turns == view
        assert legal(view).tolist() == reference.legal(state).tolist()


@pytest.mark.parametrize(
    ("name", "rules"), [*VARIANTS, ("zsy4", {"pass_is_final": True}), ("doudizhu", {"pass_is_final": True})]
)
def test_all_but_hand_and_public_cards_follow_from_the_history(name, rules):
    for state in decisions(name, rules, 7):
        view = replace(reference.view(state), bids=())
        typed = history_typed(view) | {"public": view.game.deck.format(view.public)}
        if len(set(view.game.hand_sizes(0))) > 1:  # nobody can know who got more
            typed["left"] = view.left[1:]
        assert position(view.game, view.game.deck.format(view.hand), **typed) == view


# -- what cannot be -----------------------------------------------------------------------------------------------------

LANDLORD, BEFORE = "3 4 4 4 4 5 6 7 8 9 T J Q K A 2 2 2 S B", "9 9 T T T J J J Q Q Q K K K A A A"


def landlord(**typed):
    """The landlord's first lead, with these changes."""
    return position(games.load("doudizhu"), LANDLORD, **({"role": "landlord", "public": "444"} | typed))


def test_the_first_lead():
    view = landlord()
    assert (view.left, view.last, view.role, view.history) == ((20, 17, 17), PASS, 0, ())


def test_the_play_to_beat_and_who_passed_on_it():
    view = position(
        games.load("doudizhu"),
        BEFORE,
        played=["", "3 4 5 6 7", ""],
        last="34567",
        last_by=1,
        role="before",
        public="444",
    )
    assert (view.left, view.last_by, view.landlord, view.passed) == ((17, 15, 17), 1, 1, {2})
    assert [(turn.seat, turn.play != PASS) for turn in view.history] == [(1, True), (2, False)]


def test_who_is_out_does_not_pass():
    view = position(
        games.load("zsy4"),
        "3s 4s",
        played=["5s 6s 7s 8s 9s Ts Js Qs Ks As 2s", "2h", "3h4h5h6h7h8h9hThJhQhKhAhBS", "Kd"],
        last="2h",
        last_by=1,
        left=[13, 0, 12],
    )
    assert view.passed == {3}


def test_the_last_play_needs_no_suits():
    played = ["4s5s6s7s8s9sTsJsQsKsAs2s", "", "2h", "Qd"]
    view = position(games.load("zsy4"), "3s", played=played, last="Q", left=[13, 13, 13])
    assert view.history[-1].cards == view.game.deck.parse("Qd")


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ({"role": "king"}, r"role 'king': in doudizhu it is landlord, or after or before"),
        ({"role": ""}, r"role '': in doudizhu it is landlord"),
        ({"public": ""}, r"public cards '': doudizhu has 3"),
        ({"public": "335"}, r"public cards 335: 3 was not played by the landlord, who cannot hold it"),
        ({"role": "after"}, r"20 cards in the hand and 0 played by you are 20; you started with 17"),
        ({"played": ["3", "", ""]}, r"20 cards in the hand and 1 played by you are 21; you started with 20"),
        ({"played": ["3", ""]}, r"played '3 / ': 2 seats, but doudizhu has 3; you are first"),
        ({"played": ["", "4", ""]}, r"played by seat 1: 4 has 4 too many for the deck"),
        ({"played": ["", "333", "3"]}, r"played by seat 2: 3 has 3 too many for the deck"),
        ({"played": ["", "3", ""]}, r"the landlord leads first: it must have played"),
        ({"played": ["", "333555666777888999", ""]}, r"seat 1 cannot have played 18 cards: it started with 17"),
        ({"played": ["", "33355566677788899", ""]}, r"the game is over: seat 1 has played all its cards"),
        ({"last": "3"}, r"last play '3' is not among the cards that seat 2 has played: nothing"),
        ({"last": "4", "played": ["", "", "55"]}, r"4 too many in the deck"),
        ({"last": "35", "played": ["", "", "35"]}, r"last play 35 is no play of doudizhu"),
        ({"last_by": 1}, r"last_by 1: there is no last play"),
        ({"last": "3", "last_by": 3}, r"last_by 3: counted from you, who are 0, it is 1..2 in doudizhu"),
        ({"first": 1}, r"first 1: the landlord leads first, who is seat 0"),
        ({"first": 4}, r"first 4: counted from you"),
        ({"left": [17, 16]}, r"left 17 16: by what was dealt and played the other seats hold 17 17"),
        ({"left": [17]}, r"left 17: by what"),
        ({"history": "3"}, r"after the history seat 1 is to act, not you"),
        ({"history": "3 4 pass"}, r"the hand has 20 cards; after the history you hold 19"),
        ({"history": "34"}, r"history, turn 1, '34' by seat 0: 34 is no play of doudizhu"),
        ({"history": "5 3"}, r"history, turn 2, '3' by seat 1: 3 \(solo\) is not higher than 5 \(solo\)"),
        ({"history": "pass"}, r"history, turn 1, 'pass' by seat 0: pass: the leader may not pass"),
        ({"history": "3z"}, r"'z' is no card"),
    ],
)
def test_what_cannot_be_is_refused(typed, complaint):
    with pytest.raises(BadInput, match=complaint):
        landlord(**typed)


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ({"played": ["3", "", ""]}, r"played by seat 1: nothing contradicts the history, by which it is 5"),
        ({"last": "5"}, r"last play '5' is not among the cards that seat 2 has played: 6"),
        ({"last": "6", "last_by": 1}, r"last play '6' is not among the cards that seat 1 has played: 5"),
        ({"left": [15, 16]}, r"left 15 16: by what was dealt and played the other seats hold 16 16"),
        ({"role": "before"}, r"after the history seat 1 is to act"),
        ({"hand": "4 4 4 4 5 6 7 8 9 T J Q K A 2 2 2 S S"}, r"more than 1 of S"),
        ({"hand": "4 4 4 4 5 5 5 5 9 T J Q K A 2 2 2 S B"}, r"played by seat 1: 5 has 5 too many for the deck"),
    ],
)
def test_what_contradicts_the_history_is_refused(typed, complaint):
    asked = {"hand": "4 4 4 4 5 6 7 8 9 T J Q K A 2 2 2 S B", "history": "3 5 6", "public": "444"} | typed
    with pytest.raises(BadInput, match=complaint):
        position(games.load("doudizhu"), **asked)


def test_the_history_may_lead_to_the_end():
    with pytest.raises(BadInput, match="after the history the game is over"):
        position(games.load("zsy2", cards_each=2), "4", history="33")
    with pytest.raises(BadInput, match=r"turn 2, '34' by seat 0: the game is over"):
        position(games.load("zsy2", cards_each=2), "4", history="33 34")
    with pytest.raises(BadInput, match=r"turn 4, '55' by seat [01]: it holds fewer cards, 1"):
        position(games.load("zsy2", cards_each=2), "4", history="3 4 pass 55")


def test_hands_of_different_size_must_be_told():
    hand = "3s4s5s6h7h9dTdJdQcKcAs2hB"
    with pytest.raises(BadInput, match=r"left is needed, as hands are dealt in different sizes: .* 14 14 13 or 13 14 14"):
        position(games.load("zsy4"), hand)
    assert position(games.load("zsy4"), hand, left=[14, 14, 13]).left == (13, 14, 14, 13)
    with pytest.raises(BadInput, match=r"left 14 13 14: .* hold 14 14 13 or 13 14 14"):
        position(games.load("zsy4"), hand, left=[14, 13, 14])


def test_only_the_holder_of_the_three_of_spades_begins():
    hand = "3h4s5s6h7h9dTdJdQcKcAs2hB"
    with pytest.raises(BadInput, match="the holder of the 3 of spades leads first: nothing was played, and that is not you"):
        position(games.load("zsy4"), hand, left=[14, 14, 13])
    assert position(games.load("zsy4", first_lead="random"), hand, left=[14, 14, 13])


def test_a_final_pass_needs_the_history():
    with pytest.raises(BadInput, match="history is needed"):
        position(
            games.load("doudizhu", pass_is_final=True), BEFORE, role="before", public="444",
            played=["", "34567", ""], last="34567", last_by=1,
        )  # fmt: skip


def test_games_without_a_landlord_have_no_role():
    with pytest.raises(BadInput, match="zsy2 has no landlord"):
        position(games.load("zsy2"), "3", role="landlord")
    with pytest.raises(BadInput, match="public cards '345': zsy2 has none"):
        position(games.load("zsy2"), "3", public="345")
