"""The pages say what the code does: rule fields with their defaults, patterns with their counts, links that lead somewhere."""

import dataclasses
import json
import re
from pathlib import Path

import pytest

from shangyou import games

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
PACKAGE = ROOT / "src" / "shangyou"
HOMES = (ROOT, PACKAGE, PACKAGE / "web", ROOT / "tests", ROOT / "bench", ROOT / "examples")  # what paths on a page begin below


def rows(text, heading):
    """The cells of the table under a heading."""
    section = re.split(r"\n## ", text.split(f"## {heading}\n")[1])[0]
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("|")][
        2:
    ]


@pytest.mark.parametrize("name", games.names())
def test_game_pages_list_every_rule_and_pattern(name):
    text, game = (ROOT / "docs" / "games" / f"{name}.md").read_text(), games.load(name)
    fields = {field.name: str(field.default).lower() for field in dataclasses.fields(game.rules)}
    assert {row[0]: row[1] for row in rows(text, "Rules as fields")} == fields
    counts = {row[0]: int(row[1].replace(",", "")) for row in rows(text, "Patterns") if row[1]}
    assert counts == {family: count for family, count in game.table.family_counts.items() if family != "pass"}
    assert f"{len(game.table):,} with PASS" in text


def test_the_page_of_zsy4_lists_two_packs():
    text = (ROOT / "docs" / "games" / "zsy4.md").read_text()
    table = games.load("zsy4", decks=2).table
    listed = {row[0]: int(row[2]) for row in rows(text, "Patterns") if row[2].isdecimal()}
    assert listed == {f: n for f, n in table.family_counts.items() if f != "pass" and not f.startswith("bomb")}
    assert f"{len(table)} with two packs" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_of_code_are_there(page):
    """Paths in backticks, but for those with a NAME to fill in."""
    for name in re.findall(r"`([\w./-]+/[\w.-]+\.py)`", page.read_text()):
        assert "NAME" in name or any((home / name).is_file() for home in HOMES), name


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S))
def test_the_examples_of_the_readme_do_what_they_say(code, capsys):
    exec(code, {})
    assert capsys.readouterr().out.strip() == re.search(r"print\(.*\)  # (.*)", code).group(1)


def test_figures_of_the_readme_are_those_of_the_results():
    lines = (ROOT / "docs" / "results.md").read_text().splitlines()
    table = rows((ROOT / "README.md").read_text(), "Results")
    assert len(table) == 3
    for game, _, won, deals, command in table:
        of_game, _, rest = command.partition(" ")
        (line,) = [line for line in lines if f"`{rest}`" in line]
        assert of_game == game
        assert won in line
        assert f"| {deals} |" in line


def test_figures_of_the_page_of_chances_are_those_stored_beside_it():
    page = ROOT / "docs" / "results" / "chances.md"
    stored = {}
    for game in games.names():
        stored |= json.loads(page.with_name(f"chances-{game}.json").read_text())["agents"]
    table = [line.strip("| ").split(" | ") for line in page.read_text().splitlines() if line.startswith("| champion/")]
    assert [row[0] for row in table] == list(dict.fromkeys(row[0] for row in table))
    assert {row[0] for row in table} == set(stored)
    for name, plays, chance, *_ in table:
        found = stored[name]["chances"]
        assert plays == f"{found['forecasts']:,}"
        assert chance == f"{found['error']:.3f} ({found['error_by_chance_95']:.3f})"
