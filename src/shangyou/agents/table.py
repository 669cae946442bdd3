"""The loop that joins an engine and its agents."""

from __future__ import annotations

from collections.abc import Sequence

from shangyou.agents.agent import Agent
from shangyou.engines import reference
from shangyou.engines.reference import REDEAL, State
from shangyou.games import BadInput, Game

MOST_REDEALS = 1000  # agents that never bid would be dealt cards for ever


def take_turn(state: State, agent: Agent) -> State:
    """The state after `agent` has acted for the seat to move."""
    seen = reference.view(state)
    if state.bidding:
        return reference.bid(state, agent.bid(seen, reference.legal_bids(state)))
    return reference.step(state, agent.act(seen, reference.legal(state)))


def play_out(state: State, agents: Sequence[Agent]) -> State:
    """The finished game, one agent to a seat."""
    if len(agents) != state.game.seats:
        raise BadInput(f"{state.game.name} has {state.game.seats} seats, not {len(agents)}")
    last_index = state.index + MOST_REDEALS * REDEAL
    while not state.over:
        state = take_turn(state, agents[state.turn])
        if state.index > last_index:
            raise BadInput(f"{MOST_REDEALS} deals and no landlord: {', '.join(agent.name for agent in agents)} never bid")
    return state


def play_game(game: Game, agents: Sequence[Agent], seed: int, index: int = 0) -> State:
    """Deal and play one game."""
    return play_out(reference.deal(game, seed, index), agents)
