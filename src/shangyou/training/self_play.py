"""Games played to learn from: every decision with a choice, and what came of it.

B games, S seats, D decisions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.torch_net import TorchNetAgent
from shangyou.agents.trajectories import part_of
from shangyou.engines.batch import BatchEngine
from shangyou.nets.inputs import Inputs, inputs_of, join


@dataclass(frozen=True)
class Lessons:
    """Decisions and how their games ended for whoever decided."""

    seen: Inputs  # [D]
    plays: Tensor  # [D] int32
    won: Tensor  # [D] float, 0 or 1
    points: Tensor  # [D] float
    decisions: int  # all that were made, those without a choice counted in
    pairs: int  # plays that were looked at by the net

    @property
    def columns(self) -> list[Tensor]:
        """[D] each: all there is to learn from."""
        return [*self.seen, self.plays, self.won, self.points]


@dataclass(frozen=True)
class Table:
    """Who plays for what in which seat."""

    learner: TorchNetAgent
    learns: Tensor  # [B, S] bool the learner's seats
    aim: Tensor  # [B] what the learner plays for, index into AIMS
    epsilon: float  # share of the learner's decisions made by lot
    others: Sequence[tuple[BatchAgent, Tensor]] = ()  # who has the other seats, [B, S] bool


def play_lessons(
    engine: BatchEngine, table: Table, games: int, seed: int, first_index: int, generator: torch.Generator
) -> Lessons:
    """Deals first_index, first_index + 1, ... of `seed` to their end. No agent is asked where there is no choice."""
    state = engine.deal(games, seed, first_index)
    seen: list[Inputs] = []
    noted: list[tuple[Tensor, Tensor, Tensor]] = []  # game, seat, play
    decisions = pairs = 0
    while len(state.running):
        legal = engine.legal(state)
        plays = legal.plays[legal.starts[:-1]]
        decisions += len(state.running)
        turn, open_games = engine.turn(state).long(), legal.counts > 1
        mine = torch.nonzero(open_games & table.learns[state.running, turn])[:, 0]
        if len(mine):
            running, part = state.running[mine], part_of(legal, mine)
            view, aim = engine.view(replace(state, running=running)), table.aim[running]
            plays[mine] = chosen = table.learner.explore(view, part, aim, table.epsilon, generator)
            seen.append(inputs_of(view, aim))
            noted.append((running, turn[mine], chosen))
            pairs += len(part.plays)
        for agent, seats in table.others:
            theirs = torch.nonzero(open_games & seats[state.running, turn])[:, 0]
            if len(theirs):
                view = engine.view(replace(state, running=state.running[theirs]))
                plays[theirs] = agent.act(view, part_of(legal, theirs))
        state = engine.step(state, plays)
    game, seat, chosen = (torch.cat(column) for column in zip(*noted, strict=True))
    points, won = engine.results(state)[:, game, seat].float()
    return Lessons(join(seen), chosen, won, points, decisions, pairs)
