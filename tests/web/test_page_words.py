"""The sentences of the page: each in both languages with the same gaps, each used, none missing."""

import re
from pathlib import Path

import shangyou.web

STATIC = Path(shangyou.web.__file__).parent / "static"
LISTS = {name: (STATIC / f"{name}.js").read_text(encoding="utf-8") for name in ("english", "chinese")}
PAGE = "\n".join(path.read_text(encoding="utf-8") for path in sorted(STATIC.glob("*.js")) if path.stem not in LISTS)
ENTRY = re.compile(r'^  (?:"([^"]+)"|(\w+)):\s*("(?:[^"\\]|\\.)*")', re.MULTILINE)


def entries(name: str) -> dict[str, str]:
    return {quoted or plain: text for quoted, plain, text in ENTRY.findall(LISTS[name])}


def gaps(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)", text))


ENGLISH, CHINESE = entries("english"), entries("chinese")
NAMED = set(re.findall(r'"([\w.]+)"', PAGE))
MADE = ["[\\w+-]*".join(map(re.escape, re.split(r"\$\{.*?\}", text))) for text in re.findall(r"`(\w+\.[\w.]*\$\{[^`]*)`", PAGE)]


def test_the_lists_are_read_as_a_whole():
    for name, found in (("english", ENGLISH), ("chinese", CHINESE)):
        assert len(found) == len(re.findall(r'^  ["\w][^/]*?:', LISTS[name], re.MULTILINE)) > 300


def test_both_languages_say_the_same_things():
    assert set(ENGLISH) == set(CHINESE)
    assert {key for key in ENGLISH if gaps(ENGLISH[key]) != gaps(CHINESE[key])} == set()


def test_what_the_page_says_is_there():
    asked = set(re.findall(r'\bt\(\s*"([\w.]+)"', PAGE))
    assert len(asked) > 200
    assert asked - set(ENGLISH) == set()


def test_nothing_is_there_that_no_page_says():
    unused = {key for key in set(ENGLISH) - NAMED if not any(re.fullmatch(pattern, key) for pattern in MADE)}
    assert unused == set()
