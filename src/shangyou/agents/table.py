"""The loop that joins an engine and its agents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from shangyou.agents.agent import Agent
from shangyou.engines import reference
from shangyou.engines.reference import REDEAL, State
from shangyou.games import BadInput, Game, Rows

MOST_REDEALS = 1000  # agents that never bid would be dealt cards for ever


def take_turn(state: State, agent: Agent) -> State:
    """The state after `agent` has acted for the seat to move."""
    seen = reference.view(state)
    if state.bidding:
        return reference.bid(state, agent.bid(seen, reference.legal_bids(state)))
    return reference.step(state, agent.act(seen, reference.legal(state)))


class _Choice(NamedTuple):
    """A game that waits for an agent, by its place among the games."""

    game: int
    legal: Rows


def play_many(states: Sequence[State], agents_of_each: Sequence[Sequence[Agent]]) -> list[State]:
    """The finished games, in each one agent to a seat. Each agent is asked for all games that wait for it together.

    The games come out as if they were played one after another. Where only one play is legal, nobody is asked.
    """
    games, running = list(states), list(range(len(states)))
    for state, agents in zip(states, agents_of_each, strict=True):
        if len(agents) != state.game.seats:
            raise BadInput(f"{state.game.name} has {state.game.seats} seats, not {len(agents)}")
    while running:
        waiting: defaultdict[Agent, list[_Choice]] = defaultdict(list)
        for i in running:
            games[i], legal = _to_next_choice(games[i], agents_of_each[i], states[i].index)
            if len(legal):
                waiting[agents_of_each[i][games[i].turn]].append(_Choice(i, legal))
        for agent, choices in waiting.items():
            plays = agent.act_many([reference.view(games[i]) for i, _ in choices], [legal for _, legal in choices])
            for (i, _), play in zip(choices, plays, strict=True):
                games[i] = reference.step(games[i], play)
        running = sorted(choice.game for choices in waiting.values() for choice in choices)
    return games


def _to_next_choice(state: State, agents: Sequence[Agent], first_index: int) -> tuple[State, Rows]:
    """The game where a seat has several plays to choose from, and these; at its end, without any."""
    while not state.over:
        if state.bidding:
            state = take_turn(state, agents[state.turn])
            if state.index > first_index + MOST_REDEALS * REDEAL:
                raise BadInput(f"{MOST_REDEALS} deals and no landlord: {', '.join(agent.name for agent in agents)} never bid")
        elif len(legal := reference.legal(state)) > 1:
            return state, legal
        else:
            state = reference.step(state, int(legal[0]))
    return state, reference.legal(state)


def play_out(state: State, agents: Sequence[Agent]) -> State:
    """The finished game, one agent to a seat."""
    return play_many([state], [agents])[0]


def play_game(game: Game, agents: Sequence[Agent], seed: int, index: int = 0) -> State:
    """Deal and play one game."""
    return play_out(reference.deal(game, seed, index), agents)
