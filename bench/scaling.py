"""What a random game costs, in nanoseconds and in memory, by the number of games in flight.

On a CPU memory is that of the whole process, Python, torch and compiled kernels included; on a GPU that of all tensors.

python bench/scaling.py --plot docs/images/scaling.svg                          measure, print and draw
python bench/scaling.py --device cuda --json gpu.json                           measure elsewhere,
python bench/scaling.py --from cpu.json gpu.json --plot docs/images/scaling.svg  draw all together
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import torch

from measuring import Row, best_time, option_parser, show
from random_play import DEAL_SEED, WAYS, use_threads, wait_for, warm_up
from shangyou import games
from shangyou.engines.batch import BatchEngine

BATCHES = [1 << power for power in (12, 14, 16, 18, 20)]
MILLION = 1_000_000  # the promise is about this many games of zsy2
COLOURS = {"zsy2": "tab:blue", "zsy4": "tab:green", "doudizhu": "tab:red"}
LINES = {"one kernel": "-", "step by step": "--"}


def measure(engine: BatchEngine, batches: list[int], repeats: int) -> Iterator[Row]:
    warm_up(engine)
    for way, play in WAYS.items():
        for batch in batches:
            forget_peak(engine.device)
            short = min(10, MILLION // 4 // batch)  # short runs are easily disturbed, and cost little to repeat
            seconds, state = best_time(lambda play=play, batch=batch: play(engine, batch), max(repeats, short))
            del state  # or it would count as memory of the next
            yield {
                "game": engine.game.name,
                "way": way,
                "device": engine.device.type,
                "games": batch,
                "ns a game": 1e9 * seconds / batch,
                "MB of state": state_bytes(engine) * batch / 1e6,
                "peak MB": peak_megabytes(engine.device),
            }


def state_bytes(engine: BatchEngine) -> int:
    """Bytes that one game takes between two calls."""
    state = engine.deal(1, DEAL_SEED)
    return sum(part.nbytes for part in (state.cards, state.scalars, state.index, state.running))


# -- peak memory ---------------------------------------------------------------------------------------------------------


def forget_peak(device: torch.device) -> None:
    if device.type == "cuda":
        wait_for(device)
        torch.cuda.reset_peak_memory_stats(device)
    elif (switch := Path("/proc/self/clear_refs")).exists():
        switch.write_text("5")  # proc(5): resets the peak resident set


def peak_megabytes(device: torch.device) -> float | None:
    """The peak since it was last forgotten; None where the system does not tell."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 1e6
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM")), None)


# -- the plot ------------------------------------------------------------------------------------------------------------


def draw(rows: list[Row], target: Path) -> None:
    """A panel for each device, a colour for each game, solid for one kernel."""
    import matplotlib as mpl

    mpl.use("agg")
    mpl.rcParams["svg.hashsalt"] = "shangyou"  # the same numbers draw the same file
    from matplotlib import pyplot

    kinds = sorted({row["device"] for row in rows})
    figure, panels = pyplot.subplots(1, len(kinds), figsize=(6 * len(kinds), 5), squeeze=False, layout="constrained")
    for device, panel in zip(kinds, panels[0], strict=True):
        draw_device([row for row in rows if row["device"] == device], panel)
        panel.set(xscale="log", xlabel="games in flight", title=device)
        if device == "cpu":
            panel.set_ylim(bottom=0)  # flat lines look flat, and others do not
        else:
            panel.set_yscale("log")  # from bound by launches to full takes two powers of ten
        panel.set_xticks(BATCHES, [f"{batch:,}" for batch in BATCHES])
        panel.minorticks_off()
        panel.grid(alpha=0.3)
        panel.legend(fontsize="small", ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.13))
    panels[0][0].set_ylabel("ns a random game, dealing included")
    figure.savefig(target, metadata={"Date": None} if target.suffix == ".svg" else None)


def draw_device(rows: list[Row], panel: object) -> None:
    for game, way in dict.fromkeys((row["game"], row["way"]) for row in rows):
        line = sorted((row["games"], row["ns a game"]) for row in rows if (row["game"], row["way"]) == (game, way))
        panel.plot(*zip(*line, strict=True), LINES[way], marker=".", color=COLOURS[game], label=f"{game}, {way}")


def run(arguments: argparse.Namespace) -> list[Row]:
    use_threads(arguments.threads)
    rows: list[Row] = []
    for name in arguments.game:
        batches = sorted({*arguments.batch, *([MILLION] if name == "zsy2" else [])})
        rows += measure(BatchEngine(games.load(name), arguments.device), batches, arguments.repeats)
    return rows


def read(files: list[Path]) -> list[Row]:
    return [row for file in files for row in json.loads(file.read_text(encoding="utf-8"))["rows"]]


def main() -> None:
    parser = option_parser(__doc__)
    parser.add_argument("--game", nargs="+", choices=games.names(), default=list(games.names()))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1, help="on a CPU")
    parser.add_argument("--batch", nargs="+", type=int, default=BATCHES)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--from", nargs="+", dest="files", type=Path, help="JSON of earlier runs, instead of measuring")
    parser.add_argument("--plot", type=Path, help="where to draw it, .svg or .png")
    arguments = parser.parse_args()
    rows = read(arguments.files) if arguments.files else run(arguments)
    show("cost of a random game by the number in flight", rows, arguments)
    if arguments.plot:
        draw(rows, arguments.plot)


if __name__ == "__main__":
    main()
