"""Many players in many games at once: every game has its own, and each is asked once a turn for all the games it is in.

    seats = torch.tensor([[0, 1], [0, 2], [1, 2]])  # who plays whom, by number in the list of agents
    crowd = play_crowd(BatchEngine(game), agents, seats, seed=7, record=True)
    crowd.won  # [B, S]

B games, n of them running, S seats, D decisions. For games without bidding and suits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.company import Company, companies
from shangyou.agents.trajectories import in_order
from shangyou.engines.batch import BatchEngine, Legal, State, View


class Decisions(NamedTuple):
    """Every play of B games, those without a choice too, in order of time."""

    game: Tensor  # [D] int64
    seat: Tensor  # [D] int64
    mine: Tensor  # [D] int64 packed: what the seat had played before
    theirs: Tensor  # [D] and the other
    after: Tensor  # [D] its hand after the play
    play: Tensor  # [D] int64 row of the table


@dataclass(frozen=True)
class CrowdPlayed:
    won: Tensor  # [B, S] bool
    turns: Tensor  # [B] int32 plays and passes
    decisions: Decisions | None  # if they were asked for


def play_crowd(
    engine: BatchEngine,
    agents: Sequence[BatchAgent],
    seats: Tensor,
    seed: int,
    record: bool = False,
    deals: Tensor | None = None,
) -> CrowdPlayed:
    """Deals 0, 1, ... of `seed`, or those numbered `deals` [B]; seats [B, S] says which agent plays where."""
    state = engine.deal(len(seats), seed) if deals is None else engine.deal_these(deals, seed)
    crowd = Crowd(engine, agents, seats)
    cards = torch.as_tensor(engine.game.table.cards, device=engine.device)
    turns = torch.zeros(len(seats), dtype=torch.int32, device=engine.device)
    noted: list[Decisions] = []
    while len(state.running):
        legal, view = engine.legal(state), engine.view(state)
        plays = crowd.choose(state, legal, view)
        turns[state.running] += 1
        if record:
            seat = engine.turn(state).long()
            played, after = view.played[:, :, 0], view.hand[:, 0] - cards[plays.long()]
            noted.append(Decisions(state.running, seat, played[:, 0], played[:, 1], after, plays.long()))
        state = engine.step(state, plays)
    decisions = Decisions(*(torch.cat(column) for column in zip(*noted, strict=True))) if noted else None
    return CrowdPlayed(engine.winners(state), turns, decisions)


class Crowd:
    """Agents in their seats: seats [B, S] says which of them plays where."""

    def __init__(self, engine: BatchEngine, agents: Sequence[BatchAgent], seats: Tensor) -> None:
        self.engine = engine
        self.asked = companies(agents)
        order = torch.tensor([number for _, members in self.asked for number in members], device=engine.device)
        self.places, self.agents = torch.argsort(order)[seats], len(agents)  # by place among those asked, not by number

    def choose(self, state: State, legal: Legal, view: View) -> Tensor:
        """[n] a play for each running game; where only one is legal, nobody is asked.

        Games are put in the order of who is to be asked, so that each agent's are a slice and cost no kernels of their own.
        """
        plays = legal.plays[legal.starts[:-1]]
        player = self.places[state.running, self.engine.turn(state).long()]
        player = torch.where(legal.counts > 1, player, self.agents)
        games = torch.bincount(player, minlength=self.agents + 1).cumsum(0)[:-1]
        ends = games.tolist()
        asked = torch.argsort(player, stable=True)[: ends[-1]]
        view, legal = view.at(asked), in_order(legal, asked)
        play_ends = legal.starts[games].tolist()
        answers, first, start, play_start = list[Tensor](), 0, 0, 0
        for agent, members in self.asked:
            last = first + len(members)
            end, play_end = ends[last - 1], play_ends[last - 1]
            if end > start:
                seen, mine = view.at(slice(start, end)), _slice_of(legal, (start, end), (play_start, play_end))
                if isinstance(agent, Company):
                    answers.append(agent.act_each(seen, mine, [place - play_start for place in play_ends[first:last]]))
                else:
                    answers.append(agent.act(seen, mine))
            first, start, play_start = last, end, play_end
        if answers:
            plays[asked] = torch.cat(answers)
        return plays


def _slice_of(legal: Legal, games: tuple[int, int], plays: tuple[int, int]) -> Legal:
    """The legal plays of consecutive games."""
    rows, starts = legal.rows[slice(*plays)] - games[0], legal.starts[games[0] : games[1] + 1] - plays[0]
    return Legal(rows, legal.plays[slice(*plays)], starts)


def play_pairs(
    engine: BatchEngine, agents: Sequence[BatchAgent], pairs: Sequence[tuple[int, int]], deals: int, seed: int
) -> Tensor:
    """[pairs, deals] the share that the first of each pair wins of a deal: every pair plays its deals from both sides."""
    first = torch.tensor(pairs, device=engine.device).repeat_interleave(deals, 0)  # [B, 2]
    numbers = torch.arange(len(first), device=engine.device).repeat(2)
    one, other = play_crowd(engine, agents, torch.cat([first, first.flip(1)]), seed, deals=numbers).won.chunk(2)
    return ((one[:, 0].float() + other[:, 1].float()) / 2).view(len(pairs), deals)
