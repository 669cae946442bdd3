"""The loop that plays games on the batch engine. `on_decision` and `on_bids` observe what is decided.

    agents = [load_batch("greedy", game), load_batch("random", game, seed=1)]
    seats = torch.tensor([[0, 1], [1, 0]]).repeat(2048, 1)  # [B, S] which agent has which seat of which game
    played = play(engine, agents, seats, engine.deal(4096, seed=7))
    played.scores.float().mean(0)

B games, n of them running, m of these with a choice, S seats, N legal plays.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor

from shangyou.agents.batch.agent import BatchAgent
from shangyou.agents.play import MOST_REDEALS
from shangyou.engines.batch import BatchEngine, Legal, State, View
from shangyou.engines.kernels.layout import PUTS, TURNS
from shangyou.engines.reference import REDEAL
from shangyou.games import BadInput


@dataclass(frozen=True)
class Decision:
    """The turn of every running game: the plays are chosen and not yet made."""

    engine: BatchEngine
    state: State
    seat: Tensor  # [n] int64 the seat to act
    legal: Legal  # of the n games
    plays: Tensor  # [n] int32
    asked: Tensor  # [m] the places among the running games at which an agent was asked, in the order of asking
    seen: View  # [m] what these seats saw
    choices: Legal  # of the m games
    ends: list[int]  # [agents] where among the m games those of each agent end, agents in the order of asking
    play_ends: list[int]  # [agents] where their legal plays end

    @property
    def games(self) -> Tensor:
        """[n] the numbers of the running games."""
        return self.state.running

    @cached_property
    def view(self) -> View:
        """[n] what the seats to act see, those without a choice too."""
        return self.engine.view(self.state)


class Bids(NamedTuple):
    """The bids of the n games in which one is due, not yet made."""

    games: Tensor  # [n]
    deals: Tensor  # [n] the number of the deal bid for: another one after a redeal
    seat: Tensor  # [n] int64
    view: View
    points: Tensor  # [n] int32


@dataclass(frozen=True)
class Played:
    """Games played to their end."""

    engine: BatchEngine
    state: State

    @cached_property
    def results(self) -> Tensor:
        """[2, B, S] int32 points, and 1 for winners."""
        return self.engine.results(self.state)

    @property
    def scores(self) -> Tensor:
        """[B, S] int32 points."""
        return self.results[0]

    @property
    def won(self) -> Tensor:
        """[B, S] bool."""
        return self.results[1].bool()

    @property
    def places(self) -> Tensor:
        """[B, S] int32 1 for first out."""
        return self.engine.places(self.state)

    @property
    def puts(self) -> Tensor:
        """[B, S] int32 how often each seat put cards down."""
        return self.state.scalars[self.engine.constants.rows_by_seat(PUTS)].T

    @property
    def turns(self) -> Tensor:
        """[B] int32 plays and passes."""
        return self.state.scalars[TURNS]


def play(
    engine: BatchEngine,
    agents: Sequence[BatchAgent],
    seats: Tensor | None,
    start: State,
    on_decision: Callable[[Decision], None] | None = None,
    on_bids: Callable[[Bids], None] | None = None,
) -> Played:
    """Play the games of `start` to their end, where seats [B, S] says which agent has which seat; None: agent i has seat i.

    Agents are asked where several plays are legal, each for all its games at once, those of one group together.
    """
    table = _Table(engine, agents, seats, start.games)
    state = table.bid_out(start, on_bids)
    while len(state.running):
        decision = table.decide(state)
        if on_decision is not None:
            on_decision(decision)
        state = engine.step(state, decision.plays)
    return Played(engine, state)


class _Table:
    """Agents in their seats. The order of asking puts agents of one group side by side."""

    def __init__(self, engine: BatchEngine, agents: Sequence[BatchAgent], seats: Tensor | None, games: int) -> None:
        if seats is None:
            seats = torch.arange(len(agents), device=engine.device).expand(games, -1)
        if seats.shape != (games, engine.game.seats):
            raise BadInput(
                f"{engine.game.name} has {engine.game.seats} seats, and there are {games} games: seats of shape "
                f"{tuple(seats.shape)} do not fit"
            )
        groups: dict[object, list[BatchAgent]] = {}
        for agent in dict.fromkeys(agents):
            groups.setdefault(agent.group, []).append(agent)
        self.engine, self.order = engine, [agent for members in groups.values() for agent in members]
        self.groups = [(members[0].together(members), len(members)) for members in groups.values()]
        self.place = torch.tensor([self.order.index(agent) for agent in agents], device=engine.device)[seats]  # [B, S]

    def decide(self, state: State) -> Decision:
        """The plays of all running games. Where only one play is legal, it is made and no agent is asked."""
        legal, seat = self.engine.legal(state), self.engine.turn(state).long()
        asked, ends, choices, play_ends = self._asked(state, seat, legal)
        seen = self.engine.view(replace(state, running=state.running[asked]))
        plays = legal.plays[legal.starts[:-1]]
        answers, first, start, play_start = list[Tensor](), 0, 0, 0
        for agent, members in self.groups:
            last = first + members
            end, play_end = ends[last - 1], play_ends[last - 1]
            if end > start:
                games, own_ends = asked[start:end], [place - play_start for place in play_ends[first:last]]
                own = slice_of(choices, (start, end), (play_start, play_end))
                answers.append(agent.act_each(seen.at(slice(start, end)), own, state.running[games], own_ends))
            first, start, play_start = last, end, play_end
        if answers:
            plays[asked] = torch.cat(answers) if len(answers) > 1 else answers[0]
        return Decision(self.engine, state, seat, legal, plays, asked, seen, choices, ends, play_ends)

    def _asked(self, state: State, seat: Tensor, legal: Legal) -> tuple[Tensor, list[int], Legal, list[int]]:
        """The games with a choice in the order of asking, where each agent's end, their legal plays, and where those end."""
        choice, agents = legal.counts > 1, len(self.order)
        if agents == 1:
            asked = torch.nonzero(choice)[:, 0]
            choices = legal if len(asked) == len(choice) else in_order(legal, asked)
            return asked, [len(asked)], choices, [len(choices.plays)]
        place = torch.where(choice, self.place[state.running, seat], agents)
        counted = torch.bincount(place, minlength=agents + 1).cumsum(0)[:-1]
        ends = counted.tolist()
        asked = torch.argsort(place, stable=True)[: ends[-1]]
        choices = in_order(legal, asked)
        return asked, ends, choices, choices.starts[counted].tolist()

    def bid_out(self, state: State, on_bids: Callable[[Bids], None] | None) -> State:
        """The state after the bidding, in which every game has its landlord; the same state where rules have no bidding."""
        everybody, last_index = state.running, state.index + MOST_REDEALS * REDEAL
        while bool((due := self.engine.bidding(state)).any()):
            bidding = replace(state, running=everybody[due])
            bids = self._bids(bidding)
            if on_bids is not None:
                on_bids(bids)
            state = replace(self.engine.bid(bidding, bids.points), running=everybody)
            if bool((state.index > last_index).any()):
                names = ", ".join(agent.name for agent in self.order)
                raise BadInput(f"{MOST_REDEALS} deals and no landlord: {names} never bid")
        return state

    def _bids(self, state: State) -> Bids:
        seat, view, highest = self.engine.turn(state).long(), self.engine.view(state), self.engine.highest_bid(state)
        place, points = self.place[state.running, seat], torch.zeros_like(highest)
        for i, agent in enumerate(self.order):
            mine = torch.nonzero(place == i)[:, 0]
            if len(mine):
                points[mine] = agent.bid(view.at(mine), highest[mine]).to(points.dtype)
        return Bids(state.running, state.index[state.running], seat, view, points)


def in_order(legal: Legal, games: Tensor) -> Legal:
    """The legal plays of some games, in the order in which they are given."""
    counts = legal.counts[games]
    starts = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    rows = torch.repeat_interleave(counts)
    places = torch.arange(len(rows), device=rows.device) + (legal.starts[games] - starts[:-1])[rows]
    return Legal(rows, legal.plays[places], starts)


def slice_of(legal: Legal, games: tuple[int, int], plays: tuple[int, int]) -> Legal:
    """The legal plays of consecutive games, from the first to the last of their plays."""
    if plays[1] - plays[0] == len(legal.plays):
        return legal
    rows, starts = legal.rows[slice(*plays)] - games[0], legal.starts[games[0] : games[1] + 1] - plays[0]
    return Legal(rows, legal.plays[slice(*plays)], starts)
