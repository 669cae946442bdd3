"""Draws docs/images/terminal.svg: the first turns of a game as the terminal shows them.

python docs/images/terminal.py
"""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from shangyou import agents, games
from shangyou.cli.play import Quit, TerminalGame
from shangyou.engines import reference


class ScriptedConsole(Console):
    """Answers prompts with given lines, and shows them as if typed."""

    lines: list[str]

    def input(self, prompt: str = "", **_: object) -> str:  # type: ignore[override]
        if not self.lines:
            raise EOFError
        line = self.lines.pop(0)
        self.print(f"{prompt}{line}")
        return line


def main() -> None:
    console = ScriptedConsole(record=True, width=92, force_terminal=True, highlight=False)
    console.lines = ["hint", "34567", "99", "pass"]
    game = games.load("doudizhu")
    seated = {seat: agents.load("rule", game) for seat in (1, 2)}
    try:
        TerminalGame(console, reference.deal(game, 12), 0, seated, agents.load("rule", game)).run()
    except Quit:
        console.save_svg(str(Path(__file__).with_suffix(".svg")), title="shangyou play doudizhu --seed 12")


if __name__ == "__main__":
    main()
