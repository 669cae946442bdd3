"""Learning of DeepRocket's nets: decisions a second forward and backward, and the share of the time that building inputs takes.

python bench/deeprocket.py                              batch 256 as in the paper, and larger ones
python bench/deeprocket.py --device cpu --batch 16 --set policy.filters=64
python bench/deeprocket.py --batch --export rocket.onnx --set policy.filters=144 kicker.filters=32 roles=outputs
python bench/agent.py --agent rocket.onnx               how long a decision takes with these nets
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from measuring import Row, option_parser, show
from shangyou import games
from shangyou.engines.batch import BatchEngine
from shangyou.nets.deeprocket import DeepRocket, Size
from shangyou.nets.export import to_onnx
from shangyou.nets.inputs import Inputs, inputs_of
from shangyou.training.settings import changed, found_device
from training import ceiling

GAME = games.load("doudizhu")
TURNS = 20  # of the games whose next decision is learned from: full histories, half of the cards left

Batch = tuple[Inputs, Tensor, Tensor, Tensor]  # the arguments of DeepRocket.predict


def random_decisions(positions: int, device: str) -> Batch:
    """Decisions of random games, with random choices."""
    engine = BatchEngine(GAME, device)
    state = engine.deal(2 * positions, seed=1)  # more than half of random games last longer than that
    for _ in range(TURNS):
        legal = engine.legal(state)
        state = engine.step(
            state, legal.plays[legal.starts[:-1] + torch.randint(1 << 30, legal.counts.shape, device=device) % legal.counts]
        )
    view, legal = engine.view(state).at(slice(positions)), engine.legal(state)
    starts = legal.starts[: positions + 1]
    chosen = starts[:-1] + torch.randint(1 << 30, (positions,), device=device) % legal.counts[:positions]
    return inputs_of(view, torch.zeros_like(view.last)), legal.rows[: starts[-1]], legal.plays[: starts[-1]], chosen


def step(net: DeepRocket, optimizer: torch.optim.Optimizer, batch: Batch, device: str) -> None:
    """One minibatch: forward, backward, update."""
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        labels, kickers = net.predict(*batch).losses()
    optimizer.zero_grad()
    (labels.mean() + kickers.sum() / len(labels)).backward()
    optimizer.step()


def build_inputs(net: DeepRocket, batch: Batch, device: str) -> None:
    """What a step does before the first product: planes, legal labels, prefixes of kickers."""
    seen, rows, plays, chosen = batch
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    prefixes, _ = net.paths(rows, plays).of_plays(chosen)
    net.encoder.planes(seen, dtype)
    net.encoder.kicker_planes(seen.at(prefixes.rows), prefixes, dtype)


def seconds(work: Callable[[], None], repeats: int, device: str) -> float:
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
    optimizer = torch.optim.AdamW(net.parameters(), fused=device == "cuda")
    batch = random_decisions(batch_size, device)
    with FlopCounterMode(display=False) as counted:
        net.predict(*batch)
    if options.compile:
        net.policy = torch.compile(net.policy)  # type: ignore[method-assign]
    learning = seconds(lambda: step(net, optimizer, batch, device), options.steps, device)
    inputs = seconds(lambda: build_inputs(net, batch, device), options.steps, device)
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
    parser.add_argument("--compile", action="store_true", help="torch.compile the policy net with its inputs")
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
