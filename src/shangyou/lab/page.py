"""The page an experiment writes: what was asked and found, text, tables and figures, and the command that makes it again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shangyou.games import BadInput
from shangyou.lab.figures import WithInterval
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
    """Collects text, tables and figures, and writes NAME.md with its figures and NAME.json, its tables' numbers, beside it.

    A seed other than 0 is in the name.
    """

    def __init__(self, ctx: Context, experiment: str, title: str, folder: Path) -> None:
        self.experiment, self.folder, self.ctx = experiment, folder, ctx
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"results folder {folder}: {error.strerror}") from error
        self.title, self.opened, self.lines = title, list[str](), list[str]()
        self.heading_now, self.tables = "", list[dict[str, Any]]()

    def name_of(self, experiment: str) -> str:
        """The name of another page of this seed, or of this one."""
        return experiment + (f"-seed{self.ctx.seed}" if self.ctx.seed else "")

    def open(self, asked: str, paper: str, found: str, figure: tuple[str, Figure]) -> None:
        """What a reader sees first, whenever it is called: a few lines and a picture."""
        name, drawn = figure
        opening = {"Asked": asked, "The paper": paper, "Found": found}
        self.opened = [*(f"- **{who}**: {what}" for who, what in opening.items() if what), "", *self._drawn(name, drawn)]

    def text(self, *paragraphs: str) -> None:
        for paragraph in paragraphs:
            self.lines += [paragraph, ""]

    def heading(self, text: str) -> None:
        self.lines += [f"## {text}", ""]
        self.heading_now = text

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """The first column is text, the others are numbers."""
        cells = [[_cell(value) for value in row] for row in rows]
        lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *cells]
        self.lines += ["| " + " | ".join(line) + " |" for line in lines] + [""]
        numbers = [[_number(value) for value in row] for row in rows]
        self.tables.append({"heading": self.heading_now, "columns": list(columns), "rows": numbers})

    def figure(self, name: str, figure: Figure) -> None:
        self.lines += self._drawn(name, figure)

    def _drawn(self, name: str, figure: Figure) -> list[str]:
        import matplotlib

        file = f"{self.name_of(self.experiment)}-{name}.svg"
        with matplotlib.rc_context({"svg.hashsalt": file}):  # the same figure is the same file
            figure.savefig(self.folder / file, metadata={"Date": None})
        return [f"![{name}]({file})", ""]

    def save(self) -> Path:
        name, ctx = self.name_of(self.experiment), self.ctx
        file = self.folder / f"{name}.md"
        device = " and ".join(sorted(ctx.made_on)) or ctx.device.type
        command = f"shangyou lab {self.experiment} --scale {ctx.scale} --seed {ctx.seed}"
        about_scale = ABOUT_SCALE[ctx.scale].format(rules=ctx.game.rules)
        numbers = f" [Its numbers as JSON]({name}.json)." if self.tables else ""
        tells_of_greedy = any("Greedy" in line for line in self.opened + self.lines)  # ours is called greedy
        greedy = " Greedy is that of the papers, `paper-greedy`." if tells_of_greedy else ""
        head = [f"# {self.title}", "", f"Written by `{command}` on {device}.{about_scale}{greedy}{numbers}", "", *self.opened]
        write_whole(file, ("\n".join(head + self.lines).rstrip() + "\n").encode())
        if self.tables:
            content = {"command": command, "made_on": device, "tables": self.tables}
            write_whole(file.with_suffix(".json"), (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())
        return file


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _number(value: object) -> object:
    """As JSON has it: a rate as its mean and 95% interval, all digits of a number."""
    if value is None or isinstance(value, int | float):
        return value
    if isinstance(value, WithInterval):
        return {"mean": value.mean, "interval": list(value.interval)}
    return str(value)
