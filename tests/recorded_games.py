"""Every decision of games on the batch engine, the same games on the reference engine, and an agent that stores what it was
asked. B games, S seats, D decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.play import Decision, Played, play
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine, Legal, View
from shangyou.games import Game


@dataclass(frozen=True)
class Trajectories:
    """Every decision of B games in order of time: the first of all games, then the second of those still running, and so on."""

    played: Played
    game: Tensor  # [D] int32
    seat: Tensor  # [D] int8
    play: Tensor  # [D] int32
    choices: Tensor  # [D] int32 how many legal plays there were; with one, no agent was asked
    bids: Tensor  # [B, S] int32 those for the deal that was played, in the order they were made; -1: none
    views: View | None  # [D] what the seat saw, if that was asked for

    @cached_property
    def _by_game(self) -> tuple[Tensor, list[int]]:
        """The decisions sorted by game, still in order of time, and where a game's begin."""
        counts = torch.bincount(self.game, minlength=len(self.bids))
        return torch.argsort(self.game, stable=True), [0, *torch.cumsum(counts, 0).tolist()]

    def of_game(self, i: int) -> list[tuple[int, int]]:
        """Seat and play of every turn of game i."""
        order, starts = self._by_game
        i = range(len(self.bids))[i]
        mine = order[starts[i] : starts[i + 1]]
        return list(zip(self.seat[mine].tolist(), self.play[mine].tolist(), strict=True))

    def bids_of_game(self, i: int) -> list[int]:
        return [points for points in self.bids[i].tolist() if points >= 0]

    def replayed(self, i: int) -> reference.State:
        """The end of game i on the reference engine, with all that led to it."""
        state, plays = self.played.state, [play for _, play in self.of_game(i)]
        return replay(self.played.engine.game, state.seed, int(state.index[i]), plays, self.bids_of_game(i))


def replay(game: Game, seed: int, index: int, plays: Sequence[int], bids: Sequence[int] = ()) -> reference.State:
    """Deal number `index` of `seed`, bid for and played like this."""
    state = reference.deal(game, seed, index)
    for points in bids:
        state = reference.bid(state, points)
    for row in plays:
        state = reference.step(state, row)
    return state


class Recorder:
    """An observer of `play` that stores every decision, and the views too if wanted."""

    def __init__(self, views: bool = False) -> None:
        self.views: list[View] | None = [] if views else None
        self.columns: list[tuple[Tensor, ...]] = []

    def __call__(self, decision: Decision) -> None:
        columns = decision.games, decision.seat, decision.plays, decision.legal.counts
        self.columns.append(tuple(column.int() for column in columns))
        if self.views is not None:
            self.views.append(decision.view)

    def trajectories(self, played: Played) -> Trajectories:
        engine, nobody = played.engine, replace(played.state, running=played.state.running[:0])
        nothing = nobody.running.int()  # so that no games give columns of no rows
        columns = [torch.cat(pieces) for pieces in zip(*self.columns, (nothing,) * 4, strict=True)]
        views = None if self.views is None else _joined([*self.views, engine.view(nobody)])
        game, seat, play, choices = columns
        return Trajectories(played, game, seat.to(torch.int8), play, choices, engine.bids(played.state), views)


def _joined(views: list[View]) -> View:
    return View(*(torch.cat([getattr(view, field.name) for view in views]) for field in fields(View)))


def record(
    engine: BatchEngine, agents: Sequence[BatchAgent], count: int, seed: int, first_index: int = 0, views: bool = False
) -> Trajectories:
    """One agent to a seat."""
    recorder = Recorder(views)
    return recorder.trajectories(play(engine, agents, None, engine.deal(count, seed, first_index), recorder))


class AskedAgent(BatchAgent):
    """Plays its highest row. Stores how many plays it had to choose from each time, and in which games."""

    name = "asked"

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.calls: list[list[int]] = []
        self.games: list[int] = []

    def values(self, view: View, legal: Legal) -> Tensor:
        self.calls.append(legal.counts.tolist())
        return legal.plays.float()

    def act_each(self, view: View, legal: Legal, games: Tensor, ends: Sequence[int]) -> Tensor:
        self.games += games.tolist()
        return super().act_each(view, legal, games, ends)
