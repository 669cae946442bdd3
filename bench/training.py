"""How fast a net learns: decisions a second, playing and learning together, and where the time goes.

python bench/training.py --game doudizhu --batch 65536 131072 --iterations 10 --profile
python bench/training.py --game doudizhu --ahead       the next batch after the learning, and beside it
"""

from __future__ import annotations

from argparse import Namespace
from contextlib import suppress
from dataclasses import replace
from itertools import product

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile

from measuring import Row, option_parser, show
from shangyou import games
from shangyou.nets.value_net import ValueNet
from shangyou.training import dmc
from shangyou.training.algorithm import Checkpoint, Progress, preset, start


class Nothing:
    """Keeps nothing."""

    def save(self, checkpoint: Checkpoint) -> None: ...

    def save_half(self, checkpoint: Checkpoint) -> None: ...

    def log(self, progress: Progress) -> None: ...

    def load(self, run: str) -> Checkpoint: ...


class Enough(Exception):
    """Measured long enough."""


def operations(net: ValueNet) -> tuple[int, int]:
    """Multiplications and additions of one position, and of one play considered in it."""
    of = {name: 2 * layer.weight.numel() for name, layer in net.named_modules() if isinstance(layer, nn.Linear)}
    position = sum(count for name, count in of.items() if name.startswith(("look", "trunk", "to_head")))
    return position, sum(of.values()) - position


def measure(args: dmc.Args, options: Namespace) -> Row:
    """Rates over some batches, after others that compile and get the net off the ground."""
    marks: list[Progress] = []
    profiler = profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) if options.profile else None

    def report(progress: Progress) -> None:
        if progress.iterations in (options.warm, options.warm + options.iterations):
            marks.append(replace(progress))
        if len(marks) == 2 and profiler is None:
            raise Enough
        if progress.iterations == options.warm + options.iterations:
            profiler.start()  # one more batch, not counted: looking at it takes time
        if progress.iterations == options.warm + options.iterations + 1:
            profiler.stop()
            raise Enough

    with suppress(Enough):
        start("dmc", args, Nothing(), report)
    if profiler is not None:
        print(profiler.key_averages().table(sort_by="self_cuda_time_total", row_limit=25, max_name_column_width=60))
    return rates(args, *marks)


def rates(args: dmc.Args, before: Progress, after: Progress) -> Row:
    iterations = after.iterations - before.iterations
    acting, learning = after.acting - before.acting, after.learning - before.learning
    decisions, pairs = after.decisions - before.decisions, after.pairs - before.pairs
    learned = after.learned - before.learned
    of_position, of_play = operations(dmc.make_net(args, args.load_game()))
    work = learned * of_position + pairs * of_play + 3 * learned * (of_position + of_play)  # forward, and backward twice that
    return {
        "games/s": (after.games - before.games) / (acting + learning),
        "decisions/s": decisions / (acting + learning),
        "acting, s a batch": acting / iterations,
        "learning, s a batch": learning / iterations,
        "plays judged/s, acting": pairs / acting,
        "decisions/s, learning": learned / learning,
        "TFLOP/s": work / (acting + learning) / 1e12,
    }


def ceiling(device: str) -> float:
    """TFLOP/s of a large product in bf16 here; 0 on a CPU, which learns in float32."""
    if device == "cpu":
        return 0.0
    a = torch.randn(16384, 8192, device=device, dtype=torch.bfloat16)
    b = torch.randn(8192, 8192, device=device, dtype=torch.bfloat16)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for i in range(30):
        if i == 10:
            begin.record()
        a @ b
    end.record()
    torch.cuda.synchronize()
    return 20 * 2 * a.numel() * b.shape[1] / (begin.elapsed_time(end) / 1e3) / 1e12


def main() -> None:
    parser = option_parser(__doc__)
    parser.add_argument("--game", nargs="+", default=games.names())
    parser.add_argument("--batch", nargs="+", type=int, default=[0], help="games in a batch; 0: what suits the device")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--warm", type=int, default=5, help="batches before the clock starts")
    parser.add_argument("--ahead", action="store_true", help="also with the next batch played beside the learning")
    parser.add_argument("--profile", action="store_true", help="print what took the GPU's time")
    options = parser.parse_args()
    rows: list[Row] = []
    for game, batch, ahead in product(options.game, options.batch, (False, True) if options.ahead else (False,)):
        args = replace(
            preset("dmc", game, options.device), batches=10**6, eval_seconds=1e9, eval_deals=1, checkpoint_seconds=1e9
        )
        args = replace(args, sparring_share=0.0)  # partners decide faster than a net and would flatter the rates
        args = replace(args, batch=batch or args.batch, ahead=ahead)
        about = {"game": game, "device": args.device, "games a batch": args.batch, "ahead": str(ahead).lower()}
        rows.append(about | measure(args, options))
    peak = ceiling(args.device)
    for row in rows:
        row["% of a bf16 product"] = 100 * row["TFLOP/s"] / peak if peak else None
    show("Playing and learning together", rows, options)


if __name__ == "__main__":
    main()
