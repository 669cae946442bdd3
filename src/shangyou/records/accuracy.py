"""How often a model predicts the plays of stored games: `training/supervised/accuracy.py` on files and records.

measure_records("champion/deeprocket", deeprocket_match.read_records()[:20]).to_json()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from shangyou.engines.game_columns import GameColumns
from shangyou.games import BadInput, Game
from shangyou.records.game_files import HELD_OUT, GameFiles, of_records
from shangyou.records.record import Record
from shangyou.records.runs import load_checkpoint

if TYPE_CHECKING:
    import torch

    from shangyou.agents.batch import BatchAgent
    from shangyou.training.supervised.accuracy import Accuracy

AT_ONCE = 4096  # games whose decisions are in memory
MOST_GAMES = 100_000
ALL = 1.0  # the held-out share of games that were not learned from


@dataclass(frozen=True)
class Expert:
    """Who played the games, so that the bound of any accuracy can be computed."""

    agent: str
    temperature: float  # it plays in proportion to exp(win chance / temperature)


def measure_files(
    model: str,
    files: Sequence[Path],
    game: Game,
    device: str = "cpu",
    *,
    held_out: float = HELD_OUT,
    games: int = MOST_GAMES,
    skip_bad: bool = False,
    expert: Expert | None = None,
    report: Callable[[int], None] = lambda decisions: None,
) -> Accuracy:
    """On held-out games, or on all where their share is 1; on so many at most. The expert may be the model."""
    chunks = GameFiles(files, game, skip_bad).chunks(None if held_out == ALL else True, held_out, AT_ONCE)
    return _measure(model, _first(chunks, games), game, device, expert, report)


def measure_records(model: str, records: Sequence[Record], device: str = "cpu", expert: Expert | None = None) -> Accuracy:
    """On records of one game, all of them."""
    if len({record.game for record in records}) != 1:
        raise BadInput(f"{len(records)} records: at least one is needed, and all must be of one game with the same rules")
    return _measure(model, [of_records(records)], records[0].game, device, expert)


def _measure(
    model: str,
    chunks: Iterable[GameColumns],
    game: Game,
    device: str,
    expert: Expert | None,
    report: Callable[[int], None] = lambda decisions: None,
) -> Accuracy:
    from shangyou.agents.batch import load_batch
    from shangyou.agents.batch.exploring import Sampler
    from shangyou.engines.batch import BatchEngine
    from shangyou.training.supervised.accuracy import log_probs_of, measure
    from shangyou.training.supervised.decisions import decisions_of

    engine, drawn_by = BatchEngine(game, device), None
    if expert:
        agent = load_batch(expert.agent, game, device=engine.device)
        drawn_by = Sampler(agent, engine.device, expert.temperature)
    of_itself = expert is not None and model == expert.agent
    policy = drawn_by.logits if drawn_by and of_itself else log_probs_of(_load(model, game, engine.device))
    return measure(game, (decisions_of(engine, part, forced=True) for part in chunks), policy, drawn_by, report)


def _load(name: str, game: Game, device: torch.device) -> BatchAgent:
    """A model, or the net of a run folder, which plays on any device."""
    from shangyou.agents.batch import load_batch
    from shangyou.agents.batch.policy_net import PolicyNetAgent
    from shangyou.nets.deeprocket import DeepRocket
    from shangyou.training.algorithm import net_of

    if not Path(name).is_dir():
        return load_batch(name, game, device=device)
    net = net_of(load_checkpoint(Path(name)))
    if not isinstance(net, DeepRocket):
        raise BadInput(f"{name} is no run of algorithm supervised: its net gives no probabilities of plays")
    return PolicyNetAgent(game, net.to(device), name)


def _first(chunks: Iterable[GameColumns], most: int) -> Iterator[GameColumns]:
    """The first so many games."""
    for part in chunks:
        yield part.at(np.arange(min(len(part), most)))
        most -= len(part)
        if most <= 0:
            return
