"""What a seat sees of a state, as a tensor and as text: from its View alone, which has no hidden cards."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from shangyou.engines import reference
from shangyou.engines.reference import View
from shangyou.games import NOBODY, Game
from shangyou.spaces import copies, one_hot, parts_of

PRIVATE = ("hand", "unseen")  # parts that other seats do not know


class Observer:
    """An observer as OpenSpiel asks for it: `tensor`, its parts by name in `dict`, and a string.

    With perfect recall there is a row for every turn: who, and the cards put down. While cards are dealt nobody sees any.
    """

    def __init__(self, game: Game, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observation parameters {params}: there are none")
        if kind.private_info.name == "ALL_PLAYERS":
            raise ValueError("observations have the observer's own cards or nobody's, not those of all")
        self.hand, self.table = kind.private_info.name == "SINGLE_PLAYER", kind.public_info
        self.turns = self.table and kind.perfect_recall
        shapes = self._shapes(game)
        self.tensor = np.zeros(sum(map(np.prod, shapes.values())), np.float32)
        cuts = np.cumsum([np.prod(shape, dtype=int) for shape in shapes.values()])[:-1]
        parts = zip(shapes.items(), np.split(self.tensor, cuts), strict=True)
        self.dict: dict[str, npt.NDArray[np.float32]] = {name: part.reshape(shape) for (name, shape), part in parts}

    def _shapes(self, game: Game) -> dict[str, tuple[int, ...]]:
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("player", "turn") if self.table else ("player",), (game.seats,))
        for name, (_, highest) in parts_of(_nothing(game)).items():
            if self.hand if name in PRIVATE else self.table:
                shapes[name] = (len(highest),)
        return shapes | ({"history": (most_turns(game), game.seats + len(game.deck.kinds))} if self.turns else {})

    def set_from(self, state: Any, player: int) -> None:
        """The tensor of what `player` sees in a `ClimbingState`."""
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        now = state.engine_state
        if now is None:
            return
        seen = reference.view(now, player)
        if self.table and not now.over:
            self.dict["turn"][(now.turn - player) % seen.game.seats] = 1
        for name, (numbers, _) in parts_of(seen).items():
            if name in self.dict:
                self.dict[name][:] = numbers
        if self.turns and seen.history:
            turns = [(*one_hot(seen.game, turn.seat), *copies(seen.game, turn.cards)) for turn in seen.history]
            self.dict["history"][: len(turns)] = turns

    def string_from(self, state: Any, player: int) -> str:
        now, words = state.engine_state, [f"p{player}, deal {state.point.deals}"]
        if now is None:
            return words[0]
        seen = reference.view(now, player)
        if self.hand:
            words.append(f"hand {now.game.deck.format(seen.hand)}")
        if self.table:
            words += ["over" if now.over else f"{(now.turn - player) % now.game.seats} to act", *_said(seen)]
            words.append(_turns(seen) if self.turns else _table(seen))
        return ", ".join(words)


def most_turns(game: Game) -> int:
    """A card a turn, each with passes of all the others."""
    return (sum(game.hand_sizes(0)) + game.public_size) * game.seats


def _said(seen: View) -> list[str]:
    """Who is landlord, and what was said before the first play."""
    landlord = [f"landlord {seen.landlord} with {seen.game.deck.format(seen.public)}"] if seen.landlord != NOBODY else []
    return landlord + (["said " + " ".join(f"{seat}:{points}" for seat, points in seen.bids)] if seen.bids else [])


def _turns(seen: View) -> str:
    return " ".join(f"{turn.seat}:{seen.game.deck.format(turn.cards) or 'pass'}" for turn in seen.history)


def _table(seen: View) -> str:
    text = seen.game.deck.format
    to_beat = f"{text(seen.last_cards)} by {seen.last_by}" if seen.last_cards else "nothing"
    played = "/".join(map(text, seen.played))
    return f"to beat {to_beat}, passed {sorted(seen.passed)}, played {played}, left {' '.join(map(str, seen.left))}"


def _nothing(game: Game) -> View:
    """A view of nothing, for the widths of its parts."""
    return View(game, 0, 0, (0,) * game.seats, (0,) * game.seats)
