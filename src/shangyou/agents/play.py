"""The loop that plays games on the reference engine: for agents without tensors, for people and records.

    ends = play(game, [greedy, random], [(0, 1), (1, 0)], [reference.deal(game, seed=7)] * 2)

B games, S seats.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from shangyou.agents.agent import Agent
from shangyou.agents.errors import Why
from shangyou.engines import reference
from shangyou.engines.reference import REDEAL, State
from shangyou.games import BadInput, Game, Rows

MOST_REDEALS = 1000  # agents that never bid would be dealt cards for ever


class Decision(NamedTuple):
    """The turn of one game: the play is chosen and not yet made."""

    number: int  # of the game, 0..B-1
    state: State
    legal: Rows
    play: int


class Bid(NamedTuple):
    """A bid of one game, or what a seat says of doubling (1 or 0), not yet made."""

    number: int  # of the game
    state: State
    points: int


OnDecision = Callable[[Decision], None]
OnBid = Callable[[Bid], None]


def take_turn(state: State, agent: Agent) -> State:
    """The state after `agent` has acted for the seat to move."""
    if state.bidding:
        return reference.bid(state, _bid_of(state, agent))
    return reference.step(state, agent.act(reference.view(state), reference.legal(state)))


def _bid_of(state: State, agent: Agent) -> int:
    return agent.say(reference.view(state), reference.legal_bids(state))


def play(
    game: Game,
    agents: Sequence[Agent],
    seats: Sequence[Sequence[int]] | None,
    starts: Sequence[State],
    on_decision: OnDecision = lambda decision: None,
    on_bid: OnBid = lambda bid: None,
) -> list[State]:
    """The ends of the games, where seats [B][S] says which agent has which seat; None: agent i has seat i.

    The games come out as if they were played one after another. Agents are asked where several plays are legal, each for all
    its games at once.
    """
    seats = seats if seats is not None else [range(len(agents))] * len(starts)
    for seated in seats:
        if len(seated) != game.seats:
            raise BadInput(Why.seats_number(game=game.name, seats=game.seats, n=len(seated)))
    players = [[agents[i] for i in seated] for seated in seats]
    games, running = list(starts), list(range(len(starts)))
    for i in running:
        games[i] = _bid_out(i, games[i], players[i], on_bid)
    while running:
        waiting: defaultdict[Agent, list[tuple[int, Rows]]] = defaultdict(list)
        for i in running:
            games[i], legal = _to_next_choice(i, games[i], on_decision)
            if len(legal):
                waiting[players[i][games[i].turn]].append((i, legal))
        for agent, choices in waiting.items():
            plays = agent.act_many([reference.view(games[i]) for i, _ in choices], [legal for _, legal in choices])
            for (i, legal), chosen in zip(choices, plays, strict=True):
                on_decision(Decision(i, games[i], legal, chosen))
                games[i] = reference.step(games[i], chosen)
        running = sorted(i for choices in waiting.values() for i, _ in choices)
    return games


def _bid_out(number: int, state: State, agents: Sequence[Agent], on_bid: OnBid) -> State:
    """The game when all is said before the first play; the same where the rules have nothing to say."""
    last_index = state.index + MOST_REDEALS * REDEAL
    while state.bidding:
        points = _bid_of(state, agents[state.turn])
        on_bid(Bid(number, state, points))
        state = reference.bid(state, points)
        if state.index > last_index:
            raise BadInput(Why.nobody_bid(n=MOST_REDEALS, names=[agent.name for agent in agents]))
    return state


def _to_next_choice(number: int, state: State, on_decision: OnDecision) -> tuple[State, Rows]:
    """The game where a seat has several plays to choose from, and these; at its end, without any."""
    while len(legal := reference.legal(state)) == 1:
        on_decision(Decision(number, state, legal, int(legal[0])))
        state = reference.step(state, int(legal[0]))
    return state, legal


def play_game(game: Game, agents: Sequence[Agent], seed: int, index: int = 0) -> State:
    """Deal and play one game, one agent to a seat."""
    return play(game, agents, None, [reference.deal(game, seed, index)])[0]
