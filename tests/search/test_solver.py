"""The solver against plain minimax, position by position; what it answers, refuses and does not know."""

from __future__ import annotations

import os
import random

import pytest

from search.minimax import TooLarge, minimax, moves, worth
from shangyou import games
from shangyou.engines import reference
from shangyou.engines.open_position import open_position
from shangyou.engines.reference import State
from shangyou.games import NOBODY, BadInput, Deal
from shangyou.search import Question, solve
from shangyou.search.outcomes import objectives

ALL = os.environ.get("SHANGYOU_ALL") == "1"  # make test-all
POSITIONS = 20_000 if ALL else 2_000
GAMES = [
    ("zsy2", {}),
    ("doudizhu", {}),
    ("doudizhu", {"spring": True, "pass_is_final": True}),
    ("zsy4", {}),
    ("zsy4", {"two_in_straight": True, "points": "winner", "pass_is_final": True}),
]
SIZES = {2: (3, 5), 3: (2, 4), 4: (2, 3)}  # by seats: cards of a hand, and of one hand now and then


def random_position(rng: random.Random) -> State:
    """Few cards of few ranks, so that they make pairs, runs and bombs; sometimes in the middle of a round."""
    name, rules = rng.choice(GAMES)
    game = games.load(name, **rules)
    usual, large = SIZES[game.seats]
    sizes = [rng.randint(1, usual) for _ in range(game.seats)]
    if rng.random() < 0.4:
        sizes[rng.randrange(game.seats)] = large
    lowest, width = rng.randint(0, 11), rng.randint(3, 15)
    ranks = [kind for kind in game.deck.kinds if lowest <= kind[0] < lowest + width]
    cards = [game.deck.card(*kind) for kind in ranks for _ in range(game.deck.kinds[kind])]
    if len(cards) < sum(sizes):
        cards = list(game.deck.cards)
    rng.shuffle(cards)
    hands = tuple(sum(cards.pop() for _ in range(size)) for size in sizes)
    landlord = rng.randrange(3) if game.public_size else NOBODY
    state = State(game, Deal(hands, 0), 0, 0, hands, (0,) * game.seats, rng.randrange(game.seats), landlord)
    for _ in range(rng.choice((0, 0, 1, 2, 3))):
        following = reference.put(state, rng.choice(moves(state)))
        if following.over:
            break
        state = following
    return state


@pytest.mark.timeout(3600 if ALL else 600)
def test_it_is_minimax():
    """Also the line: it is legal, goes to the end, and gives what was promised."""
    rng, left, games_met = random.Random(7), POSITIONS, set()
    while left:
        state = random_position(rng)
        for objective in objectives(state.game)[:2]:
            try:
                expected = minimax(state, state.turn, objective)
            except TooLarge:
                break
            answer = solve(Question(state, objective, nodes=100_000))
            given = -expected if objective == "place" else expected
            assert (answer.value, answer.least, answer.most) == (given,) * 3, state
            end = state
            for turn in answer.line:
                assert turn.seat == end.turn
                end = reference.put(end, turn.cards)
            assert end.over, state
            assert worth(end, state.turn, objective) == expected, state
            assert answer.best == answer.line[0]
            games_met.add((state.game.name, str(state.game.rules), objective))
            left -= 1
            if not left:
                break
    assert len(games_met) == 2 * len(GAMES)


def test_with_few_nodes_it_does_not_know():
    state = reference.deal(games.load("doudizhu"), seed=3)
    answer = solve(Question(state, nodes=500))
    assert (answer.value, answer.least, answer.most, answer.best, answer.line) == (None, 0, 1, None, ())
    assert 500 <= answer.nodes < 5000


def test_points_count_bombs():
    """Four sixes, then the last card: twice the points, of which the landlord gets both and a peasant one share."""
    game = games.load("doudizhu")
    assert solve(Question(open_position(game, ["66664", "5", "7"]), "points")).value == 4
    assert solve(Question(open_position(game, ["4", "66665", "7"], turn=1), "points")).value == 2


def test_the_play_to_beat_is_heeded():
    game = games.load("doudizhu")
    asked = {"last": "99", "last_by": 0}
    answer = solve(Question(open_position(game, ["3", "TT4", "55"], turn=1, **asked)))
    assert (answer.seat, answer.value, game.table.labels[answer.best.play]) == (1, 1, "TT")


@pytest.mark.parametrize(
    ("name", "hands", "asked", "reason"),
    [
        ("zsy2", ["3"], {}, "zsy2 has 2 hands, not 1"),
        ("zsy2", ["3", ""], {}, "hands 3, (none): the game is over"),
        ("zsy2", ["3333", "3"], {}, "hand 1, 3, has 3 too many for the deck"),
        ("zsy2", ["3", "4"], {"turn": 2}, "turn 2: zsy2 has the seats 0..1"),
        ("zsy2", ["3", "4"], {"landlord": 0}, "landlord 0: zsy2 has no landlord"),
        ("zsy2", ["3", "4"], {"last_by": 1}, "last_by 1: there is no last play"),
        ("zsy2", ["3", "4"], {"last": "5", "last_by": 0}, "last_by 0: that seat is to act"),
        ("zsy2", ["3", "4"], {"last": "56"}, "last play 56 is no play of zsy2"),
        ("zsy4", ["3s", "4s", "5s", ""], {"turn": 3}, "turn 3: that seat has no cards"),
        ("doudizhu", ["3", "4", "5"], {"last": "3333"}, "last play 3333: together with the hand"),
        ("zsy2", ["3456789TJQKA2", "33445566778899TTJJQQK"], {}, "has 21 cards; a hand has 18 at most"),
    ],
)
def test_positions_that_cannot_be_are_refused(name, hands, asked, reason):
    with pytest.raises(BadInput) as refused:
        open_position(games.load(name), hands, **asked)
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (
            lambda: Question(reference.deal(games.load("zsy2"), 1), "place"),
            "objective 'place': zsy2 is solved for win or points",
        ),
        (lambda: Question(reference.deal(games.load("zsy2"), 1), nodes=0), "nodes 0: a number of positions"),
        (lambda: Question(reference.deal(games.load("zsy4", decks=2), 1)), "the solver plays with one pack, not 2"),
        (lambda: Question(reference.deal(games.load("doudizhu", doubling=True), 1)), "the solver cannot play doudizhu"),
        (lambda: Question(reference.deal(games.load("doudizhu", bidding=True), 1)), "must bid before anybody plays"),
    ],
)
def test_questions_it_cannot_answer_are_refused(question, reason):
    with pytest.raises(BadInput) as refused:
        solve(question())
    assert reason in str(refused.value)
