"""The golden games come out as they were written down; `python tests/playthrough.py` writes them anew."""

from __future__ import annotations

from itertools import zip_longest

import pytest

from playthrough import FOLDER, SCRIPTS, Script, tell
from shangyou import games

LINES_OF_CONTEXT = 4


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.file)
def test_a_playthrough_is_unchanged(script: Script):
    golden = (FOLDER / script.file).read_text(encoding="utf-8")
    told = tell(script)
    assert told == golden, first_difference(golden, told)
    assert all(phrase in golden for phrase in script.shows)


def test_no_playthrough_is_missing_or_stale():
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(script.file for script in SCRIPTS)
    assert {script.game for script in SCRIPTS} == set(games.names())


def test_a_difference_is_shown_where_it_begins():
    golden, told = "a\nb\nc\n", "a\nB\nc\n"
    assert first_difference(golden, told) == "line 2 differs\n    a\n  - b\n  + B"


def first_difference(golden: str, told: str) -> str:
    """The first line that differs, with those before it."""
    pairs = list(zip_longest(golden.splitlines(), told.splitlines(), fillvalue="(nothing)"))
    at = next((i for i, (old, new) in enumerate(pairs) if old != new), len(pairs) - 1)
    context = [f"    {old}" for old, _ in pairs[max(0, at - LINES_OF_CONTEXT) : at]]
    return "\n".join([f"line {at + 1} differs", *context, f"  - {pairs[at][0]}", f"  + {pairs[at][1]}"])
