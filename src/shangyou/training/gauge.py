"""How strong a net is while it learns: win rates against fixed opponents, on the same deals every time.

Each deal is played from every side: in doudizhu the net is landlord, then the peasants; elsewhere it has each seat in turn,
alone against the opponent in the others.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

from shangyou.agents.batch import BatchAgent
from shangyou.agents.seating import Seating, seatings
from shangyou.agents.trajectories import play
from shangyou.engines.batch import BatchEngine

SEED = 1_000_003  # training deals have other seeds, or other numbers


class Strength(NamedTuple):
    won: float  # share of games
    points: float  # a game, of the side the net is on


def strength(engine: BatchEngine, agent: BatchAgent, opponent: BatchAgent, games: int, seed: int = SEED) -> Strength:
    """Of `agent` over `games` deals, each played once for every seating."""
    results = [_seated(engine, agent, opponent, mine, games, seed) for mine in seatings(engine.game)]
    return Strength(*(sum(column) / len(results) for column in zip(*results, strict=True)))


def _seated(engine: BatchEngine, agent: BatchAgent, opponent: BatchAgent, mine: Seating, games: int, seed: int) -> Strength:
    agents = [agent if is_mine else opponent for is_mine in mine]
    points, won = engine.results(play(engine, agents, games, seed).state).float()
    seats = torch.tensor(mine, device=engine.device)
    return Strength(won[:, seats].mean().item(), points[:, seats].sum(1).mean().item())
