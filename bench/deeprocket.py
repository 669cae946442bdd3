"""Learning of DeepRocket's nets by algorithm `supervised`: decisions a second, the share of a measured bf16 product that its
steps reach, and the share of their time that drawing minibatches and building inputs takes.

python bench/deeprocket.py                              minibatch 256 as in the paper, and larger ones
python bench/deeprocket.py --compile --set roles=models    a net a role, compiled
python bench/deeprocket.py --device cpu --batch 16 --set policy.filters=64
python bench/deeprocket.py --batch --export rocket.onnx --set policy.filters=144 kicker.filters=32 roles=outputs
python bench/agent.py --agent rocket.onnx               how long a decision takes with these nets
"""

from __future__ import annotations

import argparse
import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict
from itertools import cycle, islice
from pathlib import Path

import torch
from torch.utils.flop_counter import FlopCounterMode

from measuring import Row, option_parser, show
from shangyou import games
from shangyou.agents.batch import load_batch
from shangyou.agents.batch.exploring import ExploringAgent
from shangyou.engines.batch import BatchEngine
from shangyou.nets.deeprocket import DeepRocket, Size
from shangyou.nets.export import to_onnx
from shangyou.training.settings import changed, found_device
from shangyou.training.supervised.decisions import DecisionBatch, decisions_of
from shangyou.training.supervised.generate import generate
from shangyou.training.supervised.imitation import AT_ONCE, Args, Step, make_optimiser
from training import ceiling

GAME = games.load("doudizhu")
MINIBATCHES = 8  # in memory; a step takes the next of them
CHOICES = 15  # of a game, at least, on average


def random_decisions(minibatch: int, device: str) -> DecisionBatch:
    """Decisions of random games, enough for some minibatches and to encode as many at once as training does."""
    engine, number = BatchEngine(GAME, device), max(MINIBATCHES * minibatch, AT_ONCE[device])
    player = ExploringAgent(load_batch("random", GAME), engine.device)
    parts = [decisions_of(engine, part) for part in generate(engine, player, 64 + number // CHOICES, seed=1)]
    return DecisionBatch.joined(parts).at(torch.arange(number, device=device))


def seconds(work: Callable[[], object], repeats: int, device: str) -> float:
    """Of one call, the mean of several after two that are not counted."""
    for i in range(repeats + 2):
        if i == 2:
            _wait(device)
            began = time.perf_counter()
        work()
    _wait(device)
    return (time.perf_counter() - began) / repeats


def _wait(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def measure(size: Size, batch_size: int, options: argparse.Namespace, device: str) -> Row:
    net = DeepRocket(GAME, size).to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    args = Args("doudizhu", minibatch=batch_size, compile=options.compile)
    step = Step(net, make_optimiser(args, net), args)
    decisions, generator = random_decisions(batch_size, device), torch.Generator(device)
    drawn = list(islice(step.minibatches(decisions, batch_size, generator), MINIBATCHES))
    with FlopCounterMode(display=False) as counted, torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        net.predict(drawn[0])
    parts = cycle(drawn)
    inputs = seconds(lambda: deque(step.minibatches(decisions, batch_size, generator), maxlen=0), 3, device)
    inputs /= len(decisions) / batch_size
    learning = inputs + seconds(lambda: step(next(parts), 1.0), options.steps, device)
    return {
        "batch": batch_size,
        "device": device,
        "million weights": sum(weight.numel() for weight in net.parameters()) / 1e6,
        "GFLOP a decision": counted.get_total_flops() / batch_size / 1e9,
        "decisions/s": batch_size / learning,
        "inputs, % of a step": 100 * inputs / learning,
        "TFLOP/s": 3 * counted.get_total_flops() / learning / 1e12,  # backward costs twice forward
    }


def main() -> None:
    parser = option_parser(__doc__)
    parser.add_argument("--export", type=Path, metavar="FILE", help="write the untrained nets as a model, for bench/agent.py")
    parser.add_argument("--batch", nargs="*", type=int, default=[256, 1024, 4096])
    parser.add_argument("--device", default="auto")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--set", nargs="+", default=["roles=outputs"], metavar="NAME=VALUE", help=f"of {asdict(Size())}")
    parser.add_argument("--compile", action="store_true", help="torch.compile the convolutions")
    options = parser.parse_args()
    device, size = found_device(options.device), changed(Size(), options.set)
    if options.export:
        options.export.write_bytes(to_onnx(DeepRocket(GAME, size), GAME, {}))
    rows = [measure(size, batch, options, device) for batch in options.batch]
    peak = ceiling(device) if rows else 0.0
    for row in rows:
        row["% of a bf16 product"] = 100 * row["TFLOP/s"] / peak if peak else None
    if rows:
        show("Learning of DeepRocket's nets", rows, options)


if __name__ == "__main__":
    main()
