"""Games of zsy2 with eight cards each between random players: soon over, and enough to learn something from."""

from __future__ import annotations

import torch

from shangyou import games
from shangyou.agents.batch import load_batch
from shangyou.agents.batch.play import Played
from shangyou.engines.batch import BatchEngine
from shangyou.training.game_buffer import GameBuffer

GAME = games.load("zsy2", cards_each=8)
ENGINE = BatchEngine(GAME)
CPU = torch.device("cpu")


def fill(buffer: GameBuffer, count: int, seed: int) -> Played:
    """The games that were played into the buffer."""
    return buffer.play(ENGINE, [load_batch("random", GAME, seed)] * 2, None, ENGINE.deal(count, seed))
