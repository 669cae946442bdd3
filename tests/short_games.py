"""Games of zsy2 with eight cards each, played by lot: soon over, and enough to learn something from."""

from __future__ import annotations

import torch

from shangyou import games
from shangyou.agents.batch import load_batch
from shangyou.agents.crowd import CrowdPlayed, play_crowd
from shangyou.engines.batch import BatchEngine

GAME = games.load("zsy2", cards_each=8)
ENGINE = BatchEngine(GAME)
CPU = torch.device("cpu")


def played(count: int, seed: int, record: bool = True) -> CrowdPlayed:
    agent = load_batch("random", GAME, seed)
    return play_crowd(ENGINE, [agent], torch.zeros(count, 2, dtype=torch.int64), seed, record=record)
