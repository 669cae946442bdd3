"""The documentation site builds without a warning, fetches nothing from elsewhere, and has the pages made of other files."""

import json
import logging
import re
from pathlib import Path

import pytest
import typer
from mkdocs.commands.build import build
from mkdocs.config import load_config

from shangyou.cli import app

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    warnings = logging.Handler(logging.WARNING)
    seen = []
    warnings.emit = lambda record: seen.append(record.getMessage())
    logger = logging.getLogger("mkdocs")
    logger.addHandler(warnings)
    try:
        build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=True))
    finally:
        logger.removeHandler(warnings)
    assert seen == []
    return folder


def test_nothing_is_fetched_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        fetched = re.findall(r'<(?:script|img|link|iframe)[^>]+(?:src|href)="(https?:)?//', page.read_text(encoding="utf-8"))
        assert not fetched, page


def test_every_command_has_its_help(site):
    text = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    command = typer.main.get_command(app)
    for name in command.list_commands(typer.Context(command)):
        assert f"shangyou {name}</code>" in text, name


@pytest.mark.parametrize(("language", "folder"), [("en", "learn"), ("zh", "zh/learn")])
@pytest.mark.parametrize("game", ["zsy2", "zsy4", "doudizhu"])
def test_lessons_are_pages(site, game, language, folder):
    lessons = json.loads((ROOT / "src/shangyou/web/static/lessons" / f"{game}.json").read_text(encoding="utf-8"))
    text = (site / folder / f"{game}.html").read_text(encoding="utf-8")
    assert all(step["title"][language] in text for step in lessons["steps"])


def test_links_to_files_outside_of_the_folder_of_pages_lead_to_pages(site):
    assert 'href="contributing.html"' in (site / "concepts.html").read_text(encoding="utf-8")
    assert 'href="examples/bot.py"' in (site / "bots.html").read_text(encoding="utf-8")
    assert (site / "examples" / "bot.py").read_bytes() == (ROOT / "examples" / "bot.py").read_bytes()
