"""How long an epoch of the papers' populations takes: learning, playing each other, and being tested.

python bench/population.py --epochs 3 --profile
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections import defaultdict
from dataclasses import replace
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

from measuring import Row, option_parser, show
from shangyou import games
from shangyou.agents.batch import load_batch
from shangyou.engines.batch import BatchEngine
from shangyou.lab.populations import BATTLE_ROYALE, ROUND_ROBIN
from shangyou.nets.papers import CONV_LSTM, EXPERIMENT_2, EXPERIMENT_5, LSTM
from shangyou.training.learner import Recipe
from shangyou.training.population import Population
from shangyou.training.settings import found_device

POPULATIONS = {
    "round robin, 12 nets": (EXPERIMENT_2, ROUND_ROBIN),
    "battle royale, 24 nets": (EXPERIMENT_5, BATTLE_ROYALE),
    "recurrent, 2 nets": ({"dense with LSTM": LSTM, "conv with LSTM": CONV_LSTM}, ROUND_ROBIN),
    "one net": ({"ConvNet1": EXPERIMENT_2["ConvNet1"]}, ROUND_ROBIN),
}


class Timed(Population):
    """Notes how long each part of an epoch took."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.seconds = defaultdict[str, list[float]](list)

    def _learn(self, *args: Any) -> Any:
        return self._timed("learning", super()._learn, *args)

    def _simulate(self, *args: Any) -> Any:
        return self._timed("playing", super()._simulate, *args)

    def _test(self, *args: Any) -> Any:
        return self._timed("testing", super()._test, *args)

    def _timed(self, what: str, work: Any, *args: Any) -> Any:
        began = time.perf_counter()
        found = work(*args)
        if self.engine.device.type == "cuda":
            torch.cuda.synchronize()
        self.seconds[what].append(time.perf_counter() - began)
        return found


def measure(label: str, options: Namespace) -> Row:
    """The fastest epoch but for the first, which records its steps."""
    specs, scales = POPULATIONS[label]
    args = replace(scales[options.scale], epochs=options.epochs + 1, removal=False)
    engine = BatchEngine(games.load("zsy2"), found_device(options.device))
    statics = {name: load_batch(name, engine.game) for name in ("random", "greedy", "paper-greedy")}
    population = Timed(engine, specs, dict.fromkeys(specs, Recipe(loss="swapped")), args, statics)
    list(population.run())
    best = {f"{what}, s": min(seconds[1:]) for what, seconds in population.seconds.items()}
    if options.profile:
        _show_profile(population)
    step = 1000 * best["learning, s"] / args.batches
    return {"population": label, "device": engine.device.type, **best, "an epoch, s": sum(best.values()), "ms a step": step}


def _show_profile(population: Population) -> None:
    """What takes the device's time, of a short epoch more: a profile of a whole one takes minutes to add up."""
    population.args = replace(population.args, batches=min(20, population.args.batches), test_deals=0)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        population._epoch(len(population.history))
    print(profiler.key_averages().table(sort_by="self_cuda_time_total", row_limit=25, max_name_column_width=60))


def main() -> None:
    parser = option_parser(__doc__)
    parser.add_argument("--population", nargs="+", default=list(POPULATIONS), choices=POPULATIONS)
    parser.add_argument("--scale", default="paper", choices=ROUND_ROBIN)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--profile", action="store_true", help="print what took the time")
    options = parser.parse_args()
    show("An epoch of a population", [measure(label, options) for label in options.population], options)


if __name__ == "__main__":
    main()
