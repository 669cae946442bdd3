"""Positions of games with the hands that the seat to act does not see: what inferring them is learned from and measured on.

D decisions, S seats, W words a set of cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from shangyou.agents.batch.agent import BatchAgent
from shangyou.agents.batch.play import Decision, play
from shangyou.engines.batch import BatchEngine, State
from shangyou.nets.inputs import Inputs, inputs_of, join
from shangyou.nets.spec import WIN


class HandBatch(NamedTuple):
    """Decisions with a choice, after the first play: before it nothing can be inferred."""

    seen: Inputs  # [D] all that an agent may know
    others: Tensor  # [D, S - 1, W] int64 the true hands of seats 1, 2, ..., which no View has
    game: Tensor  # [D] int64

    def at(self, rows: Tensor | slice) -> HandBatch:
        return HandBatch(self.seen.at(rows), self.others[rows], self.game[rows])


class HandObserver:
    """Collects decisions: the `on_decision` of `play` and, for stored games, of `replay`."""

    def __init__(self) -> None:
        self.parts: list[HandBatch] = []

    def __call__(self, decision: Decision) -> None:
        begun = torch.nonzero(decision.seen.turns > 0)[:, 0]
        here, seen = decision.asked[begun], decision.seen.at(begun)
        games, inputs = decision.games[here], inputs_of(seen, torch.full_like(seen.last, WIN))
        others = hands_of_others(decision.engine, decision.state, games, decision.seat[here])
        self.parts.append(HandBatch(inputs, others, games))

    @property
    def batch(self) -> HandBatch:
        seen, others, game = zip(*self.parts, strict=True)
        return HandBatch(join(list(seen)), torch.cat(others), torch.cat(game))


def play_and_look(engine: BatchEngine, agents: Sequence[BatchAgent], start: State) -> HandBatch:
    """The decisions of games in which one agent has every seat, the agents in turn from game to game."""
    observer = HandObserver()
    which = torch.arange(start.games, device=engine.device) % len(agents)
    play(engine, agents, which[:, None].expand(-1, engine.game.seats), start, observer)
    return observer.batch


def hands_of_others(engine: BatchEngine, state: State, games: Tensor, seat: Tensor) -> Tensor:
    """[n, S - 1, W] the hands of the seats after seat [n] in games [n]."""
    seats, words = engine.constants.seats, engine.constants.words
    hands = state.cards[: seats * words, games].reshape(seats, words, len(games)).permute(2, 0, 1)
    order = (seat[:, None] + torch.arange(1, seats, device=seat.device)) % seats
    return torch.take_along_dim(hands, order[:, :, None], 1)
