"""Refusals as they are sent: a code for programs, a reason for people, and its parts for pages in another language."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from shangyou.games.errors import Reason
from shangyou.web.table import Code


class Answer(BaseModel):
    """Anything the server sends as JSON."""

    model_config = ConfigDict(frozen=True)


class Words(Answer):
    """A reason as the name of its sentence and the values of its gaps: texts, reasons again, or lists of them."""

    why: str
    values: dict[str, str | Words | list[str | Words]]


class Said(Answer):
    """A sentence in English, and its parts for pages in another language."""

    reason: str
    words: Words

    @classmethod
    def of(cls, reason: Reason) -> Self:
        return cls(reason=clean(reason), words=_words(reason))


class Fault(Answer):
    """What every refusal contains."""

    code: Code
    reason: str
    words: Words | None = None

    @classmethod
    def because(cls, code: Code, reason: Reason | str) -> Self:
        return cls(code=code, reason=clean(reason), words=_words(reason) if isinstance(reason, Reason) else None)


def _words(reason: Reason) -> Words:
    return Words(why=reason.sentence.name, values={name: _gap(value) for name, value in reason.values.items()})


def _gap(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_gap(entry) for entry in value]
    return _words(value) if isinstance(value, Reason) else clean(value)


def clean(value: Any) -> str:
    """As text that can be sent; half a character, which JSON may hold, as its number."""
    return str(value).encode(errors="backslashreplace").decode()
