"""Backends play the games of an evaluation: the reference engine with any agents, the batch engine with agents on tensors.

B games, S seats. The batch engine needs torch and is imported on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from shangyou import agents
from shangyou.agents import Agent
from shangyou.agents.models.model_files import is_model
from shangyou.agents.play import Bid, play
from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.engines.supported import is_supported
from shangyou.games import Deal, Game

if TYPE_CHECKING:
    from shangyou.agents.batch import BatchAgent

Ints = npt.NDArray[np.int64]

SCRIPTED_ON_TENSORS = ("random", "greedy", "paper-greedy")


@dataclass(frozen=True)
class Results:
    """How B games ended."""

    landlord: Ints  # [B]
    won: npt.NDArray[np.bool_]  # [B, S]
    places: Ints  # [B, S] 1 for first out
    scores: Ints  # [B, S]
    turns: Ints  # [B] plays and passes


class BidsMade(NamedTuple):
    """n bids for landlord, of deals that were dealt again too."""

    agents: Ints  # [n] who bids
    turns: Ints  # [n] how many seats have bid before, 0..S-1
    points: Ints  # [n]


OnBids = Callable[[BidsMade], None]


class Backend(Protocol):
    """Agents of one game, and the deals they play: those of a seed, or given ones."""

    game: Game

    def play(self, seats: Ints, deals: Ints, on_bids: OnBids | None = None) -> Results:
        """Play deals [B] by their numbers; seats [B, S] says which agent has which seat. `on_bids` is given every bid."""


class ReferenceBackend:
    """Any agents, on the reference engine."""

    def __init__(self, game: Game, agents: Sequence[Agent], seed: int, given: Sequence[Deal] = ()) -> None:
        self.game, self.agents, self.seed, self.given = game, agents, seed, given

    def play(self, seats: Ints, deals: Ints, on_bids: OnBids | None = None) -> Results:
        numbers, bids = deals.tolist(), list[Bid]()
        dealt = {number: self._start(number) for number in numbers}
        ends = play(self.game, self.agents, seats.tolist(), [dealt[number] for number in numbers], on_bid=bids.append)
        made = [
            (seats[bid.number, bid.state.turn], len(bid.state.bids), bid.points) for bid in bids if bid.state.phase == "bid"
        ]
        if on_bids is not None and made:
            on_bids(BidsMade(*np.array(made, np.int64).T))
        won = [[seat in end.winners for seat in range(self.game.seats)] for end in ends]
        return Results(
            landlord=np.array([end.landlord for end in ends], np.int64),
            won=np.array(won, bool).reshape(seats.shape),
            places=np.array([end.places for end in ends], np.int64).reshape(seats.shape),
            scores=np.array([end.scores for end in ends], np.int64).reshape(seats.shape),
            turns=np.array([len(end.history) for end in ends], np.int64),
        )

    def _start(self, number: int) -> State:
        if self.given:
            return reference.start(self.game, self.given[number], self.seed, number)
        return reference.deal(self.game, self.seed, number)


@dataclass(frozen=True)
class Contestant:
    """A name to show, and how to make the agent; each process makes its own, so `make` must be picklable for that."""

    name: str
    make: Callable[[Game], Agent]
    make_batch: Callable[[Game], BatchAgent] | None = None  # the same agent on tensors, if there is one


def by_name(name: str, seed: int = 0) -> Contestant:
    """The contestant that `agents.load` knows by that name."""
    on_tensors = find_spec("torch") is not None and (name in SCRIPTED_ON_TENSORS or is_model(name))
    return Contestant(name, partial(agents.load, name, seed=seed), partial(_make_batch, name, seed) if on_tensors else None)


def _make_batch(name: str, seed: int, game: Game) -> BatchAgent:
    from shangyou.agents.batch import load_batch

    return load_batch(name, game, seed)


def on_tensors(game: Game, contestants: Sequence[Contestant]) -> bool:
    """Whether the batch engine can play the game, and all contestants on it."""
    return is_supported(game) and all(contestant.make_batch is not None for contestant in contestants)


def deals_at_once(game: Game, contestants: Sequence[Contestant]) -> int:
    """How many deals to play together: the faster the contestants, the more. The results do not depend on it."""
    if not on_tensors(game, contestants):
        return 64
    return 8192 if all(contestant.name in SCRIPTED_ON_TENSORS for contestant in contestants) else 512


def make_backend(game: Game, contestants: Sequence[Contestant], seed: int, given: Sequence[Deal] = ()) -> Backend:
    """The batch engine if it can be, else the reference engine; deals of the seed unless others are given."""
    if not on_tensors(game, contestants):
        return ReferenceBackend(game, [contestant.make(game) for contestant in contestants], seed, given)
    from shangyou.engines.batch import BatchEngine
    from shangyou.evaluation.batch_backend import BatchBackend

    return BatchBackend(BatchEngine(game), [one.make_batch(game) for one in contestants if one.make_batch], seed, given)
