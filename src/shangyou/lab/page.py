"""The page an experiment writes: text, tables and figures, and the command that makes it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from shangyou.evaluation.plots import MARKERS, draw_heat_map
from shangyou.games import BadInput
from shangyou.lab.workshop import Lab
from shangyou.records.files import write_whole

MOST_NUMBERED = 24  # agents of a heat map that still has room for numbers
Line = tuple[Sequence[float], Sequence[float]]
"""Points, first across and then up."""


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

    def curves(self, figure: str, panels: Mapping[str, Mapping[str, Line]], x: str) -> None:
        """Lines by name, a panel for each title."""
        from matplotlib.figure import Figure

        drawing = Figure(figsize=(4.6 * len(panels), 3.6), layout="constrained")
        for axes, (title, curves) in zip(drawing.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True):
            for i, (name, (across, up)) in enumerate(curves.items()):
                marker = MARKERS[i % len(MARKERS)]
                axes.plot(across, up, marker=marker, color=f"C{i % 10}", markersize=3, linewidth=1, label=name)
            axes.set_title(title, fontsize=10)
            axes.set_xlabel(x)
            axes.grid(alpha=0.3)
            axes.legend(fontsize=6, ncols=1 + len(curves) // 9)
        self._figure(figure, drawing)

    def heat_map(self, figure: str, title: str, names: Sequence[str], cells: Sequence[Sequence[float]]) -> None:
        from matplotlib.figure import Figure

        drawing = Figure(figsize=(2 + 0.5 * len(names), 1.4 + 0.42 * len(names)), layout="constrained")
        axes = drawing.subplots()
        between = min(map(min, cells)), max(map(max, cells))
        draw_heat_map(axes, names, cells, between, digits=2, size=7, numbered=len(names) <= MOST_NUMBERED)
        axes.set_title(title, fontsize=10)
        self._figure(figure, drawing)

    def _figure(self, figure: str, drawing: object) -> None:
        import matplotlib

        file = f"{self.name}-{figure}.svg"
        with matplotlib.rc_context({"svg.hashsalt": file}):  # the same figure is the same file
            drawing.savefig(self.folder / file, metadata={"Date": None})  # type: ignore[attr-defined]
        self.lines += [f"![{figure}]({file})", ""]

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
