"""What a game is worth to a seat, as a table that a compiled search looks things up in.

The rules of payment are the game's own: its `winners` and `scores` are asked for every ending there can be, once.
"""

from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from shangyou.engines.reference import State
from shangyou.games import BadInput, Ending, Game
from shangyou.games.game import PLAYS_COUNTED
from shangyou.search.errors import Why

OPEN = -(1 << 31)  # what an order of seats is worth as long as more than one worth can come of it
MOST_BOMBS = 16  # bombs in one game: thirteen ranks and a rocket fit in a pack
PLACE_BITS = 3  # of each seat's place in the code of an order


class Outcomes(NamedTuple):
    """Orders of the seats that are out, merged where nothing that comes can tell them apart: N of them."""

    node: npt.NDArray[np.int16]  # [8**S] the merged order, by the places of the seats, three bits each
    worth: npt.NDArray[np.int32]  # [N, bombs, plays] what it is worth to the seat, higher is better, or OPEN
    strides: npt.NDArray[np.int32]  # [S] of a seat's plays in the last axis; 0: nothing depends on them
    caps: npt.NDArray[np.int32]  # [S] plays are counted up to it


def objectives(game: Game) -> tuple[str, ...]:
    """What can be asked about a game; the first is what it is played for."""
    if len(set(game.sides(0))) < game.seats or game.seats == 2:
        return ("win", "points")
    return ("place", "win", "points") if game.place_points else ("win", "points", "place")


def read_objective(game: Game, objective: str | None) -> str:
    known = objectives(game)
    if objective is None:
        return known[0]
    if objective not in known:
        raise BadInput(Why.solver_objective(objective=objective, game=game.name, options=known))
    return objective


def outcomes(state: State, objective: str, seat: int) -> Outcomes:
    """The table for a game that goes on from `state`, as far as it depends on what has been said and played."""
    ending = state.ending(())
    return _outcomes(state.game, objective, seat, replace(ending, plays=()))


@lru_cache(maxsize=256)
def _outcomes(game: Game, objective: str, seat: int, so_far: Ending) -> Outcomes:
    bombs, caps = range(MOST_BOMBS), (PLAYS_COUNTED,) * game.seats
    if objective != "points":
        bombs, caps = range(1), (0,) * game.seats
    plays = list(product(*(range(cap + 1) for cap in caps)))

    def worth(out: tuple[int, ...]) -> Any:
        """[bombs, plays]"""
        if objective == "win":
            return np.full((1, 1), int(seat in game.winners(out, so_far.landlord)))
        if objective == "place":
            return np.full((1, 1), -(out.index(seat) + 1 if seat in out else game.seats))
        ends = [[replace(so_far, out=out, bombs=so_far.bombs + n, plays=made) for made in plays] for n in bombs]
        return np.array([[game.scores(end)[seat] for end in row] for row in ends])

    worths: dict[tuple[int, ...], Any] = {}  # of every order, each game that is over with its own

    def visit(out: tuple[int, ...]) -> list[Any]:
        """The worths of all games that go on from this order."""
        if game.is_over(out, so_far.landlord):
            found = [worth(out)]
        else:
            found = [one for other in range(game.seats) if other not in out for one in visit((*out, other))]
        same = all((one == found[0].flat[0]).all() for one in found)
        over = game.is_over(out, so_far.landlord)
        worths[out] = found[0] if over or same else np.full_like(found[0], OPEN)
        return found

    visit(())
    table = np.stack(list(worths.values())).reshape(len(worths), len(bombs), *(cap + 1 for cap in caps))
    table, caps = _without_what_does_not_matter(table, caps)
    numbers, merged = _merge(list(worths), table)
    node = np.zeros(1 << PLACE_BITS * game.seats, np.int16)
    for out, number in zip(worths, numbers, strict=True):
        node[_code(out, game.seats)] = number
    strides = np.cumprod([1, *(cap + 1 for cap in reversed(caps))])[-2::-1] * (np.array(caps) > 0)
    return Outcomes(
        node, merged.reshape(*merged.shape[:2], -1).astype(np.int32), strides.astype(np.int32), np.array(caps, np.int32)
    )


def _without_what_does_not_matter(table: Any, caps: tuple[int, ...]) -> tuple[Any, tuple[int, ...]]:
    """[orders, bombs, plays of seat 0, ...] with axes shortened that the worth does not depend on."""
    if (table == table[:, :1]).all():
        table = table[:, :1]
    shorter = []
    for seat, cap in enumerate(caps):
        along = np.moveaxis(table, 2 + seat, 0)
        while cap and (along[cap - 1] == along[cap]).all():
            cap -= 1
        table = np.moveaxis(along[: cap + 1], 0, 2 + seat)
        shorter.append(cap)
    return np.ascontiguousarray(table), tuple(shorter)


def _merge(orders: list[tuple[int, ...]], table: Any) -> tuple[list[int], Any]:
    """A number for each order, and the worth of each number: two orders have one where all that follows is worth the same."""
    place = {out: i for i, out in enumerate(orders)}
    number: dict[Any, int] = {}
    found: dict[tuple[int, ...], int] = {}
    rows: list[Any] = []
    for out in orders:  # what follows an order stands before it
        settled = not (table[place[out]] == OPEN).any()
        after = [] if settled else [(seat, found[*out, seat]) for seat in range(16) if (*out, seat) in found]
        key = (table[place[out]].tobytes(), tuple(after))
        if key not in number:
            number[key] = len(rows)
            rows.append(table[place[out]])
        found[out] = number[key]
    return [found[out] for out in orders], np.stack(rows)


def _code(out: tuple[int, ...], seats: int) -> int:
    """The places of an order in bits, with the last place where only that is left."""
    places = {seat: place for place, seat in enumerate(out, 1)}
    if len(out) == seats - 1:
        places |= {seat: seats for seat in range(seats) if seat not in out}
    return sum(place << PLACE_BITS * seat for seat, place in places.items())
