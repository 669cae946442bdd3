"""Random Dou Dizhu on other programs, one thread, without features or observations: what they ask of a plain simulation.

OpenSpiel's games have random bids too, and end at once if nobody bids (one in 64); RLCard's have none.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any, NamedTuple

from measuring import best_time

PLAYERS = 3


class PeerTime(NamedTuple):
    name: str
    games: int
    seconds: float | None  # None: not installed
    decisions: int


def measure_peers(games: int, repeats: int) -> Iterator[PeerTime]:
    """The ways of OpenSpiel with `games` games each; RLCard, which takes fifty times as long, with a tenth of them."""
    for name, make_work in OPENSPIEL.items():
        yield _measure(name, "pyspiel", make_work, games, repeats)
    yield _measure("RLCard, game", "rlcard", rlcard_work, max(1, games // 10), min(repeats, 2))


def _measure(name: str, module: str, make_work: Callable[[int], Callable[[], int]], games: int, repeats: int) -> PeerTime:
    if find_spec(module) is None:
        return PeerTime(name, games, None, 0)
    best = PeerTime(name, games, float("inf"), 0)
    for _ in range(repeats):
        seconds, decisions = best_time(make_work(games), 1)  # prepared anew: games are used up by playing
        best = min(best, PeerTime(name, games, seconds, decisions), key=lambda peer: peer.seconds)
    return best


# -- OpenSpiel: what each returns plays `games` games and counts their decisions ---------------------------------------


def dealt_ahead_work(games: int) -> Callable[[], int]:
    states = [_deal(state) for state in _openspiel_starts(games)]
    return lambda: sum(map(_play_in_python, states))


def with_dealing_work(games: int) -> Callable[[], int]:
    states = _openspiel_starts(games)
    return lambda: sum(_play_in_python(_deal(state)) for state in states)


def native_work(games: int) -> Callable[[], int]:
    """Its own loop in C++ with its own random players, dealing included; Python only starts each game."""
    import pyspiel

    states = _openspiel_starts(games)
    chances = len(_deal(states[0].clone()).history())
    bots = [pyspiel.make_uniform_random_bot(player, player) for player in range(PLAYERS)]

    def play() -> int:
        for number, state in enumerate(states):
            pyspiel.evaluate_bots(state, bots, number)
        return sum(len(state.history()) - chances for state in states)

    return play


OPENSPIEL = {
    "OpenSpiel, Python, dealt ahead": dealt_ahead_work,
    "OpenSpiel, Python, with dealing": with_dealing_work,
    "OpenSpiel, C++ loop, with dealing": native_work,
}


def _openspiel_starts(games: int) -> list[Any]:
    import pyspiel

    game = pyspiel.load_game("dou_dizhu")
    return [game.new_initial_state() for _ in range(games)]


def _deal(state: Any) -> Any:
    """Chance is uniform in this game, so that any outcome will do."""
    while state.is_chance_node():
        state.apply_action(random.choice(state.legal_actions()))
    return state


def _play_in_python(state: Any) -> int:
    decisions = 0
    while not state.is_terminal():
        state.apply_action(random.choice(state.legal_actions()))
        decisions += 1
    return decisions


# -- RLCard ----------------------------------------------------------------------------------------------------------


def rlcard_work(games: int) -> Callable[[], int]:
    from rlcard.games.doudizhu import Game

    return lambda: sum(_play_rlcard(Game()) for _ in range(games))


def _play_rlcard(game: Any) -> int:
    state, _ = game.init_game()
    decisions = 0
    while not game.is_over():
        state, _ = game.step(random.choice(state["actions"]))
        decisions += 1
    return decisions
