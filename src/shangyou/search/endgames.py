"""Worlds with few cards, answered by the exact solver in place of a playout.

A playout says what happens if everybody plays as a small net does. Once hands are small the solver says who wins with best
play, all hands known, in about the same time. A question that needs too many positions is left to the playout.

k candidates, D worlds, S seats, W words a set of cards.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from shangyou.engines import reference
from shangyou.engines.reference import State, View
from shangyou.games import BadInput, Cards, Deal, Game, Rows
from shangyou.search.beliefs import Ints
from shangyou.search.rollouts import Player
from shangyou.search.solver import Search, check_rules

LARGEST_HAND = 10  # of all seats
NODES = 2_000  # positions of a question
TABLE = 1 << 16  # positions that are stored, for all questions about a view


class EndgamePlayer:
    """A `Player` that asks the solver where every hand is small, and another player elsewhere."""

    def __init__(self, player: Player, largest: int = LARGEST_HAND) -> None:
        self.player, self.largest = player, largest
        self.solved = 0  # candidates in worlds, so far
        self._view: View | None = None  # which the answers and the search are about
        self._search: Search | None = None
        self._known: dict[tuple[bytes, int], bool | None] = {}

    def win(self, view: View, hands: Ints, candidates: Rows) -> npt.NDArray[np.bool_]:
        """[k, D] whether the side of the seat to act wins after each candidate, in each world [D, S, W]."""
        if max(view.left) > self.largest or not solvable(view.game, view.landlord):
            return self.player.win(view, hands, candidates)
        if view is not self._view:
            self._view, self._search, self._known = view, None, {}
        found = [[self._exact(view, world, int(row)) for world in hands] for row in candidates]
        known = np.array([[one is not None for one in row] for row in found])
        won = np.array([[bool(one) for one in row] for row in found])
        self.solved += int(known.sum())
        left = np.flatnonzero(~known.all(0))
        if len(left):
            won[:, left] = np.where(known[:, left], won[:, left], self.player.win(view, hands[left], candidates))
        return won

    def _exact(self, view: View, world: Ints, row: int) -> bool | None:
        """Whether the side of the seat to act wins by force after this play; None: too many positions."""
        key = world.tobytes(), row
        if key not in self._known:
            self._known[key] = self._ask(state_of(view, [view.game.deck.from_words(hand) for hand in world.tolist()]), row)
        return self._known[key]

    def _ask(self, state: State, row: int) -> bool | None:
        after = reference.step(state, row)
        if after.over:
            return state.turn in after.winners
        self._search = self._search or Search(state, "win", TABLE)
        return self._search.moves_to(after, 1, NODES)[0]


def solvable(game: Game, landlord: int) -> bool:
    """Whether the solver plays a game, and each seat's adversaries are one side: elsewhere it would be too pessimistic."""
    try:
        check_rules(game)
    except BadInput:
        return False
    return len(set(game.sides(landlord))) == 2


def state_of(view: View, hands: Sequence[Cards]) -> State:
    """The state that a seat sees as this view, if these are all hands [S]; seats relative to it.

    Of two sides only: in what order seats went out is not in it.
    """
    first = view.bids[0][0] if view.bids else max(view.landlord, 0)
    dealt = tuple(hand + played for hand, played in zip(hands, view.played, strict=True))
    bids = tuple(points for _, points in view.bids)
    out = tuple(seat for seat, hand in enumerate(hands) if not hand)
    return State(
        view.game, Deal(dealt, first, view.public), 0, 0, tuple(hands), view.played, 0, view.landlord, bids, view.last,
        view.last_by, view.passed, out, view.history,
    )  # fmt: skip
