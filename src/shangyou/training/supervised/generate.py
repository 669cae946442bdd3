"""Games that agents play for others to learn from, as columns that `records/parquet.py` writes.

    for games in generate(engine, Sampler(player, engine.device, 0.005), 4_000_000, seed=1):
        ...

The same as work in chunks, for processes or a cluster:

    work = GenerateGames(game, "champion/zsy2", temperature=0.005, seed=1, device="cpu")
    for games in do_chunks(work, work.chunks(range(4_000_000)), workers):
        ...

B games, S seats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.agents.batch.exploring import ExploringAgent, Sampler
from shangyou.agents.batch.play import Decision, play
from shangyou.engines.batch import BatchEngine
from shangyou.engines.game_columns import GameColumns, Lists
from shangyou.games import BadInput, Game
from shangyou.games.shuffle import Stream

AT_ONCE = {"cpu": 256, "cuda": 1 << 18}  # games played together: what is drawn depends on it
IN_A_CHUNK = {"cpu": 4, "cuda": 1}  # so many times as many are a chunk of work: about a second of it


def generate(engine: BatchEngine, agent: ExploringAgent, games: int, seed: int, first: int = 0) -> Iterator[GameColumns]:
    """So many deals of `seed`, from number `first` on, played by the agent in every seat, some thousand after some thousand.

    The same seed gives the same games on the same kind of device.
    """
    for numbers in cut(range(first, first + games), engine.device.type):
        yield _play_together(engine, agent, numbers, seed)


def cut(numbers: range, kind: str) -> list[range]:
    """The numbers of deals that are played together on a kind of device."""
    at_once = AT_ONCE[kind]
    return [numbers[start : start + at_once] for start in range(0, len(numbers), at_once)]


@dataclass(frozen=True)
class GenerateGames:
    """An agent's games with itself, its plays drawn by a temperature."""

    game: Game
    agent: str
    temperature: float
    seed: int
    device: str

    @property
    def agents(self) -> Iterable[str]:
        return [self.agent]

    @property
    def kind(self) -> str:
        return self.device.partition(":")[0]

    @property
    def on_gpu(self) -> bool:
        return self.kind == "cuda"

    def chunks(self, numbers: range) -> list[range]:
        if self.kind not in AT_ONCE:
            raise BadInput(f"device {self.device!r}: the engine runs on {' and '.join(AT_ONCE)}")
        size = AT_ONCE[self.kind] * IN_A_CHUNK[self.kind]
        return [numbers[start : start + size] for start in range(0, len(numbers), size)]

    def check_partition(self, games: int) -> None:
        """Whether files of so many games have the games that one file would have."""
        at_once = AT_ONCE[self.kind]
        if games < 1 or games % at_once:
            raise BadInput(f"partition {games}: a multiple of {at_once} is needed, the games that are played together")

    def start(self) -> Callable[[range], GameColumns]:
        engine = BatchEngine(self.game, self.device)
        sampler = Sampler(load_batch(self.agent, self.game, self.seed, engine.device), engine.device, self.temperature)

        def play_chunk(numbers: range) -> GameColumns:
            return GameColumns.joined([_play_together(engine, sampler, part, self.seed) for part in cut(numbers, self.kind)])

        return play_chunk


def _play_together(engine: BatchEngine, agent: ExploringAgent, numbers: range, seed: int) -> GameColumns:
    """What is drawn depends on which games these are, and on nothing before them."""
    agent.generator.manual_seed(Stream(seed, numbers.start).state >> 1)
    return play_games(engine, agent, len(numbers), seed, numbers.start)


def play_games(engine: BatchEngine, agent: BatchAgent, games: int, seed: int, first: int) -> GameColumns:
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
