"""Decisions of stored games, to learn from: games are replayed on the device, their decisions come in minibatches.

    for games in GameFiles([path], game).chunks(held_out=False, seed=1):
        for batch in decisions_of(engine, games).shuffled(256, generator):
            net(batch.seen, ...)

B games, D decisions, N legal plays of all of them, S seats.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from shangyou.agents.batch.play import Decision, in_order
from shangyou.agents.batch.replay import replay
from shangyou.agents.models.net_agent import arrays_of
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine, Legal, View
from shangyou.engines.game_columns import GameColumns
from shangyou.engines.kernels.layout import MEMORY
from shangyou.games import NOBODY, BadInput, Rows
from shangyou.nets.inputs import Inputs, inputs_of, join
from shangyou.nets.spec import NO_BID, WIN


@dataclass(frozen=True)
class DecisionBatch:
    """Decisions, and how their games ended for the seats that decided."""

    seen: Inputs  # [D]
    plays: Tensor  # [D] int32 the plays that were made
    legal: Legal  # of the D decisions
    won: Tensor  # [D] float, 0 or 1; NaN where the game is unfinished
    points: Tensor  # [D] float, NaN likewise
    role: Tensor  # [D] int64 as `View.role`: 0 landlord, 1 the peasant after it, 2 the one before it
    game: Tensor  # [D] int64 the number of the game in its file

    def __len__(self) -> int:
        return len(self.plays)

    @property
    def chosen(self) -> Tensor:
        """[D] where in `legal` the plays that were made stand."""
        return torch.nonzero(self.legal.plays == self.plays[self.legal.rows])[:, 0]

    @property
    def view(self) -> View:
        """As far as nets read it: without the bids and the number of turns, which are not stored."""
        fields = {name: column for name, column in self.seen._asdict().items() if name != "objective"}
        return View(**fields, bids=torch.full_like(self.seen.left, NO_BID), turns=torch.zeros_like(self.seen.last))

    def shuffled(self, size: int, generator: torch.Generator) -> Iterator[DecisionBatch]:
        """Every decision once, in minibatches of random order; the last may be smaller."""
        order = torch.randperm(len(self), generator=generator, device=self.plays.device)
        return (self.at(rows) for rows in torch.split(order, size) if len(rows))

    def at(self, rows: Tensor) -> DecisionBatch:
        columns = (self.won, self.points, self.role, self.game)
        return DecisionBatch(
            self.seen.at(rows), self.plays[rows], in_order(self.legal, rows), *(column[rows] for column in columns)
        )

    @classmethod
    def joined(cls, parts: Sequence[DecisionBatch]) -> DecisionBatch:
        legal = Legal.of(torch.cat([part.legal.counts for part in parts]), torch.cat([part.legal.plays for part in parts]))
        columns = ([getattr(part, name) for part in parts] for name in ("won", "points", "role", "game"))
        plays = torch.cat([part.plays for part in parts])
        return cls(join([part.seen for part in parts]), plays, legal, *map(torch.cat, columns))


def decisions_of(engine: BatchEngine, games: GameColumns, forced: bool = False) -> DecisionBatch:
    """The decisions of stored games: those with a choice or, with `forced`, all of them."""
    if games.game != engine.game:
        raise BadInput(
            f"games of {games.game.name} ({games.game.rules}) on an engine of {engine.game.name} ({engine.game.rules})"
        )
    games = games.at(games.plays.lengths > 0)
    by_rule = games.cards.lengths == 0
    parts = [_nothing(engine)]
    if by_rule.any():
        parts.append(_on_device(engine, games.at(by_rule), forced))
    if not by_rule.all():
        parts.append(_by_reference(engine, games.at(~by_rule), forced))
    return DecisionBatch.joined(parts)


def _nothing(engine: BatchEngine) -> DecisionBatch:
    """No decisions, with the types of others."""
    none = torch.zeros(0, dtype=torch.int64, device=engine.device)
    seen = _inputs(engine.view(engine.deal(0, seed=0)))
    return DecisionBatch(seen, none.int(), Legal.of(none, none.int()), none.float(), none.float(), none, none)


def _on_device(engine: BatchEngine, games: GameColumns, forced: bool) -> DecisionBatch:
    lengths = torch.as_tensor(games.plays.lengths, device=engine.device)
    seen, columns = list[Inputs](), list[tuple[Tensor, ...]]()  # game, seat, play; legal plays and how many

    def collect(decision: Decision) -> None:
        here, view, legal = decision.asked, decision.seen, decision.choices
        if forced:
            here, view, legal = torch.arange(len(decision.games), device=engine.device), decision.view, decision.legal
        if not games.finished.all():  # what follows the end of an unfinished game was not played
            stored = torch.nonzero(view.turns < lengths[decision.games[here]])[:, 0]
            here, view, legal = here[stored], view.at(stored), in_order(legal, stored)
        seen.append(_inputs(view))
        columns.append((decision.games[here], decision.seat[here], decision.plays[here], legal.counts, legal.plays))

    played = replay(engine, games, collect)
    game, seat, plays, counts, legal = (torch.cat(column) for column in zip(*columns, strict=True))
    unfinished = torch.as_tensor(~games.finished, device=engine.device)[game]
    points, won = (column.float().masked_fill(unfinished, torch.nan) for column in played.results[:, game, seat])
    inputs, number = join(seen), torch.as_tensor(games.number, device=engine.device)
    return DecisionBatch(inputs, plays, Legal.of(counts, legal), won, points, _roles(engine, inputs.landlord), number[game])


def _by_reference(engine: BatchEngine, games: GameColumns, forced: bool) -> DecisionBatch:
    """Games in which other cards were put down than the rule picks, which the batch engine cannot play."""
    rows = [row for i in range(len(games)) for row in _reference_rows(games, i) if forced or len(row[1]) > 1]
    if not rows:
        return _nothing(engine)
    views, legals, *columns = zip(*rows, strict=True)
    play, won, points, number = (torch.tensor(column, device=engine.device) for column in columns)
    arrays = {name: torch.as_tensor(array, device=engine.device) for name, array in arrays_of(views, MEMORY).items()}
    like = _nothing(engine).seen
    seen = Inputs(**arrays, objective=torch.full_like(arrays["last"], WIN))
    seen = Inputs(*(column.to(wanted.dtype) for column, wanted in zip(seen, like, strict=True)))
    counts = torch.tensor([len(legal) for legal in legals], device=engine.device)
    plays = torch.as_tensor(np.concatenate(legals), device=engine.device).int()
    return DecisionBatch(
        seen, play.int(), Legal.of(counts, plays), won.float(), points.float(), _roles(engine, seen.landlord), number.long()
    )


def _reference_rows(games: GameColumns, i: int) -> list[tuple[reference.View, Rows, int, float, float, int]]:
    """The decisions of one game: what was seen, legal and played, whether it won, for how many points, and in which game."""
    *before, end = games.states(i)
    games.check_result(i, end)
    won = [float(seat in end.winners) if end.over else np.nan for seat in range(games.game.seats)]
    points = [float(score) if end.over else np.nan for score in end.scores]
    turns = zip(before, games.plays[i], strict=True)
    number = int(games.number[i])
    return [(reference.view(at), reference.legal(at), play, won[at.turn], points[at.turn], number) for at, play in turns]


def _inputs(seen: View) -> Inputs:
    return inputs_of(seen, torch.full_like(seen.last, WIN))


def _roles(engine: BatchEngine, landlord: Tensor) -> Tensor:
    """[D] by where the landlord sits, seen from the seat that decides."""
    return torch.where(landlord == NOBODY, 0, -landlord % engine.game.seats).long()
