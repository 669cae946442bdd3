"""What was true of finished games: against plain minimax, turn by turn; the play that gave a game away; what stays unknown."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from search.minimax import TooLarge, minimax, moves
from search.test_solver import random_position
from shangyou import games
from shangyou.engines import reference
from shangyou.engines.open_position import open_position
from shangyou.games import BadInput
from shangyou.search.outcomes import read_objective
from shangyou.search.truth import truth

GAMES_PLAYED = 150


def after_plays(state, plays):
    """All states of a game that goes on with these cards; none are a pass."""
    found = [state]
    for cards in plays:
        found.append(reference.put(found[-1], state.game.deck.parse(cards) if cards else 0))
    return found


def played_out(state, rng, turns=100):
    found = [state]
    while not found[-1].over and len(found) <= turns:
        found.append(reference.put(found[-1], rng.choice(moves(found[-1]))))
    return found


def forced(state, seat):
    """As the solver counts it, by minimax."""
    objective = read_objective(state.game, None)
    return abs(minimax(state, seat, objective))


def test_it_is_minimax():
    """Before and after every play of small games, some not finished; the better play keeps what the one made did not."""
    rng, left, given, names = random.Random(3), GAMES_PLAYED, 0, set()
    while left:
        states = played_out(random_position(rng), rng, rng.choice((2, 100)))
        try:
            before = [forced(state, state.turn) for state in states[:-1]]
            after = [forced(new, old.turn) for old, new in pairwise(states)]
        except TooLarge:
            continue
        found = truth(states)
        choices = [number for number, state in enumerate(states[:-1]) if len(reference.legal(state)) > 1]
        assert [one.turn for one in found.turns] == choices, states[0]
        assert [(one.value, one.after) for one in found.turns] == [(before[n], after[n]) for n in choices], states[0]
        for one in found.turns:
            state = states[one.turn]
            assert one.seat == state.turn
            assert one.gave_away == (one.better is not None)
            if one.better:
                assert forced(reference.put(state, one.better.cards), state.turn) == one.value
                given += 1
        assert found.proven_from == (0 if choices else None)
        names.add(states[0].game.name)
        left -= 1
    assert names == {"zsy2", "zsy4", "doudizhu"}
    assert given > 30


def test_the_play_that_gave_a_win_away_is_found():
    """Who leads the five instead of the pair sees a six, and the joker ends the game."""
    game = games.load("zsy2")
    found = truth(after_plays(open_position(game, ["445", "6S"]), ["5", "6", "", "S"]))
    assert found.objective == "win"
    assert [(one.turn, one.seat, one.value, one.after) for one in found.turns if one.gave_away] == [(0, 0, 1, 0)]
    assert game.table.labels[found.turns[0].better.play] == "44"
    assert (found.proven_from, found.forced_from) == (0, 1)


def test_a_place_is_what_a_seat_can_force_against_all_others():
    """Nobody has a pair: who leads the threes goes out next. A single three lets the last seat out, then the others."""
    state = open_position(games.load("zsy4"), ["3s3h4s", "5s", "7s", "Ts"])
    states = after_plays(state, ["3s", "5s", "7s", "Ts"])
    found = truth(states)
    assert found.objective == "place"
    (lost,) = (one for one in found.turns if one.gave_away)
    assert (lost.turn, lost.seat, lost.value, lost.after) == (0, 0, forced(state, 0), forced(states[1], 0)) == (0, 0, 1, 4)
    assert forced(reference.put(state, lost.better.cards), 0) == 1
    assert found.forced_from is None  # of more than two sides


def test_with_few_positions_early_turns_stay_unknown():
    game = games.load("doudizhu")
    rng, state = random.Random(1), reference.deal(games.load("doudizhu"), seed=3)
    states = [state]
    while not states[-1].over:
        states.append(reference.step(states[-1], int(rng.choice(reference.legal(states[-1])))))
    found = truth(states, nodes=3_000, turn_nodes=1_000)
    assert found.proven_from > 0
    assert found.turns[0].turn > 3
    assert found.nodes < 3_000 + len(states) * len(game.table)
    assert truth(states[:3], nodes=1_000).turns == ()
    assert truth(states[:3], nodes=1_000).proven_from is None


def test_a_game_that_is_not_finished_has_its_turns():
    states = after_plays(open_position(games.load("zsy2"), ["445", "6S"]), ["44"])
    found = truth(states)
    assert [(one.value, one.after) for one in found.turns] == [(1, 1)]
    assert (found.proven_from, found.forced_from) == (0, None)


def test_before_the_first_play_nothing_is_asked():
    bidding = reference.deal(games.load("doudizhu", bidding=True), seed=1)
    for states in ([bidding], [bidding, reference.bid(bidding, 1)], [reference.deal(games.load("zsy2"), seed=1)]):
        found = truth(states)
        assert (found.turns, found.proven_from, found.forced_from, found.nodes) == ((), None, None, 0)


@pytest.mark.parametrize(
    ("name", "rules", "reason"),
    [("zsy4", {"decks": 2}, "one pack, not 2"), ("doudizhu", {"doubling": True}, "the solver cannot play doudizhu")],
)
def test_rules_the_solver_cannot_play_are_refused(name, rules, reason):
    with pytest.raises(BadInput, match=reason):
        truth([reference.deal(games.load(name, **rules), seed=1)])
