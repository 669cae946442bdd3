"""How fast decisions come out of a replay: drawn, gathered, the legal plays of the next ones, new priorities.

python bench/replay.py --capacity 10000000 --batch 16384
"""

from __future__ import annotations

import time

import torch

from measuring import Row, option_parser, show
from shangyou import games
from shangyou.agents.batch import load_batch
from shangyou.agents.batch.play import play
from shangyou.engines.batch import BatchEngine
from shangyou.training.ddqn.replay import KINDS, Collector, Replay
from shangyou.training.settings import found_device

WARM = 5  # batches before the clock starts
TURNS = 15  # past plays stored with a decision


def filled(engine: BatchEngine, kind: str, capacity: int, games_at_once: int) -> Replay:
    """With the decisions of random games, as many as fit."""
    replay, first = Replay(capacity, kind, 0.6, engine.device), 0
    seats = torch.zeros(games_at_once, engine.game.seats, dtype=torch.long, device=engine.device)
    while replay.at >= first:  # until it begins anew
        first = replay.at
        collector = Collector(seats == 0, TURNS)
        agent = load_batch("random", engine.game, first)
        played = play(engine, [agent], seats, engine.deal(games_at_once, first), collector)
        replay.add(collector.decisions(lambda plays: (plays > 0).float(), played.won.float(), 0.99, 1.0))
    return replay


def measure(engine: BatchEngine, replay: Replay, batch: int, steps: int) -> Row:
    generator, stored = torch.Generator(engine.device).manual_seed(0), replay.stored
    for i in range(WARM + steps):
        if i == WARM:
            began = now(engine)
        rows, _ = replay.draw(batch, 0.5, generator)
        seen = stored.seen.at(rows)
        engine.cards_of(seen.hand, stored.plays[rows])
        _, _, after = replay.ahead(rows, 1)
        following = stored.seen.at(after)
        legal = engine.legal_of(following.hand, following.last)
        engine.cards_of(following.hand[legal.rows], legal.plays)
        replay.update(rows, torch.rand(batch, generator=generator, device=engine.device))
    rate = steps * batch / (now(engine) - began)
    return {"replay": replay.kind, "stored": replay.count, "GB": replay.bytes / 1e9, "batch": batch, "transitions/s": rate}


def now(engine: BatchEngine) -> float:
    if engine.device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def main() -> None:
    parser = option_parser(__doc__)
    parser.add_argument("--rules", default="", help="of zsy4")
    parser.add_argument("--kind", nargs="+", default=list(KINDS), choices=KINDS)
    parser.add_argument("--capacity", type=int, default=10_000_000)
    parser.add_argument("--games", type=int, default=16_384, help="games played at once to fill it")
    parser.add_argument("--batch", type=int, default=16_384)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--device", default="auto")
    options = parser.parse_args()
    engine, rows = BatchEngine(games.load_text("zsy4", options.rules), found_device(options.device)), list[Row]()
    for kind in options.kind:
        replay = filled(engine, kind, options.capacity, options.games)
        rows.append(measure(engine, replay, options.batch, options.steps))
    show("Replay without the net: draw, gather, next legal plays, priorities", rows, options)


if __name__ == "__main__":
    main()
