"""An agent plays legally, and as it values."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from shangyou.agents import Agent
from shangyou.engines import reference
from shangyou.engines.reference import State, View
from shangyou.games import BadInput, Game, Rows
from shangyou.games.shuffle import Stream
from shangyou.testing.failures import position, require

T = TypeVar("T")


def check_agent(make_agent: Callable[[], Agent], game: Game, games: int = 10, seed: int = 0) -> None:
    """An agent in every seat of `games` games; half of the plays are random, to reach positions it would not reach itself.

    Takes a maker, not an agent: three are made and asked the same, one for its values, two to act. Their answers must
    agree, which shows that `act` is the best of `values` and that an agent depends on its construction alone (a random
    agent must take its seed there).
    """
    alike = make_agent(), make_agent(), make_agent()
    for index in range(games):
        state, stream = reference.deal(game, seed, index), Stream(seed, index)
        while not state.over:
            state = _bid_checked(state, alike, stream) if state.bidding else _play_checked(state, alike, stream)


def _bid_checked(state: State, alike: tuple[Agent, ...], stream: Stream) -> State:
    bids = reference.legal_bids(state)
    try:
        made = [agent.say(reference.view(state), bids) for agent in alike]
    except BadInput as refusal:
        raise AssertionError(f"{refusal}\n  {position(state)}") from refusal
    require(made[0] in bids, f"{alike[0].name} bids {made[0]!r}, allowed are {bids}", state)
    require(len(set(made)) == 1, f"{alike[0].name} made three times bids {made}", state)
    return reference.bid(state, made[0] if stream.below(2) else bids[stream.below(len(bids))])


def _play_checked(state: State, alike: tuple[Agent, ...], stream: Stream) -> State:
    legal = reference.legal(state)
    valuer, player, twin = alike
    best = _best_checked(state, valuer, legal)
    plays = [_untouched(state, legal, agent.name, agent.act) for agent in (player, twin)]
    require(plays[0] in legal.tolist(), f"{player.name} makes play {plays[0]!r}, which is not legal", state)
    require(plays[0] == plays[1], f"{player.name} made twice alike plays {plays[0]} and {plays[1]}", state)
    require(plays[0] == best, f"{player.name} plays {plays[0]}, the best of its values is {best}", state)
    return reference.step(state, plays[0] if stream.below(2) else int(legal[stream.below(len(legal))]))


def _best_checked(state: State, agent: Agent, legal: Rows) -> int:
    values = _untouched(state, legal, agent.name, agent.values)
    shape = np.shape(values)
    require(shape == legal.shape, f"{agent.name} gives values of shape {shape} for {len(legal)} legal plays", state)
    require(bool(np.isfinite(values).all()), f"{agent.name} gives values that are not finite: {values}", state)
    return int(legal[np.argmax(values)])


def _untouched(state: State, legal: Rows, name: str, ask: Callable[[View, Rows], T]) -> T:
    """What an agent answers; the list of legal plays it is given belongs to the table and must stay as it is."""
    lent = legal.copy()
    answer = ask(reference.view(state), lent)
    require(bool(np.array_equal(lent, legal)), f"{name} changes the list of legal plays", state)
    return answer
