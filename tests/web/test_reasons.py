"""Every reason a person can be given is known by its form, and has its words in both languages."""

import ast
import re
from pathlib import Path
from typing import get_args

import pytest

from shangyou.web.table import Code
from shangyou.web.wire.reasons import SENTENCES, words_of
from web.arena_client import Guest

SOURCE = Path(__file__).parents[2] / "src" / "shangyou"
STATIC = SOURCE / "web" / "static"
TO_THE_OPERATOR = ("database", "game_export", "proxies", "settings")  # in the terminal, in English only
SPEAKERS = [
    *sorted((SOURCE / "games").glob("*.py")),
    *(SOURCE / "engines" / f"{name}.py" for name in ("reference", "position")),
    *(SOURCE / "records" / f"{name}.py" for name in ("errors", "record", "text", "jsonl")),
    *(path for path in sorted((SOURCE / "web").rglob("*.py")) if path.stem not in TO_THE_OPERATOR),
]
ERRORS = ("BadInput", "IllegalPlay", "RecordError")


def reasons(path):
    """What a module can say, with something in each gap."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and ast.unparse(node.exc.func) in ERRORS:
            yield from texts_of(node.exc.args[0])
        if isinstance(node, ast.FunctionDef) and re.match(r"_?why", node.name):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Return) and inner.value is not None:
                    yield from texts_of(inner.value)


def texts_of(node):
    if isinstance(node, ast.Constant) and node.value:
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else gap(part, i) for i, part in enumerate(node.values))


def gap(part, number):
    """`mine` and `theirs` of a play come with the pattern, `wanted` of the public cards with the reason."""
    if isinstance(part.value, ast.IfExp) and isinstance(part.value.body, ast.Constant):
        return part.value.body.value
    name = ast.unparse(part.value)
    return {"mine": "TT (pair)", "theirs": "KK (pair)", "wanted": "none"}.get(name, f"x{number}")


@pytest.mark.parametrize("path", SPEAKERS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_reason_is_known(path):
    unknown = [reason for reason in reasons(path) if words_of(reason) is None]
    assert not unknown


def test_the_list_has_nothing_too_much():
    """Each sentence is recognised as itself when its gaps are filled."""
    for why, sentence in SENTENCES.items():
        numbers = iter(range(100))
        filled = re.sub(r"\{\w+\}", lambda _, numbers=numbers: f"x{next(numbers)}", sentence)
        assert words_of(filled).why == why, filled


def test_what_stands_in_the_gaps():
    words = words_of("history, turn 2, '44' by seat 1: 44 (pair) is not higher than 55 (pair)").model_dump()
    inner = {"mine": "44", "my_pattern": "pair", "theirs": "55", "their_pattern": "pair"}
    assert words["why"] == "in_history"
    assert words["values"] == {"number": "2", "cards": "44", "seat": "1", "error": {"why": "not_higher", "values": inner}}
    assert words_of("something nobody says") is None


def keys_of(name):
    return dict(re.findall(r'^  "?([\w.+-]+)"?:\s+"(.*)",$', (STATIC / name).read_text(encoding="utf-8"), re.MULTILINE))


def test_every_sentence_has_chinese_words_with_the_same_gaps():
    chinese = keys_of("chinese_reasons.js")
    assert set(chinese) == set(SENTENCES)
    for why, sentence in SENTENCES.items():
        assert set(re.findall(r"\{\w+\}", chinese[why])) <= set(re.findall(r"\{\w+\}", sentence)), why


def test_every_code_has_words_in_both_languages():
    explained = {"illegal", "bad_input"}  # by their sentences
    for name in ("english.js", "chinese.js"):
        assert set(get_args(Code)) - explained <= {key.removeprefix("no.") for key in keys_of(name) if key.startswith("no.")}


def test_every_pattern_has_a_chinese_name(client):
    families = {family for game in Guest(client).get("games").json() for family in game["patterns"]}
    assert families <= {key.removeprefix("pattern.") for key in keys_of("chinese.js")}


def test_codes_in_the_sources_are_the_codes_that_are_declared():
    raised = set()
    for path in sorted((SOURCE / "web").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        raised |= set(re.findall(r'(?:Refused\(|code=|refuse\(\d+, )"(\w+)"', text))
    assert raised <= set(get_args(Code))
