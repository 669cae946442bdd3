"""What a larger net and more minutes buy, and what kills units: runs of dmc that differ in one thing play each other.

python bench/strength.py sizes --folder runs/strength --leg 9      as far as nine minutes go; the same command goes on
python bench/strength.py units --folder runs/strength --leg 9      learning rates, warm-up, biases and weight decay
python bench/strength.py sizes --folder runs/strength --plot docs/images/strength.svg     print and draw what is there

Every run has its own length, so that its learning rate has come to nothing when it is measured. When all runs of a study are
done, each plays the one named by --against and every other of the same length, on duplicate deals. What is done is not done
again. A leg after the first compiles once more in the time of its run, so few long legs are better than many short ones.
"""

from __future__ import annotations

import json
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import torch

from measuring import Row, option_parser, show
from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.agents.batch.value_net import TorchNetAgent
from shangyou.engines.batch import BatchEngine
from shangyou.evaluation.batch_backend import BatchBackend
from shangyou.evaluation.duplicate import play_deals
from shangyou.evaluation.intervals import RunningMean
from shangyou.records.files import write_whole
from shangyou.records.runs import RunFolder, load_checkpoint
from shangyou.training.algorithm import Checkpoint, Progress, args_of, net_of, preset, start
from shangyou.training.pruning import watch_units
from shangyou.training.settings import changed, found_device

STUDIES: dict[str, dict[str, list[str]]] = {
    "sizes": {
        "narrow": ["size.trunk=512", "size.head=384"],
        "present": [],
        "wide": ["size.trunk=1024", "size.head=768", "size.trunk_depth=3", "size.head_depth=3"],
        "wider": ["size.trunk=1536", "size.head=1024", "size.trunk_depth=3", "size.head_depth=3"],
    },
    "units": {
        "present": [],
        "lr 3e-4": ["lr=0.0003"],
        "lr 2e-3": ["lr=0.002"],
        "warm-up": ["warmup=500"],
        "bias 0.1": ["bias=0.1"],
        "weight decay": ["weight_decay=0.01"],
        "layer norm": ["size.norm=true"],
    },
}
MINUTES = {"sizes": [1.5, 3.0, 6.0], "units": [3.0]}
UNTIMED = 3  # batches in which kernels are compiled: a size should not pay for that
DEALS_AT_ONCE = 4096


class LegOver(Exception):
    """The time of this command is up; what is done is stored."""


class LegFolder(RunFolder):
    """The folder of a run that stops at the first checkpoint after the end of the leg: nothing is lost."""

    def __init__(self, path: Path, ends: float) -> None:
        super().__init__(path)
        self.ends = ends

    def save(self, checkpoint: Checkpoint) -> None:
        super().save(checkpoint)
        if time.monotonic() > self.ends and not is_done(checkpoint):
            raise LegOver


def is_done(checkpoint: Checkpoint) -> bool:
    return bool(args_of(checkpoint).share_left(Progress(**checkpoint["progress"])) == 0)


