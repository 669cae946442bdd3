"""`check_engine` over many games of every variant, on all cores.

python tests/engines/agreement.py --games 20000 --device cpu --device cuda
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from games.variants import ON_TENSORS, variant_name
from shangyou import games
from shangyou.testing import check_engine

CHUNK = 500  # games in lockstep
SEED = 2026


def _check_chunk(job: tuple[int, str, int]) -> int:
    variant, device, first_index = job
    torch.set_num_threads(1)
    name, rules = ON_TENSORS[variant]
    return check_engine(games.load(name, **rules), CHUNK, SEED, device, first_index)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--device", action="append", default=[])
    parser.add_argument("--only", default="", help="variants whose name begins like this")
    arguments = parser.parse_args()
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")
    with multiprocessing.get_context("spawn").Pool() as pool:
        for device in arguments.device or ["cpu"]:
            for number, variant in enumerate(ON_TENSORS):
                if not variant_name(variant).startswith(arguments.only):
                    continue
                began = time.perf_counter()
                jobs = [(number, device, first) for first in range(0, arguments.games, CHUNK)]
                decisions = sum(pool.imap_unordered(_check_chunk, jobs))
                text = f"{len(jobs) * CHUNK:,} games, {decisions:,} decisions agree"
                print(f"{device:5} {variant_name(variant)}: {text} ({time.perf_counter() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
