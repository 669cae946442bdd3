"""Games that agents play for others to learn from, as columns that `records/parquet.py` writes.

    for games in generate(engine, Sampler(player, engine.device, 0.005), 4_000_000, seed=1):
        ...

B games, S seats.
"""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from shangyou.agents.batch.exploring import ExploringAgent
from shangyou.agents.batch.play import Decision, play
from shangyou.engines.batch import BatchEngine
from shangyou.engines.game_columns import GameColumns, Lists
from shangyou.games.shuffle import Stream

AT_ONCE = {"cpu": 256, "cuda": 1 << 18}  # games played together: what is drawn depends on it


def generate(engine: BatchEngine, agent: ExploringAgent, games: int, seed: int, first: int = 0) -> Iterator[GameColumns]:
    """So many deals of `seed`, from number `first` on, played by the agent in every seat, some thousand after some thousand.

    The same seed gives the same games on the same kind of device.
    """
    end, at_once = first + games, AT_ONCE[engine.device.type]
    for start in range(first, end, at_once):
        agent.generator.manual_seed(Stream(seed, start).state >> 1)
        yield play_games(engine, agent, min(at_once, end - start), seed, start)


def play_games(engine: BatchEngine, agent: ExploringAgent, games: int, seed: int, first: int) -> GameColumns:
    """Deals first, first + 1, ... of `seed`, with all their turns."""
    turns: list[tuple[Tensor, Tensor]] = []  # the games that run, and their plays

    def store(decision: Decision) -> None:
        turns.append((decision.games.int(), decision.plays))

    played = play(engine, [agent] * engine.game.seats, None, engine.deal(games, seed, first), store)
    running, plays = (torch.cat(column) for column in zip(*turns, strict=True))
    in_order = plays[torch.argsort(running, stable=True)]
    columns = played.state.index, in_order, played.turns, engine.bids(played.state), played.scores
    index, rows, lengths, bids, scores = (column.cpu().numpy() for column in columns)
    seats, words = engine.game.seats, engine.constants.words
    nothing = np.zeros(games, np.int64)
    return GameColumns(
        game=engine.game,
        number=np.arange(first + 1, first + games + 1),
        seed=np.full(games, seed),
        index=index,
        hands=np.zeros((games, seats, words), np.int64),
        public=nothing,
        first=nothing,
        bids=Lists.of(bids[bids >= 0], (bids >= 0).sum(1)),
        plays=Lists.of(rows, lengths),
        cards=Lists.of(nothing[:0], nothing),
        scores=scores,
        finished=np.ones(games, np.bool_),
    )
