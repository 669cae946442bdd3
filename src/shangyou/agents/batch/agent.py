"""What an agent of a batch is: a number for every legal play of many games. And how agents of single games join a batch.

n games to decide in, N legal plays in all, S seats, W words a set of cards, as in the batch engine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

import torch
from torch import Tensor

from shangyou.agents.agent import Agent
from shangyou.engines import reference
from shangyou.engines.batch import Legal, View
from shangyou.engines.kernels.layout import MEMORY
from shangyou.games import NOBODY, PASS, BadInput, Cards, Deck, Game

BLANK_TURN = reference.Turn(NOBODY, PASS, 0)


class BatchAgent(ABC):
    """`values` is all an agent must say, of the games that `view` and `legal` are about."""

    name: str

    def __init__(self, game: Game) -> None:
        self.game = game

    @abstractmethod
    def values(self, view: View, legal: Legal) -> Tensor:
        """[N] how good each legal play is for the seat to act in its game, higher is better."""

    def act(self, view: View, legal: Legal) -> Tensor:
        """[n] the best play of each game; among equals the lowest row."""
        return legal.plays[first_best(self.values(view, legal), legal)]

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
        """[n] 0, or more than the highest bid so far [n]."""
        raise BadInput(f"agent {self.name!r} does not bid: it has no `bid`, which {self.game.name} with bidding needs")


def first_best(values: Tensor, legal: Legal) -> Tensor:
    """[n] where in `legal` the first of each game's highest values stands. Values are numbers: NaN is no best."""
    games, plays = len(legal.starts) - 1, len(values)
    best = values.new_full((games,), -torch.inf).scatter_reduce_(0, legal.rows, values, "amax")
    places = torch.where(values == best[legal.rows], torch.arange(plays, device=values.device), plays)
    return legal.starts.new_full((games,), plays).scatter_reduce_(0, legal.rows, places, "amin")


class ScalarAdapter(BatchAgent):
    """Lets an agent that knows one game at a time play in a batch, one by one, by what `to_reference` knows."""

    def __init__(self, game: Game, agent: Agent) -> None:
        super().__init__(game)
        self.agent = agent
        self.name = agent.name

    def values(self, view: View, legal: Legal) -> Tensor:
        lists = torch.split(legal.plays.cpu(), legal.counts.tolist())
        views = to_reference(self.game, view)
        values = [self.agent.values(seen, plays.numpy()) for seen, plays in zip(views, lists, strict=True)]
        return torch.cat([torch.as_tensor(of_game) for of_game in values]).to(legal.plays.device)

    def bid(self, view: View, highest: Tensor) -> Tensor:
        return bid_each(self.agent.bid, self.game, view, highest)


def bid_each(bid: Callable[[reference.View, tuple[int, ...]], int], game: Game, view: View, highest: Tensor) -> Tensor:
    """[n] bids made one by one: a seat bids once a game, which is too seldom to matter."""
    allowed = [game.allowed_bids((points,)) for points in highest.tolist()]
    bids = [bid(seen, choices) for seen, choices in zip(to_reference(game, view), allowed, strict=True)]
    return torch.tensor(bids, dtype=torch.int32, device=highest.device)


def to_reference(game: Game, view: View) -> list[reference.View]:
    """The views of a batch one by one, but for what a batch does not keep.

    The last MEMORY turns of the history are what was played; where suits matter, which cards those were is not known, and they
    are 0. Turns before are blank, as many as there were, so that whoever counts turns counts right. Bids stand in the order in
    which they were made while bidding lasts; afterwards, by seat.
    """
    names = [field.name for field in fields(View)]
    columns = [getattr(view, name).tolist() for name in names]
    return [_one_view(game, dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)]


def _one_view(game: Game, seen: dict[str, Any]) -> reference.View:
    deck = game.deck
    return reference.View(
        game=game,
        hand=_cards_of(deck, seen["hand"]),
        unseen=_cards_of(deck, seen["unseen"]),
        played=tuple(_cards_of(deck, words) for words in seen["played"]),
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
    """In order of time, from the latest plays first."""
    cards, known = game.table.cards, min(turns, MEMORY)
    latest = [
        reference.Turn(seat, play, 0 if game.deck.suited else int(cards[play]))
        for seat, play in zip(seats[:known], plays[:known], strict=True)
    ]
    return (*(BLANK_TURN,) * (turns - known), *reversed(latest))


def _cards_of(deck: Deck, words: list[int]) -> Cards:
    """The inverse of `Deck.words`."""
    if not deck.suited:
        return words[0]
    copies = {(rank, suit): sum(word >> (4 * rank + suit) & 1 for word in words) for rank, suit in deck.kinds}
    return sum(n * deck.card(*kind) for kind, n in copies.items())
