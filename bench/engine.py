"""Random play in games and decisions a second: the batch engine on CPU and GPU, OpenSpiel and RLCard in the same run.

Dealing, legal plays, choices and turns are timed; compiling is not. Best of several repeats.

python bench/engine.py                                   everything this machine can run
python bench/engine.py --game doudizhu --device cpu --markdown
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numba

from measuring import Row, best_time, option_parser, show
from peers import measure_peers
from random_play import WAYS, count_decisions, devices, use_threads, warm_up
from shangyou import games
from shangyou.engines.batch import BatchEngine

GAMES_ON_CPU = 65_536
GAMES_ON_GPU = [1 << power for power in (14, 16, 18, 20)]
PEERS_PLAY = "doudizhu"
BASELINE = "OpenSpiel, Python, dealt ahead"  # the faster of its two ways through Python


def measure_cpu(name: str, batches: list[int], repeats: int) -> Iterator[Row]:
    engine = BatchEngine(games.load(name), "cpu")
    warm_up(engine)
    all_threads = numba.config.NUMBA_NUM_THREADS
    for threads in sorted({1, all_threads}):
        use_threads(threads)
        yield from measure(engine, threads, batches, repeats)
    use_threads(all_threads)


def measure_gpu(name: str, batches: list[int], repeats: int) -> Iterator[Row]:
    engine = BatchEngine(games.load(name), "cuda")
    warm_up(engine)
    yield from measure(engine, None, batches, repeats)


def measure(engine: BatchEngine, threads: int | None, batches: list[int], repeats: int) -> Iterator[Row]:
    for way, play in WAYS.items():
        for batch in batches:
            seconds, state = best_time(lambda play=play, batch=batch: play(engine, batch), repeats)
            decisions = count_decisions(state)
            yield speed_row(engine.game.name, f"shangyou, {way}", engine.device.type, threads, batch, seconds, decisions)


def speed_row(
    game: str, engine: str, device: str, threads: int | None, batch: int, seconds: float | None, decisions: int
) -> Row:
    """A row of the table; without `seconds`, the engine is not installed."""
    return {
        "game": game,
        "engine": engine if seconds else f"{engine}: not installed",
        "device": device,
        "threads": threads,
        "games": batch,
        "games/s": batch / seconds if seconds else None,
        "decisions/s": decisions / seconds if seconds else None,
    }


def add_ratios(rows: list[Row]) -> list[Row]:
    """Games/s over OpenSpiel's through Python, where it plays the same game."""
    baseline = next((row["games/s"] for row in rows if row["engine"] == BASELINE), None)
    for row in rows:
        comparable = baseline and row["games/s"] and row["game"] == PEERS_PLAY
        row["ratio to OpenSpiel"] = row["games/s"] / baseline if comparable else None
    return rows


def run(arguments: argparse.Namespace) -> list[Row]:
    rows: list[Row] = []
    if PEERS_PLAY in arguments.game and "cpu" in arguments.device:
        for peer in measure_peers(arguments.peer_games, arguments.repeats):
            rows.append(speed_row(PEERS_PLAY, peer.name, "cpu", 1, peer.games, peer.seconds, peer.decisions))
    for name in arguments.game:
        if "cpu" in arguments.device:
            rows += measure_cpu(name, arguments.batch or [GAMES_ON_CPU], arguments.repeats)
        if "cuda" in arguments.device:
            rows += measure_gpu(name, arguments.batch or GAMES_ON_GPU, arguments.repeats)
    return add_ratios(rows)


def main() -> None:
    parser = option_parser(__doc__)
    parser.add_argument("--game", nargs="+", choices=games.names(), default=list(games.names()))
    parser.add_argument("--batch", nargs="+", type=int, help="games at once, instead of one size on CPU and four on GPU")
    parser.add_argument("--peer-games", type=int, default=2_000, help="games that OpenSpiel plays; RLCard plays a tenth")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--device", nargs="+", choices=devices(), default=devices(), help="OpenSpiel and RLCard play on a CPU")
    arguments = parser.parse_args()
    show("random play, deals and legal plays included", run(arguments), arguments)


if __name__ == "__main__":
    main()
