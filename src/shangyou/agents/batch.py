"""Players of many games at once, on tensors: `load_batch("greedy", game)` plays as `load("greedy")` does, decision by decision.

n games to decide in, N legal plays in all, S seats, W words a set of cards, as in the batch engine. Needs torch, which is why
`shangyou.agents` does not import it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from shangyou import agents
from shangyou.agents.agent import Agent
from shangyou.agents.bidding import bid_by_strength
from shangyou.agents.greedy import NEVER_IF_AVOIDABLE
from shangyou.engines import reference
from shangyou.engines.batch import Legal, View
from shangyou.engines.forest import ONES
from shangyou.engines.kernels.tables import MEMORY
from shangyou.games import NOBODY, PASS, Cards, Deck, Game, PlayTable
from shangyou.games.shuffle import GOLDEN, HAND_KEY, MIX_1, MIX_2, TWICE_KEY, seed_key

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

    def bid(self, view: View, highest: Tensor) -> Tensor:
        """[n] 0, or more than the highest bid so far. By the hand's strength, as agents bid that say nothing of their own."""
        return bid_each(bid_by_strength, self.game, view, highest)


def first_best(values: Tensor, legal: Legal) -> Tensor:
    """[n] where in `legal` the first of each game's highest values stands. Values are numbers: NaN is no best."""
    games, plays = len(legal.starts) - 1, len(values)
    best = values.new_full((games,), -torch.inf).scatter_reduce_(0, legal.rows, values, "amax")
    places = torch.where(values == best[legal.rows], torch.arange(plays, device=values.device), plays)
    return legal.starts.new_full((games,), plays).scatter_reduce_(0, legal.rows, places, "amin")


# -- agents that count off -------------------------------------------------------------------------------------------


class CountingAgent(BatchAgent):
    """Takes the play at some place of each game's list, whatever it is."""

    @abstractmethod
    def place(self, view: View, legal: Legal) -> Tensor:
        """[n] which of each game's legal plays, from 0."""

    def values(self, view: View, legal: Legal) -> Tensor:
        chosen = legal.starts[:-1] + self.place(view, legal)
        return torch.zeros(len(legal.plays), device=legal.plays.device).index_fill_(0, chosen, 1.0)

    def act(self, view: View, legal: Legal) -> Tensor:
        """[n] what the values say, without going through them."""
        return legal.plays[legal.starts[:-1] + self.place(view, legal)]


class RandomBatchAgent(CountingAgent):
    """`RandomAgent`, draw by draw."""

    name = "random"

    def __init__(self, game: Game, seed: int = 0) -> None:
        super().__init__(game)
        self.key = seed_key(seed)

    def place(self, view: View, legal: Legal) -> Tensor:
        return lots(self.key, view.turns, view.hand, legal.counts)

    def bid(self, view: View, highest: Tensor) -> Tensor:
        bids_made = (view.bids >= 0).sum(1)
        above = max(self.game.allowed_bids(())) - highest
        drawn = lots(self.key, bids_made - self.game.seats, view.hand, above + 1)
        return torch.where(drawn > 0, highest + drawn, 0)


class PaperGreedyBatchAgent(CountingAgent):
    """`PaperGreedyAgent`: the second play of the list."""

    name = "paper-greedy"

    def place(self, view: View, legal: Legal) -> Tensor:
        return (legal.counts - 1).clamp(max=1)


def lots(key: int, turns: Tensor, hand: Tensor, choices: Tensor) -> Tensor:
    """[n] int64 `games.shuffle.hash_choice` of many draws: turns [n], hand [n, W], choices [n]."""
    x = turns.long() * _signed(GOLDEN) + _signed(key)
    for word, salt in zip(hand.unbind(1), (HAND_KEY, TWICE_KEY), strict=False):
        x = x + word * _signed(salt)
    return _shifted(_mix(x), 32) * choices >> 32


def _mix(x: Tensor) -> Tensor:
    x = (x ^ _shifted(x, 30)) * _signed(MIX_1)
    x = (x ^ _shifted(x, 27)) * _signed(MIX_2)
    return x ^ _shifted(x, 31)


def _shifted(x: Tensor, bits: int) -> Tensor:
    """To the right, with zeros coming in: torch's own shift brings in the sign."""
    return x >> bits & (1 << (64 - bits)) - 1


def _signed(x: int) -> int:
    """64 bits as the int64 they are."""
    return x - (x >> 63 << 64)


# -- greedy ----------------------------------------------------------------------------------------------------------


class _Columns(NamedTuple):
    cards: Tensor  # [P] int64 counts of ranks
    size: Tensor  # [P] float, as all below
    strength: Tensor
    bomb: Tensor  # 1 for a bomb


@cache
def _columns(table: PlayTable, device: torch.device) -> _Columns:
    cards = torch.as_tensor(table.cards, device=device)
    columns = (table.size, table.strength, table.bomb > 0)
    return _Columns(cards, *(torch.as_tensor(column, dtype=torch.float32, device=device) for column in columns))


class GreedyBatchAgent(BatchAgent):
    """`GreedyAgent`, in whose words its rule is told."""

    name = "greedy"

    def values(self, view: View, legal: Legal) -> Tensor:
        table = _columns(self.game.table, legal.plays.device)
        plays = legal.plays.long()
        sheds_lowest = (table.cards[plays] & _lowest_lane(view.hand)[legal.rows]) != 0
        leading = table.size[plays] + 2 * NEVER_IF_AVOIDABLE * sheds_lowest
        following = -table.strength[plays] - 2 * NEVER_IF_AVOIDABLE * (plays == PASS)
        return torch.where(view.last[legal.rows] == PASS, leading, following) - NEVER_IF_AVOIDABLE * table.bomb[plays]


def _lowest_lane(hand: Tensor) -> Tensor:
    """[n] all four bits of the lowest rank held; word 0 has every rank, whether as counts or as suits."""
    word = hand[:, 0]
    held = (word | word >> 1 | word >> 2 | word >> 3) & ONES
    return (held & -held) * 15


# -- agents of one game at a time ------------------------------------------------------------------------------------


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


# -- by name ---------------------------------------------------------------------------------------------------------

_BATCHED: dict[str, Callable[[Game, int], BatchAgent]] = {
    "random": RandomBatchAgent,
    "greedy": lambda game, seed: GreedyBatchAgent(game),
    "paper-greedy": lambda game, seed: PaperGreedyBatchAgent(game),
}


def load_batch(name: str, game: Game, seed: int = 0) -> BatchAgent:
    """The agent `load` gives, for a batch of games: on tensors where there is such a one, else asked game by game."""
    agent = agents.load(name, game, seed)
    return _BATCHED[name](game, seed) if name in _BATCHED else ScalarAdapter(game, agent)
