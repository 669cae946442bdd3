"""Many games at once come out as the games one by one; every agent is asked for all its games together."""

import pytest

from games.variants import VARIANTS, variant_name
from shangyou import agents, games
from shangyou.agents import play as loop
from shangyou.agents import take_turn
from shangyou.agents.play import play
from shangyou.agents.scripted.greedy import GreedyAgent
from shangyou.engines import reference
from shangyou.games import BadInput

SEED = 13


def one_by_one(state, players):
    """The plainest loop there is."""
    while not state.over:
        state = take_turn(state, players[state.turn])
    return state


def tables(game, count):
    """Deals, and in every other game the agents in other seats."""
    cast = [agents.load(name, game, seed) for seed, name in enumerate(["random", "greedy", "random", "greedy"])]
    seated = [[cast[(seat + i) % 4] for seat in range(game.seats)] for i in range(count)]
    return [reference.deal(game, SEED, i) for i in range(count)], seated


def play_seated(states, seated):
    """The loop, given the agents of every game."""
    cast = list(dict.fromkeys(agent for players in seated for agent in players))
    return play(states[0].game, cast, [[cast.index(agent) for agent in players] for players in seated], states)


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
def test_interleaved_games_are_the_games_one_by_one(variant):
    name, rules = variant
    states, seated = tables(games.load(name, **rules), 9)
    assert play_seated(states, seated) == [one_by_one(state, players) for state, players in zip(states, seated, strict=True)]


def test_redeals_are_those_of_the_games_one_by_one():
    """Random bids leave one deal in 64 without a landlord."""
    game = games.load("doudizhu", bidding=True)
    player = agents.load("random", game)
    states = [reference.deal(game, SEED, i) for i in range(150)]
    ends = play_seated(states, [[player] * 3] * 150)
    assert any(end.index >= reference.REDEAL for end in ends)
    assert ends == [one_by_one(state, [player] * 3) for state in states]


class Asked(GreedyAgent):
    """Remembers how many plays it had to choose from each time it was asked."""

    def __init__(self):
        self.calls = []

    def act_many(self, views, legals):
        self.calls.append([len(legal) for legal in legals])
        return super().act_many(views, legals)


def test_an_agent_is_asked_for_all_its_games_together_and_never_without_a_choice():
    game, count = games.load("zsy2"), 20
    mine, other = Asked(), Asked()
    seats = [[mine, other] if i % 2 else [other, mine] for i in range(count)]
    ends = play_seated([reference.deal(game, SEED, i) for i in range(count)], seats)
    assert len(mine.calls[0]) + len(other.calls[0]) == count
    assert len(mine.calls) <= max(len(end.history) for end in ends)
    assert min(min(call) for call in mine.calls + other.calls) > 1
    choices = sum(len(call) for call in mine.calls + other.calls)
    assert choices < sum(len(end.history) for end in ends)


def test_games_that_are_over_stay_as_they_are_and_no_games_are_fine():
    game = games.load("zsy2")
    player = agents.load("greedy")
    end = agents.play_game(game, [player] * 2, SEED)
    assert play_seated([end], [[player] * 2]) == [end]
    assert play(game, [], [], []) == []


class NeverBids(GreedyAgent):
    def bid(self, view, bids):
        return 0


def test_games_nobody_bids_for_end(monkeypatch):
    monkeypatch.setattr(loop, "MOST_REDEALS", 3)
    with pytest.raises(BadInput, match="3 deals and no landlord: greedy, greedy, greedy never bid"):
        play_seated([reference.deal(games.load("doudizhu", bidding=True), SEED)], [[NeverBids()] * 3])


def test_every_decision_is_observed():
    """Those without a choice too, with the state before the play."""
    game, seen = games.load("zsy4"), []
    ends = play(game, [agents.load("greedy")] * 4, None, [reference.deal(game, SEED, i) for i in range(3)], seen.append)
    for number, end in enumerate(ends):
        mine = [decision for decision in seen if decision.number == number]
        assert [(decision.state.turn, decision.play) for decision in mine] == [(turn.seat, turn.play) for turn in end.history]
        assert all(decision.play in decision.legal for decision in mine)
    assert any(len(decision.legal) == 1 for decision in seen)


def test_every_game_needs_an_agent_for_every_seat():
    state = reference.deal(games.load("zsy4"), SEED)
    with pytest.raises(BadInput, match="4 seats, not 3"):
        play_seated([state, state], [[agents.load("greedy")] * 4, [agents.load("greedy")] * 3])
