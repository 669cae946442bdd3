"""The batch engine against the reference engine, decision by decision: legal plays, views, turns, results.

python tests/engines/agreement.py --games 20000 --device cpu --device cuda     every variant, on all cores
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from games.variants import VARIANTS, variant_name
from shangyou import games
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine, Legal, State, View
from shangyou.engines.kernels.tables import MEMORY
from shangyou.games import NOBODY, PASS

CHUNK = 500  # games in lockstep; no engine can know which game another one is about


def check_agreement(engine: BatchEngine, count: int, seed: int, first_index: int = 0) -> int:
    """Play `count` games by lot in both engines at once; the number of decisions that were compared."""
    choose, game = random.Random(f"{seed} {first_index}"), engine.game
    state = engine.deal(count, seed, first_index)
    twins = [reference.deal(game, seed, first_index + i) for i in range(count)]
    decisions = 0
    while len(state.running):
        state = bid_everywhere(engine, state, twins, choose)
        numbers = state.running.tolist()
        lists = check_legal(engine.legal(state), twins, numbers)
        check_view(engine.view(state), twins, numbers)
        chosen = [choose.choice(plays) for plays in lists]
        for i, play in zip(numbers, chosen, strict=True):
            twins[i] = reference.step(twins[i], play)
        state = engine.step(state, torch.tensor(chosen, device=engine.device))
        assert state.running.tolist() == [i for i in numbers if not twins[i].over]
        decisions += len(numbers)
    assert engine.scores(state).tolist() == [list(twin.scores) for twin in twins]
    assert engine.places(state).tolist() == [list(twin.places) for twin in twins]
    assert engine.winners(state).tolist() == [[seat in twin.winners for seat in range(game.seats)] for twin in twins]
    return decisions


def bid_everywhere(engine: BatchEngine, state: State, twins: list[reference.State], choose: random.Random) -> State:
    """Bids by lot until every running game has its landlord."""
    running = state.running
    while bool((due := engine.bidding(state)).any()):
        bidding = replace(state, running=running[due])
        numbers = bidding.running.tolist()
        assert engine.highest_bid(bidding).tolist() == [max(twins[i].bids, default=0) for i in numbers]
        bids = [choose.choice(reference.legal_bids(twins[i])) for i in numbers]
        for i, points in zip(numbers, bids, strict=True):
            twins[i] = reference.bid(twins[i], points)
        state = replace(engine.bid(bidding, torch.tensor(bids, device=engine.device)), running=running)
    return state


def check_legal(legal: Legal, twins: list[reference.State], numbers: list[int]) -> list[list[int]]:
    """The legal plays of each running game, the same in both engines."""
    starts, plays = legal.starts.tolist(), legal.plays.tolist()
    lists = [plays[a:b] for a, b in pairwise(starts)]
    for i, listed in zip(numbers, lists, strict=True):
        assert listed == reference.legal(twins[i]).tolist(), f"game {i}"
    assert legal.rows.tolist() == [place for place, listed in enumerate(lists) for _ in listed]
    return lists


def check_view(view: View, twins: list[reference.State], numbers: list[int]) -> None:
    columns = {name: getattr(view, name).tolist() for name in View.__dataclass_fields__}
    for place, i in enumerate(numbers):
        seen = {name: column[place] for name, column in columns.items()}
        assert seen == as_lists(reference.view(twins[i]), twins[i]), f"game {i}"


def as_lists(view: reference.View, state: reference.State) -> dict[str, object]:
    deck, seats = view.game.deck, range(view.game.seats)
    bids = dict(view.bids)
    latest = [*reversed(view.history), *[reference.Turn(NOBODY, PASS, 0)] * MEMORY][:MEMORY]
    return {
        "hand": list(deck.words(view.hand)),
        "unseen": list(deck.words(view.unseen)),
        "played": [list(deck.words(cards)) for cards in view.played],
        "left": list(view.left),
        "last": view.last,
        "last_by": view.last_by,
        "landlord": view.landlord,
        "public": view.public,
        "passed": [seat in view.passed for seat in seats],
        "bids": [bids.get(seat, -1) for seat in seats],
        "bombs": state.bombs,
        "turns": len(view.history),
        "history": [turn.play for turn in latest],
        "history_by": [turn.seat for turn in latest],
    }


def _check_chunk(job: tuple[int, str, int]) -> int:
    variant, device, first_index = job
    torch.set_num_threads(1)
    name, rules = VARIANTS[variant]
    return check_agreement(BatchEngine(games.load(name, **rules), device), CHUNK, 2026, first_index)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--device", action="append", default=[])
    parser.add_argument("--only", default="", help="variants whose name begins like this")
    arguments = parser.parse_args()
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")
    with multiprocessing.get_context("spawn").Pool() as pool:
        for device in arguments.device or ["cpu"]:
            for number, variant in enumerate(VARIANTS):
                if not variant_name(variant).startswith(arguments.only):
                    continue
                began = time.perf_counter()
                jobs = [(number, device, first) for first in range(0, arguments.games, CHUNK)]
                decisions = sum(pool.imap_unordered(_check_chunk, jobs))
                text = f"{len(jobs) * CHUNK:,} games, {decisions:,} decisions agree"
                print(f"{device:5} {variant_name(variant)}: {text} ({time.perf_counter() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
