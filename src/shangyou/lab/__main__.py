"""`python -m shangyou.lab NAME`: an experiment where the command line's own libraries are not installed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from shangyou.games import BadInput
from shangyou.lab import EXPERIMENTS
from shangyou.lab.command import run_experiment


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m shangyou.lab")
    parser.add_argument("name", choices=EXPERIMENTS)
    parser.add_argument("--scale", default="smoke")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--out", type=Path, default=Path("runs/lab"))
    parser.add_argument("--results", type=Path)
    try:
        run_experiment(**vars(parser.parse_args()))
    except BadInput as error:
        sys.exit(f"error: {error}")


main()
