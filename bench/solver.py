"""The exact solver on positions of champion games, one core: share solved in time, positions a second, memory, by cards.

Of each game, for every size, the first decision with a choice at which the largest hand has so many cards; "or less" counts
the smaller sizes too. The time is that of the process, which other programs on the machine do not lengthen.

python bench/solver.py --games 400
python bench/solver.py --truth --games 60  # whole games: how far from their end all is proven
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from measuring import Row, option_parser, show
from shangyou import agents, games
from shangyou.agents.play import Decision, play
from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.games import Game
from shangyou.records import Record, with_bids
from shangyou.search import Question, solve
from shangyou.search.truth import GAME_NODES, TURN_NODES, truth

SEED = 1
NODES = 2_000_000  # positions a question
IN_TIME = 0.1  # seconds of the process


def positions(game: Game, count: int, most: int) -> dict[int, list[State]]:
    """By the cards of the largest hand, positions of games that the game's champion plays with itself."""
    found: dict[int, dict[int, State]] = {size: {} for size in range(1, most + 1)}

    def keep(decision: Decision) -> None:
        size = max(map(game.deck.size, decision.state.hands))
        if size <= most and len(decision.legal) > 1:
            found[size].setdefault(decision.number, decision.state)

    champion_games(game, count, keep)
    return {size: list(states.values()) for size, states in found.items() if states}


def champion_games(game: Game, count: int, keep: Callable[[Decision], None] = lambda _: None) -> list[State]:
    """The ends of games that the game's champion plays with itself."""
    champion = agents.load(agents.strongest(game), game)
    return play(game, [champion] * game.seats, None, [reference.deal(game, SEED, index) for index in range(count)], keep)


def measure(game: Game, size: int, states: list[State], nodes: int, objective: str | None) -> tuple[Row, npt.NDArray[np.bool_]]:
    """A row, and which of the positions were solved in time."""
    seconds, seen, known = [], [], []
    for state in states:
        began = time.process_time()
        answer = solve(Question(state, objective, nodes=nodes))
        seconds.append(time.process_time() - began)
        seen.append(answer.nodes)
        known.append(answer.value is not None)
    times, solved = np.array(seconds), np.array(known)
    in_time = solved & (times < IN_TIME)
    row: Row = {
        "game": game.name,
        "largest hand": size,
        "positions": len(states),
        "solved": float(solved.mean()),
        "in 100 ms": float(in_time.mean()),
        "or less, in 100 ms": None,
        "median ms": float(np.median(times)) * 1e3,
        "p95 ms": float(np.quantile(times, 0.95)) * 1e3,
        "positions/s": sum(seen) / max(sum(seconds), 1e-9),
    }
    return row, in_time


def measure_truth(game: Game, ends: list[State], nodes: int, turn_nodes: int) -> Row:
    """Whole games, from the end backwards; a turn counts as proven if all after it is, too."""
    seconds, proven, whole, given = [], [], [], []
    for end in ends:
        states = with_bids(Record.from_state(end))
        began = time.process_time()
        found = truth(states, nodes, turn_nodes)
        seconds.append(time.process_time() - began)
        first = len(end.history) if found.proven_from is None else found.proven_from
        proven.append(len(end.history) - first)
        whole.append(first == 0)
        given.append(sum(one.gave_away for one in found.turns))
    times = np.array(seconds)
    return {
        "game": game.name,
        "games": len(ends),
        "turns": float(np.mean([len(end.history) for end in ends])),
        "proven": float(np.mean(proven)),
        "fewest": min(proven),
        "whole games": float(np.mean(whole)),
        "given away": float(np.mean(given)),
        "mean s": float(times.mean()),
        "longest s": float(times.max()),
    }


def run_truth(arguments: argparse.Namespace) -> list[Row]:
    rows: list[Row] = []
    for name in arguments.game:
        game = games.load(name)
        ends = champion_games(game, arguments.games)
        truth(with_bids(Record.from_state(ends[0])), 1000)  # loads what is compiled
        rows.append(measure_truth(game, ends, arguments.nodes or GAME_NODES, arguments.turn_nodes))
    return rows


def run(arguments: argparse.Namespace) -> list[Row]:
    rows: list[Row] = []
    nodes = arguments.nodes or NODES
    for name in arguments.game:
        game, in_time = games.load(name), np.zeros(0, bool)
        for size, states in positions(game, arguments.games, arguments.most).items():
            if size >= arguments.least:
                solve(Question(states[0], arguments.objective, nodes=1000))  # loads what is compiled
                row, these = measure(game, size, states, nodes, arguments.objective)
                in_time = np.concatenate((in_time, these))
                rows.append(row | {"or less, in 100 ms": float(in_time.mean())})
    return rows


def main() -> None:
    parser = option_parser(__doc__)
    parser.add_argument("--game", nargs="+", choices=games.names(), default=list(games.names()))
    parser.add_argument("--games", type=int, default=200, help="champion games the positions are taken from")
    parser.add_argument("--least", type=int, default=1, help="cards of the largest hand")
    parser.add_argument("--most", type=int, default=14)
    parser.add_argument("--nodes", type=int, help=f"positions a question, {NODES:,}, or with --truth a game, {GAME_NODES:,}")
    parser.add_argument("--truth", action="store_true", help="whole games in place of positions")
    parser.add_argument("--turn-nodes", type=int, default=TURN_NODES, help="positions a turn of a whole game")
    parser.add_argument("--objective", default=None, help="win, points or place; default: what the game is played for")
    arguments = parser.parse_args()
    rows = run_truth(arguments) if arguments.truth else run(arguments)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    most = (
        f"{arguments.nodes or GAME_NODES:,} positions a game"
        if arguments.truth
        else f"{arguments.nodes or NODES:,} positions a question"
    )
    show(f"exact solver, one core, at most {most}, peak {megabytes:.0f} MB", rows, arguments)


if __name__ == "__main__":
    main()
