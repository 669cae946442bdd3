"""A progress bar for long work, and the result so far when Ctrl-C stops it."""

from collections.abc import Callable
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

Result = TypeVar("Result")


def with_progress(
    what: str, total: int, done: Callable[[Result], int], work: Callable[[Callable[[Result], None]], Result]
) -> Result:
    """The result of `work`. It is given a function to call with its result so far; if interrupted, the latest is returned."""
    so_far: list[Result] = []
    columns = "{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)

        def show(result: Result) -> None:
            so_far[:] = [result]
            progress.update(task, completed=done(result))

        try:
            return work(show)
        except KeyboardInterrupt:
            if not so_far:
                raise
            return so_far[0]
