"""The kernel of legal plays alone: nanoseconds for each lead and each follow of random games.

`engine.legal` counts the plays, then writes them; both passes are timed, and the whole call with what is around them.

python bench/legal.py --device cpu --threads 1
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from measuring import Row, best_time, option_parser, show
from random_play import DEAL_SEED, choose_randomly, use_threads, wait_for
from shangyou import games
from shangyou.engines.batch import BatchEngine, State
from shangyou.engines.kernels.layout import LAST
from shangyou.games import PASS


def positions_of_random_games(engine: BatchEngine, count: int) -> State:
    """Every decision of `count` random games as a game of its own."""
    state, cards, scalars = engine.deal(count, DEAL_SEED), [], []
    while len(state.running):
        cards.append(state.cards[:, state.running])
        scalars.append(state.scalars[:, state.running])
        state = engine.step(state, choose_randomly(engine.legal(state)))
    positions = engine.deal(sum(part.shape[1] for part in cards), DEAL_SEED)  # dealt for the layout the engine wants
    positions.cards[:] = torch.cat(cards, 1)
    positions.scalars[:] = torch.cat(scalars, 1)
    return positions


def kinds_of_positions(engine: BatchEngine, count: int) -> dict[str, State]:
    positions = positions_of_random_games(engine, count)
    leading = positions.scalars[LAST] == PASS
    return {
        "first lead": engine.deal(count, DEAL_SEED),
        "lead": replace(positions, running=positions.running[leading]),
        "follow": replace(positions, running=positions.running[~leading]),
    }


def measure(engine: BatchEngine, count: int, repeats: int) -> Iterator[Row]:
    kernels, device = engine.kernels, engine.device
    for kind, state in kinds_of_positions(engine, count).items():
        legal, position = engine.legal(state), (state.cards, state.scalars, state.running)
        works: dict[str, Callable[[], object]] = {
            "ns to count": lambda position=position: kernels.count(*position),
            "ns to write": lambda position=position, legal=legal: kernels.write(*position, legal.starts, legal.plays),
            "ns of legal()": lambda state=state: engine.legal(state),
        }
        number = len(state.running)
        plays = {"positions": number, "plays each": len(legal.plays) / number}
        times = {column: nanoseconds(work, device, repeats) / number for column, work in works.items()}
        yield {"game": engine.game.name, "position": kind, "device": device.type, **plays, **times}


def nanoseconds(work: Callable[[], object], device: torch.device, repeats: int) -> float:
    def work_to_the_end() -> None:
        work()
        wait_for(device)

    return 1e9 * best_time(work_to_the_end, repeats)[0]


def run(arguments: argparse.Namespace) -> list[Row]:
    use_threads(arguments.threads)
    engines = [BatchEngine(games.load(name), arguments.device) for name in arguments.game]
    return [row for engine in engines for row in measure(engine, arguments.games, arguments.repeats)]


def main() -> None:
    parser = option_parser(__doc__)
    parser.add_argument("--game", nargs="+", choices=games.names(), default=list(games.names()))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1, help="on a CPU")
    parser.add_argument("--games", type=int, default=8_192, help="games whose decisions are the positions")
    parser.add_argument("--repeats", type=int, default=10)
    arguments = parser.parse_args()
    show(f"legal plays, {arguments.threads} CPU thread(s)", run(arguments), arguments)


if __name__ == "__main__":
    main()
