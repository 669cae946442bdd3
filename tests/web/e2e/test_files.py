"""The page as files: small, without markup from text; lessons that the rules agree with."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from shangyou import games
from shangyou.engines.position import legal, position

STATIC = Path(__file__).parents[3] / "src" / "shangyou" / "web" / "static"
SCRIPTS = sorted(STATIC.glob("*.js"))
LESSONS = sorted((STATIC / "lessons").glob("*.json"))
KNOWN = ("played", "last", "last_by", "left", "role", "public")


def test_weight() -> None:
    """As it is sent: squeezed, so that comments weigh little."""
    assert sum(len(gzip.compress(path.read_bytes())) for path in STATIC.rglob("*") if path.is_file()) < 140_000


def test_nothing_inline_and_nothing_from_elsewhere() -> None:
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"\sstyle=|\son\w+=|<style|<script>", page)
    for path in (*SCRIPTS, *STATIC.glob("*.css"), STATIC / "index.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", text), path.name
        assert not re.search(r"https?://(?!www\.w3\.org/)", text), path.name


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_lessons_agree_with_the_rules(path: Path) -> None:
    """Every task's position can come about, and every accepted answer is legal there."""
    course, game = json.loads(path.read_text(encoding="utf-8")), games.load(path.stem)
    for step in course["steps"]:
        assert set(step["text"]) == set(step["title"]) == {"en", "zh"}
        if "hand" not in step:
            continue
        known = {key: value for key, value in step["position"].items() if key in KNOWN}
        seen = position(game, step["position"]["hand"], **known)
        assert seen.hand == game.deck.parse(" ".join(step["hand"]))
        allowed = {game.pick(seen.hand, row) for row in legal(seen).tolist()}
        for answer in step["accept"]:
            assert game.deck.parse(" ".join(answer)) in allowed, (step["title"]["en"], answer)


def test_there_is_a_course_for_each_game() -> None:
    assert {path.stem for path in LESSONS} == set(games.names())
