"""`shangyou bench`: speed, memory and signatures on this machine."""

import json as json_format
import subprocess
import sys
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

import shangyou
from shangyou.cli.options import AsJson, show
from shangyou.games import BadInput

FOLDER = Path(shangyou.__file__).parents[2] / "bench"  # beside src/ in a source checkout
LIBRARIES = ("torch", "numba", "matplotlib")

# The scripts of the folder, in the order they run; the longest comes last.
Benchmark = StrEnum("Benchmark", "signature reference legal engine scaling solver agent training")


def run_benchmarks(
    names: Annotated[list[Benchmark] | None, typer.Argument(metavar="BENCHMARK", help="Those to run; default: all.")] = None,
    json: AsJson = False,
) -> None:
    """Speed, memory and signatures on this machine. Each is a script with more options: python bench/engine.py --help"""
    scripts = {name: FOLDER / f"{name}.py" for name in names or Benchmark}
    for script in scripts.values():
        if not script.is_file():
            raise BadInput(f"there is no {script}: the benchmarks come with the source, not with the installed package")
    missing = [library for library in LIBRARIES if find_spec(library) is None]
    if missing:
        raise BadInput(f"the benchmarks need {', '.join(missing)}: pip install -e .[train]")
    results: dict[str, Any] = {}
    failed = False
    for name, script in scripts.items():
        # A process each, since the number of threads and the peak of memory belong to a process.
        command = [sys.executable, str(script), *(["--json"] if json else [])]
        done = subprocess.run(command, stdout=subprocess.PIPE if json else None, text=True, check=False)
        failed |= done.returncode != 0
        results[name] = json_format.loads(done.stdout) if done.stdout else None
    show(json, results, lambda: None)  # without --json each has printed its own
    if failed:
        raise typer.Exit(1)
