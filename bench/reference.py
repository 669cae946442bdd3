"""How long the reference engine takes: tables, legal plays of a lead, whole random games. One core.

python bench/reference.py
"""

from __future__ import annotations

import random
import time
import tracemalloc
from statistics import median

from measuring import Row, option_parser, show
from shangyou import games
from shangyou.engines import reference
from shangyou.games import doudizhu, zsy2, zsy4


def build(name: str) -> tuple[float, float]:
    """Seconds, and peak MB, of building a table from nothing: twice, since tracing memory takes time itself."""
    forget_tables()
    began = time.perf_counter()
    games.load(name)
    seconds = time.perf_counter() - began
    forget_tables()
    tracemalloc.start()
    games.load(name)
    megabytes = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return seconds, megabytes


def forget_tables() -> None:
    for module in (zsy2, doudizhu, zsy4):
        module.build_table.cache_clear()
    games._make.cache_clear()


def first_leads(game: games.Game, count: int) -> list[float]:
    """Milliseconds for the legal plays of each of `count` first leads, 20 cards in doudizhu."""
    times = []
    for index in range(count):
        state = reference.deal(game, 1, index)
        began = time.perf_counter()
        reference.legal(state)
        times.append(1e3 * (time.perf_counter() - began))
    return times


def random_games(game: games.Game, count: int) -> float:
    """Random games a second, deals and legal plays included."""
    choose = random.Random(0)
    began = time.perf_counter()
    for index in range(count):
        state = reference.deal(game, 2, index)
        while not state.over:
            state = reference.step(state, choose.choice(reference.legal(state).tolist()))
    return count / (time.perf_counter() - began)


def measure(name: str) -> Row:
    seconds, megabytes = build(name)
    game = games.load(name)
    leads = sorted(first_leads(game, 2000))
    return {
        "game": name,
        "table s": seconds,
        "table MB": megabytes,
        "lead ms, median": median(leads),
        "lead ms, 99%": leads[-20],
        "random games/s": random_games(game, 200),
    }


def main() -> None:
    arguments = option_parser(__doc__).parse_args()
    show("reference engine", [measure(name) for name in games.names()], arguments)


if __name__ == "__main__":
    main()
