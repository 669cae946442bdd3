"""What the benchmarks share: taking the time, naming the machine, showing rows as a table, as Markdown or as JSON."""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

Row = dict[str, Any]  # column to number, text, or None where there is nothing to say
STDOUT = "-"


def best_time(work: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """The fewest seconds that `work` took, which other programs on the machine disturbed least; and its last result."""
    best, result = float("inf"), None
    for _ in range(repeats):
        result = None  # frees the memory of the one before
        began = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - began)
    return best, result


def describe_machine() -> str:
    """Processor, cores and GPU in a few words."""
    words = f"{processor_name()}, {os.cpu_count()} cores"
    if find_spec("torch"):
        import torch

        words += f", {torch.cuda.get_device_name()}" if torch.cuda.is_available() else ""
    return words


def processor_name() -> str:
    listed = Path("/proc/cpuinfo")
    lines = listed.read_text().splitlines() if listed.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()


def option_parser(description: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", nargs="?", const=STDOUT, metavar="FILE", help="JSON, into FILE if one is named")
    shape.add_argument("--markdown", action="store_true", help="rows ready to paste into docs/benchmarks.md")
    return parser


def show(title: str, rows: list[Row], arguments: argparse.Namespace) -> None:
    """Rows in the shape the options ask for."""
    if arguments.json:
        _write_json({"title": title, "machine": describe_machine(), "date": str(date.today()), "rows": rows}, arguments.json)
    elif arguments.markdown:
        print(f"{date.today()}, {describe_machine()}:\n\n{as_markdown(rows)}\n")
    else:
        Console().print(_as_table(title, rows))


def _write_json(result: Row, target: str) -> None:
    text = json.dumps(result, indent=2) + "\n"
    if target == STDOUT:
        print(text, end="")
    else:
        Path(target).write_text(text, encoding="utf-8")


def as_markdown(rows: list[Row]) -> str:
    sides = ["---:" if numeric else "---" for numeric in _numeric_columns(rows).values()]
    lines = [list(rows[0]), *([as_text(cell) for cell in row.values()] for row in rows)]
    head, *body = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([head, f"|{'|'.join(sides)}|", *body])


def _as_table(title: str, rows: list[Row]) -> Table:
    table = Table(title=title)
    for column, numeric in _numeric_columns(rows).items():
        table.add_column(column, justify="right" if numeric else "left")
    for row in rows:
        table.add_row(*map(as_text, row.values()))
    return table


def _numeric_columns(rows: list[Row]) -> dict[str, bool]:
    return {column: all(not isinstance(row[column], str) for row in rows) for column in rows[0]}


def as_text(cell: str | int | float | None) -> str:
    """Whole numbers in full, measured ones to three digits: timings are not known better."""
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int) or cell == 0:
        return f"{cell:,}"
    return f"{float(f'{cell:.3g}'):,.{max(0, 2 - _magnitude(cell))}f}"


def _magnitude(number: float) -> int:
    """The power of ten of the first digit."""
    return int(f"{number:e}".split("e")[1])
