"""How fast agents are compared: games a second of duplicate matches, the start of the worker processes left out.

python bench/matches.py --workers 2
"""

from __future__ import annotations

import time
from argparse import Namespace

from measuring import Row, option_parser, show
from shangyou import games
from shangyou.evaluation.backends import by_name
from shangyou.evaluation.match import Match, evaluate

MATCHES = {  # game, A, B, deals
    "scripted": ("zsy2", "greedy", "random", 200_000),
    "model": ("doudizhu", "champion/doudizhu", "greedy", 4_096),
    "reference engine": ("doudizhu", "rule", "greedy", 512),
}


def measure(label: str, options: Namespace) -> Row:
    """From the first part of the match that is done to the last: then all workers are busy."""
    name, a, b, deals = MATCHES[label]
    clock: list[tuple[float, int]] = []

    def note(match: Match) -> None:
        now = time.perf_counter()
        if not clock or now - clock[-1][0] > 0.05:  # blocks that were played together come together
            clock.append((now, match.games))
        else:
            clock[-1] = clock[-1][0], match.games

    match = evaluate(games.load(name), by_name(a), by_name(b, 1), deals, seed=1, workers=options.workers, after_each=note)
    (began, first), (ended, last) = clock[0], clock[-1]
    won = f"{match.total.win.mean:.4f}"
    return {"match": f"{name}: {a} - {b}", "games": match.games, "A won": won, "games/s": (last - first) / (ended - began)}


def main() -> None:
    parser = option_parser(__doc__)
    parser.add_argument("--match", nargs="+", default=list(MATCHES), choices=MATCHES)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    show(f"duplicate matches, {options.workers} workers", [measure(label, options) for label in options.match], options)


if __name__ == "__main__":
    main()
