"""Many games as columns: how each began and what was played, for files of games and for replaying them on any engine.

B games, S seats, W words a set of cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.games import BadInput, Deal, Game
from shangyou.games.shuffle import GOLDEN, MASK, MIX_1, MIX_2, seed_key

Ints = npt.NDArray[Any]  # of whole numbers of any size

GIVEN = -1  # the index of a deal that is no deal of a seed


@dataclass(frozen=True)
class Lists:
    """A list for each game, one after the other."""

    values: Ints  # [N]
    starts: Ints  # [B + 1] where the list of a game begins

    @classmethod
    def of(cls, values: Ints, lengths: Ints) -> Lists:
        return cls(values, np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]))

    @property
    def lengths(self) -> Ints:
        """[B]"""
        return np.diff(self.starts)

    def __getitem__(self, game: int) -> list[int]:
        values: list[int] = self.values[self.starts[game] : self.starts[game + 1]].tolist()
        return values

    def at(self, games: Ints) -> Lists:
        lengths = self.lengths[games]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(starts[-1]) + np.repeat(self.starts[games] - starts[:-1], lengths)
        return Lists(self.values[places], starts)


@dataclass(frozen=True)
class GameColumns:
    """Games of one kind."""

    game: Game
    number: Ints  # [B] of the game in its file
    seed: Ints  # [B] int64, for deals that are deals of a seed
    index: Ints  # [B] int64 their numbers; GIVEN where hands, public and first say how the game began
    hands: Ints  # [B, S, W] int64
    public: Ints  # [B] int64
    first: Ints  # [B]
    bids: Lists
    plays: Lists  # rows of the table, passes included
    cards: Lists  # W words a turn, where the cards put down are not those that `Game.pick` takes; else no words
    scores: Ints  # [B, S]
    finished: npt.NDArray[np.bool_]  # [B]; the points of an unfinished game are 0

    def __len__(self) -> int:
        return len(self.number)

    def at(self, games: Ints) -> GameColumns:
        """Some of the games, in this order: by numbers or by a mask [B]."""
        games = np.flatnonzero(games) if games.dtype == np.bool_ else games
        return GameColumns(self.game, *(_at(getattr(self, field.name), games) for field in fields(self)[1:]))

    @classmethod
    def joined(cls, parts: Sequence[GameColumns]) -> GameColumns:
        """At least one part; all of one game."""
        columns = ([getattr(part, field.name) for part in parts] for field in fields(cls)[1:])
        return cls(parts[0].game, *(_joined(column) for column in columns))

    def is_held_out(self, share: float) -> npt.NDArray[np.bool_]:
        """[B] whether a game is among the share that nothing is learned from.

        By a hash of its deal, so that games of one deal are on one side, whatever files they are in; where the deal is no deal
        of a seed, by a hash of the game's number in its file.
        """
        keys = {seed: seed_key(seed) for seed in np.unique(self.seed).tolist()}
        key = np.array([keys[seed] for seed in self.seed.tolist()], np.uint64)
        number = np.where(self.index == GIVEN, self.number, self.index).astype(np.uint64)
        return _mixed(key + number * np.uint64(GOLDEN)) < np.uint64(min(MASK, int(share * 2**64)))

    # -- one by one -------------------------------------------------------------------------------------------------

    def opening(self, i: int) -> State:
        """Game i on the reference engine, after the bids."""
        state = reference.start(self.game, self.deal(i), int(self.seed[i]), int(self.index[i]))
        for points in self.bids[i]:
            state = reference.bid(state, points)
        return state

    def deal(self, i: int) -> Deal:
        """The cards of game i; given ones are checked."""
        if self.index[i] != GIVEN:
            return self.game.deal(int(self.seed[i]), int(self.index[i]))
        read = self.game.deck.from_words
        public = int(self.public[i])
        return self.game.make_deal(tuple(read(words) for words in self.hands[i].tolist()), public, int(self.first[i]))

    def states(self, i: int) -> list[State]:
        """Every state of game i on the reference engine, from before the first play to where it ends."""
        return list(accumulate(self.plays[i], lambda state, _: self.step(state, i), initial=self.opening(i)))

    def check_result(self, i: int, end: State) -> None:
        """An error if game i, which ends so, has other scores."""
        if (bool(self.finished[i]), tuple(self.scores[i].tolist())) != (end.over, end.scores):
            stored = f"{self.scores[i].tolist()}" if self.finished[i] else "none"
            raise BadInput(f"scores: {stored}; the plays give {list(end.scores) if end.over else 'none'}")

    def step(self, state: State, i: int) -> State:
        """Game i on the reference engine, one turn on from this state of it."""
        turn, words = len(state.history), self.cards[i]
        play = self.plays[i][turn]
        if not words:
            return reference.step(state, play)
        width = len(words) // len(self.plays[i])
        after = reference.put(state, self.game.deck.from_words(words[turn * width : (turn + 1) * width]))
        if after.history[-1].play != play:
            labels = self.game.table.labels
            raise BadInput(f"play {turn + 1}: the cards are {labels[after.history[-1].play]}, the row is {labels[play]}")
        return after


def _at(column: Any, games: Ints) -> Any:
    return column.at(games) if isinstance(column, Lists) else column[games]


def _joined(column: list[Any]) -> Any:
    if isinstance(column[0], Lists):
        return Lists.of(*(np.concatenate(parts) for parts in zip(*((one.values, one.lengths) for one in column), strict=True)))
    return np.concatenate(column)


def _mixed(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """`games.shuffle.mix` of many numbers."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(MIX_1)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(MIX_2)
    return x ^ (x >> np.uint64(31))
