"""Refusals as they are sent: a code for programs, a reason for people, and its parts for pages in another language.

Games, engines and records give their reasons as English sentences. sentences.json names the form of each sentence, as
static/chinese_reasons.js has it in Chinese; `words_of` recognises the form and extracts the values in its gaps. A test checks
the list against every reason those modules can give.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict

from shangyou.web.table import Code

GROUPS: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "sentences.json").read_text(encoding="utf-8"))
SENTENCES = {why: sentence for group in GROUPS.values() for why, sentence in group.items()}  # the first that matches is taken
LONGEST = 600  # characters; a longer reason quotes a long text, and would take long to match


class Answer(BaseModel):
    """Anything the server sends as JSON."""

    model_config = ConfigDict(frozen=True)


class Words(Answer):
    """A reason as the name of its sentence and the values of its gaps; a value can be a reason again."""

    why: str
    values: dict[str, str | Words]


class Fault(Answer):
    """What every refusal contains."""

    code: Code
    reason: str
    words: Words | None = None

    @classmethod
    def because(cls, code: Code, reason: str) -> Self:
        reason = clean(reason)
        return cls(code=code, reason=reason, words=words_of(reason))


def clean(text: str) -> str:
    """A text from outside that can be sent back: halves of characters, which JSON may hold, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def words_of(reason: str) -> Words | None:
    """The sentence and its values; None if no sentence matches."""
    if len(reason) > LONGEST:
        return None
    for why, form in _forms().items():
        if match := form.fullmatch(reason):
            return Words(why=why, values={name: _gap(text) for name, text in match.groupdict().items()})
    return None


def _gap(text: str) -> str | Words:
    """Without the quotes that Python's repr puts around a text."""
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return words_of(text) or (text[1:-1] if quoted else text)


@cache
def _forms() -> dict[str, re.Pattern[str]]:
    """Sentences as patterns, in which gaps are lazy and never empty."""
    escaped = {why: re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(sentence)) for why, sentence in SENTENCES.items()}
    return {why: re.compile(pattern, re.DOTALL) for why, pattern in escaped.items()}
