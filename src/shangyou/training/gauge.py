"""How strong a net is while it learns: win rates against fixed opponents, on the same deals every time.

Each deal is played from every side: in doudizhu the net is landlord, then the peasants; elsewhere it has each seat in turn,
alone against the opponent in the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from shangyou.agents.batch import BatchAgent
from shangyou.agents.trajectories import play
from shangyou.engines.batch import BatchEngine
from shangyou.games import NOBODY, Game

SEED = 1_000_003  # training deals have other seeds, or other numbers


class Strength(NamedTuple):
    won: float  # share of games
    points: float  # a game, of the side the net is on


def sides(game: Game) -> list[tuple[int, ...]]:
    """The seats one player may hold, so that with each of them all seats have had their turn."""
    landlord = game.first_landlord()
    if landlord != NOBODY:
        return [(landlord,), tuple(seat for seat in range(game.seats) if seat != landlord)]
    return [(seat,) for seat in range(game.seats)]


def strength(engine: BatchEngine, agent: BatchAgent, opponent: BatchAgent, games: int, seed: int = SEED) -> Strength:
    """Of `agent` over `games` deals, each played once for every side."""
    results = [_from_side(engine, agent, opponent, side, games, seed) for side in sides(engine.game)]
    return Strength(*(sum(column) / len(results) for column in zip(*results, strict=True)))


def _from_side(
    engine: BatchEngine, agent: BatchAgent, opponent: BatchAgent, side: Sequence[int], games: int, seed: int
) -> Strength:
    agents = [agent if seat in side else opponent for seat in range(engine.game.seats)]
    points, won = engine.results(play(engine, agents, games, seed).state).float()
    mine = list(side)
    return Strength(won[:, mine].mean().item(), points[:, mine].sum(1).mean().item())