class Study:
    """Runs of one study in a folder, each under its name and minutes."""

    def __init__(self, options: Namespace) -> None:
        self.options, self.ends = options, time.monotonic() + 60 * options.leg
        self.folder = options.folder / f"{options.game}-{options.study}"
        self.settings = STUDIES[options.study]
        self.lengths = sorted(options.minutes or MINUTES[options.study])
        self.names = [f"{name}, {minutes:g} min" for minutes in self.lengths for name in options.only or self.settings]
        self.results = self.folder / "results.json"
        self.found: dict[str, Any] = json.loads(self.results.read_text()) if self.results.is_file() else {}

    def args(self, name: str) -> Any:
        which, _, minutes = name.rpartition(", ")
        options = self.options
        args = replace(
            preset("dmc", options.game, options.device), minutes=float(minutes.removesuffix(" min")), untimed=UNTIMED
        )
        short = {"eval_seconds": 1e9, "eval_deals": 64, "opponents": ("greedy",), "checkpoint_seconds": 10.0}
        return changed(replace(args, store_optimiser=not options.lean, **short), [*self.settings[which], *(options.set or [])])

    def folder_of(self, name: str) -> RunFolder:
        return LegFolder(self.folder / name.replace(", ", "-").replace(" ", "-"), self.ends)

    def train(self, name: str) -> None:
        """To its end, or as far as the leg goes."""
        folder = self.folder_of(name)
        resumed = folder.resume() if folder.exists else None
        if resumed is None or not is_done(resumed):
            say(f"training {name} ...")
            start("dmc", self.args(name), folder, resumed=resumed)

    def remember(self, key: str, work: Callable[[], Any]) -> Any:
        """The stored result, or that of the work."""
        if key not in self.found:
            if time.monotonic() > self.ends:
                raise LegOver
            say(f"{key} ...")
            self.found[key] = work()
            write_whole(self.results, json.dumps(self.found, indent=1).encode())
        return self.found[key]

    def rows(self) -> Iterator[Row]:
        """A row for each run that is done; plays what has not been played."""
        against = self.options.against
        for name in self.names:
            stored = load_checkpoint(self.folder_of(name).path)
            progress, args = stored["progress"], args_of(stored)
            silent = self.remember(f"units of {name}", lambda name=name: self.silent_units(name))
            won, reach = self.met(name, against)
            of_length = [other for other in self.names if other != name and other.endswith(name.rpartition(", ")[2])]
            rates = [self.rate(name, other) for other in of_length]
            yield {
                "run": name,
                "minutes": args.minutes,
                "M weights": sum(weight.numel() for weight in stored["net"].values()) / 1e6,
                "M games": progress["games"] / 1e6,
                "won": won,
                "±": reach,
                "won, same length": sum(rates) / len(rates) if rates else None,
                "silent, trunk": silent["trunk"],
                "silent, head": silent["head"],
            }

    def rate(self, name: str, other: str) -> float:
        """Of two runs that met in either order."""
        for one, two in combinations(self.names, 2):
            if {one, two} == {name, other}:
                won, _ = self.met(one, two)
                return float(won if one == name else 1 - won)
        raise AssertionError(f"{name} and {other} are two runs")

    def met(self, name: str, other: str) -> tuple[float, float]:
        """`match`, played once."""
        won, reach = self.remember(f"{name} against {other}", lambda: self.match(name, other))
        return won, reach

    def match(self, name: str, other: str) -> tuple[float, float]:
        """Share won and half its interval."""
        game = self.args(name).load_game()
        engine, share = BatchEngine(game, found_device(self.options.device)), RunningMean()
        agents = [self.agent(name, engine), self.agent(other, engine)]
        backend = BatchBackend(engine, agents, self.options.seed)
        for first in range(0, self.options.deals, DEALS_AT_ONCE):
            deals = range(first, min(first + DEALS_AT_ONCE, self.options.deals))
            share.add(play_deals(backend, deals).win.mean(1))
        return share.mean, share.half_width

    def agent(self, name: str, engine: BatchEngine) -> BatchAgent:
        if name not in self.names:
            return load_batch(name, engine.game, device=engine.device)
        net = net_of(load_checkpoint(self.folder_of(name).path)).to(engine.device)
        return TorchNetAgent(engine.game, net)

    def silent_units(self, name: str) -> dict[str, float]:
        """The share of units that never fire, of the trunk and of the head."""
        net = net_of(load_checkpoint(self.folder_of(name).path))
        layers = watch_units(net, self.args(name).load_game(), self.options.unit_games)
        silent = [(layer.highest <= 0).float().mean().item() for layer in layers]
        trunk, head = silent[: 1 + len(net.trunk)], silent[1 + len(net.trunk) :]
        return {"trunk": sum(trunk) / len(trunk), "head": sum(head) / len(head)}


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def draw(rows: list[Row], against: str, path: Path) -> None:
    """Share won by minutes, a line for each size or setting."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for name in dict.fromkeys(row["run"].rpartition(", ")[0] for row in rows):
        mine = [row for row in rows if row["run"].rpartition(", ")[0] == name]
        won, reach = ([row[column] for row in mine] for column in ("won", "±"))
        axes.errorbar([row["minutes"] for row in mine], won, yerr=reach, marker="o", markersize=3, linewidth=1, label=name)
    axes.set_xlabel("minutes")
    axes.set_ylabel(f"share won against {against}")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(path)


def main() -> None:
    parser = option_parser(__doc__)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--game", default="doudizhu")
    parser.add_argument("--folder", type=Path, default=Path("runs/strength"))
    parser.add_argument("--minutes", nargs="+", type=float, help="lengths of the runs; 1.5 3 6 for sizes, 3 for units")
    parser.add_argument("--only", nargs="+", help="some of the nets of the study, by name")
    parser.add_argument("--set", nargs="+", metavar="NAME=VALUE", help="settings of all runs")
    parser.add_argument("--lean", action="store_true", help="checkpoints without the optimiser's memory")
    parser.add_argument("--leg", type=float, default=1e6, help="minutes after which this command stops")
    parser.add_argument("--against", help="the agent that all runs meet; the game's champion unless given")
    parser.add_argument("--deals", type=int, default=20_000, help="of each match, played from all sides")
    parser.add_argument("--unit-games", type=int, default=500, help="in which units are watched")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    options.against = options.against or f"champion/{options.game}"
    if unknown := set(options.only or ()) - set(STUDIES[options.study]):
        parser.error(f"--only {', '.join(sorted(unknown))}: there are {', '.join(STUDIES[options.study])}")
    torch.set_float32_matmul_precision("high")
    study = Study(options)
    try:
        for name in study.names:
            study.train(name)
        rows = list(study.rows())
    except LegOver:
        begun = sum(study.folder_of(name).exists for name in study.names)
        say(f"the leg is over: {begun} of {len(study.names)} runs are begun or done; the same command goes on")
        return
    show(f"{options.game}, {options.study}: share won against {options.against}, units that never fire", rows, options)
    if options.plot:
        draw(rows, options.against, options.plot)


if __name__ == "__main__":
    main()
