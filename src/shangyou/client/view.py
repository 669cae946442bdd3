"""The state message of a table, turned back into the View that agents get."""

from typing import Any

import numpy as np

from shangyou.engines.reference import Turn, View
from shangyou.games import NOBODY, PASS, BadInput, Cards, Game, Rows

Message = dict[str, Any]


def view_of(game: Game, state: Message) -> View:
    """What my seat sees by a state message; seats count from me, as in every View."""
    me, seats = state["seat"], state["seats"]

    def relative(seat: int) -> int:
        return int(seat - me) % game.seats

    history = tuple(Turn(relative(turn["seat"]), turn["play"], _cards(game, turn)) for turn in state["history"])
    played = tuple(sum(turn.cards for turn in history if turn.seat == seat) for seat in range(game.seats))
    hand, to_beat = game.deck.parse(" ".join(state["hand"])), state["to_beat"]
    landlord = next((number for number, seat in enumerate(seats) if seat["landlord"]), None)
    return View(
        game=game,
        hand=hand,
        unseen=game.deck.full - hand - sum(played),
        played=played,
        left=tuple(seats[(me + number) % game.seats]["left"] for number in range(game.seats)),
        last=to_beat["play"] if to_beat else PASS,
        last_by=relative(to_beat["by"]) if to_beat else NOBODY,
        landlord=NOBODY if landlord is None else relative(landlord),
        public=game.deck.parse(" ".join(state["public"] or ())),
        bids=tuple((relative(bid["seat"]), bid["points"]) for bid in state["bids_made"]),
        passed=frozenset(map(relative, _passed(game, state))) if to_beat else frozenset(),
        history=history,
    )


def legal_of(game: Game, state: Message) -> Rows:
    """The plays I may make, as the arena lists them, ascending."""
    for play in state["legal"]:
        _cards(game, play)
    return np.array([play["play"] for play in state["legal"]], dtype=game.table.leads.dtype)


def _passed(game: Game, state: Message) -> list[int]:
    """The seats that have passed on the play to beat; with pass_is_final those that are done with the round."""
    if game.pass_is_final:
        return [number for number, seat in enumerate(state["seats"]) if seat["passed"]]
    since = max(number for number, turn in enumerate(state["history"]) if turn["play"] != PASS)
    return [turn["seat"] for turn in state["history"][since + 1 :]]


def _cards(game: Game, play: Message) -> Cards:
    """The cards of a play, if the arena's table of plays is ours."""
    row = play["play"]
    if not 0 <= row < len(game.table) or game.table.labels[row] != play["label"]:
        raise BadInput(f"the arena calls play {row} of {game.name} {play['label']!r}: it has another version of the game")
    return game.deck.parse(" ".join(play["cards"]))
