"""The interface of agents on tensors, and how an agent for single games plays in a batch.

n games to decide in, N legal plays in all, S seats, W words a set of cards, as in the batch engine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import Any

import torch
from torch import Tensor

from shangyou.agents.agent import Agent
from shangyou.engines import reference
from shangyou.engines.batch import Legal, View
from shangyou.engines.kernels.layout import MEMORY
from shangyou.games import NOBODY, PASS, BadInput, Game

BidOne = Callable[[reference.View, tuple[int, ...]], int]
"""The `bid` of an agent for single games."""

BLANK_TURN = reference.Turn(NOBODY, PASS, 0)


class BatchAgent(ABC):
    """`values` is all an agent must have. To bid it needs `bid_one`, the `bid` of an agent for single games, or a `bid`."""

    name: str

    def __init__(self, game: Game, bid_one: BidOne | None = None) -> None:
        self.game, self.bid_one = game, bid_one

    @abstractmethod
    def values(self, view: View, legal: Legal) -> Tensor:
        """[N] how good each legal play is for the seat to act in its game, higher is better."""

    def act(self, view: View, legal: Legal) -> Tensor:
        """[n] the best play of each game; among equals the lowest row."""
        return legal.plays[first_best(self.values(view, legal), legal)]

    def expectations(self, view: View, legal: Legal) -> dict[str, Tensor]:
        """[N] each: what the agent expects of the legal plays: `win`, the chance of winning, and `points`, if it does."""
        return {}

    def win_chances(self, view: View, legal: Legal) -> Tensor:
        """[N] the chance of winning with each legal play, if the agent estimates it."""
        return self.expectations_of_winning(view, legal)["win"]

    def expectations_of_winning(self, view: View, legal: Legal) -> dict[str, Tensor]:
        """`expectations` with `win` among them."""
        expected = self.expectations(view, legal)
        if "win" not in expected:
            raise BadInput(f"agent {self.name!r} does not estimate win chances, only which play is best")
        return expected

    @property
    def group(self) -> object:
        """Agents with equal groups are asked together, by what `together` of the first of them gives."""
        return self

    def together(self, members: Sequence[BatchAgent]) -> BatchAgent:
        """The agent that is asked for all `members` of its group at once; unless a class says otherwise, all are itself."""
        return self

    def act_each(self, view: View, legal: Legal, games: Tensor, ends: Sequence[int]) -> Tensor:
        """[n] `act`, where the numbers of the games [n] are known, and where each member's legal plays end."""
        return self.act(view, legal)

    def bid(self, view: View, highest: Tensor) -> Tensor:
        """[n] 0, or more than the highest bid so far [n]. One by one: a seat bids once a game, too seldom to matter."""
        if self.bid_one is None:
            raise BadInput(f"agent {self.name!r} does not bid: it has no `bid`, which {self.game.name} with bidding needs")
        allowed = [self.game.allowed_bids((points,)) for points in highest.tolist()]
        bids = map(self.bid_one, to_reference(self.game, view), allowed)
        return torch.tensor(list(bids), dtype=torch.int32, device=highest.device)


def first_best(values: Tensor, legal: Legal) -> Tensor:
    """[n] the place in `legal` of the highest value of each game, the first of equals. NaN is never the highest."""
    plays = len(values)
    places = torch.where(is_best(values, legal), torch.arange(plays, device=values.device), plays)
    return torch.full_like(legal.starts[1:], plays).scatter_reduce_(0, legal.rows, places, "amin")


def is_best(values: Tensor, legal: Legal) -> Tensor:
    """[N] whether a value is the highest of its game."""
    best = values.new_full((len(legal.starts) - 1,), -torch.inf).scatter_reduce_(0, legal.rows, values, "amax")
    return values == best[legal.rows]


def whole_positions(legal: Legal, pairs: int, positions: int) -> Iterator[tuple[slice, slice]]:
    """Slices of games, each with the slice of their legal plays, in pieces of at most so many; a game is in one piece alone."""
    starts, first = legal.starts.tolist(), 0
    while first < len(starts) - 1:
        end = min(max(bisect_right(starts, starts[first] + pairs) - 1, first + 1), first + positions)
        yield slice(first, end), slice(starts[first], starts[end])
        first = end


class ScalarAdapter(BatchAgent):
    """Plays in a batch by asking an agent for single games about one view of `to_reference` after another."""

    def __init__(self, game: Game, agent: Agent) -> None:
        super().__init__(game, agent.bid)
        self.agent, self.name = agent, agent.name

    def values(self, view: View, legal: Legal) -> Tensor:
        lists = torch.split(legal.plays.cpu(), legal.counts.tolist())
        views = to_reference(self.game, view)
        values = [self.agent.values(seen, plays.numpy()) for seen, plays in zip(views, lists, strict=True)]
        return torch.cat([torch.as_tensor(of_game) for of_game in values]).to(legal.plays.device)


def to_reference(game: Game, view: View) -> list[reference.View]:
    """The views of a batch one by one, without what a batch does not store.

    Only the last MEMORY turns of the history have their plays; earlier turns are blank, so that the number of turns is right.
    The cards of a turn are 0 where suits matter: the batch stores rows. While bidding lasts, bids are in the order in which
    they were made; afterwards, by seat.
    """
    names = [field.name for field in fields(View)]
    columns = [getattr(view, name).tolist() for name in names]
    return [_one_view(game, dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)]


def _one_view(game: Game, seen: dict[str, Any]) -> reference.View:
    deck = game.deck
    return reference.View(
        game=game,
        hand=deck.from_words(seen["hand"]),
        unseen=deck.from_words(seen["unseen"]),
        played=tuple(deck.from_words(words) for words in seen["played"]),
        left=tuple(seen["left"]),
        last=seen["last"],
        last_by=seen["last_by"],
        landlord=seen["landlord"],
        public=seen["public"],
        bids=tuple((seat, points) for seat, points in enumerate(seen["bids"]) if points >= 0),
        passed=frozenset(seat for seat, passed in enumerate(seen["passed"]) if passed),
        history=_history(game, seen["turns"], seen["history"], seen["history_by"]),
    )


def _history(game: Game, turns: int, plays: list[int], seats: list[int]) -> tuple[reference.Turn, ...]:
    """The turns in order of time, from plays and their seats with the latest first."""
    cards, known = game.table.cards, min(turns, MEMORY)
    latest = [
        reference.Turn(seat, play, 0 if game.deck.suited else int(cards[play]))
        for seat, play in zip(seats[:known], plays[:known], strict=True)
    ]
    return (*(BLANK_TURN,) * (turns - known), *reversed(latest))
