"""The page an experiment writes: text, tables and figures, and the command that makes it again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shangyou.games import BadInput
from shangyou.lab.workshop import Lab
from shangyou.records.files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Page:
    """Collects what there is to say, and writes NAME.md with its figures beside it."""

    def __init__(self, lab: Lab, name: str, title: str, folder: Path) -> None:
        self.name, self.folder, self.lab = name, folder, lab
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"results folder {folder}: {error.strerror}") from error
        self.title, self.lines = title, list[str]()

    def say(self, *paragraphs: str) -> None:
        for text in paragraphs:
            self.lines += [text, ""]

    def heading(self, text: str) -> None:
        self.lines += [f"## {text}", ""]

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """The first column is words, the others are numbers."""
        cells = [[_cell(value) for value in row] for row in rows]
        lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *cells]
        self.lines += ["| " + " | ".join(line) + " |" for line in lines] + [""]

    def figure(self, name: str, drawn: Figure) -> None:
        import matplotlib

        file = f"{self.name}-{name}.svg"
        with matplotlib.rc_context({"svg.hashsalt": file}):  # the same figure is the same file
            drawn.savefig(self.folder / file, metadata={"Date": None})
        self.lines += [f"![{name}]({file})", ""]

    def write(self) -> Path:
        file, lab = self.folder / f"{self.name}.md", self.lab
        device = " and ".join(sorted(lab.made_on)) or lab.device.type
        command = f"shangyou lab {self.name} --scale {lab.scale} --seed {lab.seed}"
        smoke = "" if lab.scale == "paper" else f" Smoke scale ({lab.game.rules}): the numbers only show that everything runs."
        head = [f"# {self.title}", "", f"Written by `{command}` on {device}.{smoke}", ""]
        write_whole(file, ("\n".join(head + self.lines).rstrip() + "\n").encode())
        return file


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)
