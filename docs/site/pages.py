"""Pages of the documentation site that are made of other files, each of which stays the one home of what it says.

README and CONTRIBUTING, the lessons of the arena in both languages, the notebooks, the help texts of the command line and the
routes of the arena become pages when `make docs` runs. MkDocs calls `on_files` and `on_page_markdown`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
LESSONS = ROOT / "src" / "shangyou" / "web" / "static" / "lessons"
NOTEBOOKS = ROOT / "examples" / "notebooks"
OUTSIDE = {"../CONTRIBUTING.md": "contributing.md", "../README.md": "index.md"}
"""Links out of the folder of pages, and the pages that stand for them."""

GAMES = {
    "zsy2": {"en": "ZhengShangYou for two", "zh": "双人争上游"},
    "zsy4": {"en": "ZhengShangYou for four", "zh": "四人争上游"},
    "doudizhu": {"en": "Dou Dizhu", "zh": "斗地主"},
}
WORDS = {
    "en": {
        "open": "The lessons of the arena as a page. `make run` starts the arena; there, under Learn, every task is played.",
        "hand": "My hand",
        "beat": "On the table",
        "accept": "An answer",
        "or": " or ",
    },
    "zh": {
        "open": "这一页就是网页里的教程。运行 `make run` 打开网页，在“教程”中可以亲手完成每道题。",
        "hand": "我的手牌",
        "beat": "桌上的牌",
        "accept": "答案",
        "or": " 或 ",
    },
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made of other files."""
    for name, text in made_pages():
        files.append(File.generated(config, name, content=text))
    for file in sorted((ROOT / "examples").glob("*.py")):
        files.append(File.generated(config, f"examples/{file.name}", abs_src_path=str(file)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links that leave the folder of pages lead to the pages that stand for those files."""
    up = "../" * page.file.src_uri.count("/")

    def instead(found: re.Match[str]) -> str:
        target = found[1].removeprefix(up)
        return f"]({up}{OUTSIDE.get(target) or target.removeprefix('../')})"

    return re.sub(rf"\]\(({re.escape(up)}\.\./[^)]*)\)", instead, markdown)


def made_pages() -> Iterator[tuple[str, str]]:
    """Names and Markdown of the pages."""
    yield "index.md", from_the_root("README.md")
    yield "contributing.md", from_the_root("CONTRIBUTING.md")
    for game in GAMES:
        for language, folder in (("en", "learn"), ("zh", "zh/learn")):
            yield f"{folder}/{game}.md", lessons(game, language)
    for file in sorted(NOTEBOOKS.glob("*.ipynb")):
        yield f"notebooks/{file.stem}.md", notebook(file)
    yield "reference/commands.md", commands()
    yield "reference/http.md", routes()


def from_the_root(name: str) -> str:
    """A page of the root folder, with its links as they are seen from docs."""
    text = (ROOT / name).read_text(encoding="utf-8")
    text = text.replace("](docs/", "](").replace('src="docs/', 'src="').replace("](CONTRIBUTING.md", "](contributing.md")
    return re.sub(r"\]\((examples/notebooks)/([\w-]+)\.ipynb\)", r"](notebooks/\2.md)", text)


# -- lessons ----------------------------------------------------------------------------------------------------------


def lessons(game: str, language: str) -> str:
    """The lessons of a game, task by task, with one answer to each."""
    words = WORDS[language]
    steps = json.loads((LESSONS / f"{game}.json").read_text(encoding="utf-8"))["steps"]
    parts = [f"# {GAMES[game][language]}", words["open"]]
    for step in steps:
        parts += [f"## {step['title'][language]}", *step["text"][language].split("\n")]
        parts += [cards(row) for row in step.get("show", [])]
        if "hand" in step:
            parts += [f"{words['hand']}: {cards(step['hand'])}"]
            parts += [f"{words['beat']}: {cards(step['beat'])}"] if step.get("beat") else []
            parts += [answer(step, language)]
    return "\n\n".join(parts) + "\n"


def answer(step: dict[str, Any], language: str) -> str:
    """Folded away until it is asked for."""
    words = WORDS[language]
    accepted = words["or"].join(cards(one) for one in step.get("accept", [])[:1])
    said = step.get("right", {}).get(language, "")
    return f'??? question "{words["accept"]}"\n    {accepted} {said}'.rstrip()


def cards(names: list[str]) -> str:
    return " ".join(f"`{name}`" for name in names)


# -- notebooks --------------------------------------------------------------------------------------------------------


def notebook(file: Path) -> str:
    """Prose as it is, code as blocks, and what was printed below it; links are seen from the folder of the page."""
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join(part for cell in cells for part in cell_parts(cell)).replace("](../../docs/", "](../") + "\n"


def cell_parts(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"```python\n{source}\n```"
    for output in cell.get("outputs", []):
        if text := "".join(output.get("text", output.get("data", {}).get("text/plain", []))):
            yield f"```text\n{text.rstrip()}\n```"


# -- reference --------------------------------------------------------------------------------------------------------


def commands() -> str:
    """Every command with its arguments and options, as `--help` says them."""
    import typer
    from typer.cli import get_docs_for_click

    from shangyou.cli import app

    command = typer.main.get_command(app)
    return get_docs_for_click(obj=command, ctx=typer.Context(command), name="shangyou", title="Commands")


def routes() -> str:
    """Every route of the arena, as its OpenAPI description has it."""
    from shangyou.web.app import create_app
    from shangyou.web.settings import Settings

    paths = create_app(Settings()).openapi()["paths"]
    lines = [
        f"| `{verb.upper()} {path}` | {' '.join(route.get('description', '').split())} |"
        for path, verbs in paths.items()
        for verb, route in verbs.items()
    ]
    head = "A running arena has this list at `/docs`, and all types at `/api/v1/openapi.json`; see [the arena](../arena.md)."
    return "\n".join(["# HTTP routes", "", head, "", "| route | what it does |", "|---|---|", *lines]) + "\n"
