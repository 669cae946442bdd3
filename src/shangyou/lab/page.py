"""The page an experiment writes: text, tables and figures, and the command that makes it again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shangyou.games import BadInput
from shangyou.lab.stages import Context
from shangyou.records.files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT_SCALE = {
    "smoke": " Smoke scale ({rules}): the numbers only show that everything runs.",
    "small": " Small scale: fewer games and smaller nets than the paper's, for a CPU.",
    "paper": "",
}


class Page:
    """Collects text, tables and figures, and writes NAME.md with its figures beside it; a seed other than 0 is in the name."""

    def __init__(self, ctx: Context, experiment: str, title: str, folder: Path) -> None:
        self.experiment, self.folder, self.ctx = experiment, folder, ctx
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"results folder {folder}: {error.strerror}") from error
        self.title, self.lines = title, list[str]()

    def name_of(self, experiment: str) -> str:
        """The name of another page of this seed, or of this one."""
        return experiment + (f"-seed{self.ctx.seed}" if self.ctx.seed else "")

    def text(self, *paragraphs: str) -> None:
        for paragraph in paragraphs:
            self.lines += [paragraph, ""]

    def heading(self, text: str) -> None:
        self.lines += [f"## {text}", ""]

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """The first column is text, the others are numbers."""
        cells = [[_cell(value) for value in row] for row in rows]
        lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *cells]
        self.lines += ["| " + " | ".join(line) + " |" for line in lines] + [""]

    def figure(self, name: str, figure: Figure) -> None:
        import matplotlib

        file = f"{self.name_of(self.experiment)}-{name}.svg"
        with matplotlib.rc_context({"svg.hashsalt": file}):  # the same figure is the same file
            figure.savefig(self.folder / file, metadata={"Date": None})
        self.lines += [f"![{name}]({file})", ""]

    def save(self) -> Path:
        file, ctx = self.folder / f"{self.name_of(self.experiment)}.md", self.ctx
        device = " and ".join(sorted(ctx.made_on)) or ctx.device.type
        command = f"shangyou lab {self.experiment} --scale {ctx.scale} --seed {ctx.seed}"
        about_scale = ABOUT_SCALE[ctx.scale].format(rules=ctx.game.rules)
        head = [f"# {self.title}", "", f"Written by `{command}` on {device}.{about_scale}", ""]
        write_whole(file, ("\n".join(head + self.lines).rstrip() + "\n").encode())
        return file


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)
