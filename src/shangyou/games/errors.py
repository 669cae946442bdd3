"""Errors that a person's input can cause. A reason is a value: the name of a sentence and what fills its gaps.

    raise BadInput(Why.no_game(name="chess", options=["zsy2", "zsy4"]))

English and Chinese are two renderings of it. Each folder has its sentences in English in its `errors.py`, as a table `Why`;
the Chinese ones of all folders are in `web/static/chinese_reasons.js`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from string import Formatter
from typing import Any

LONGEST_QUOTE = 400  # characters; a broken file can be one line of a million


class Sentence(Enum):
    """Base of the tables of sentences: the name of a member is its code, the value its English, with gaps.

    `{n:card|cards}` is a number and its noun, `{options:or}` a list with "or" between its entries instead of commas.
    """

    def __call__(self, **values: object) -> Reason:
        return Reason(self, {name: shortened(value) if isinstance(value, str) else value for name, value in values.items()})


@dataclass(frozen=True)
class Reason:
    """A sentence with its values: texts, numbers, lists of them, or reasons again. As a text it is in English."""

    sentence: Sentence
    values: Mapping[str, Any]

    def __str__(self) -> str:
        return _ENGLISH.vformat(self.sentence.value, (), self.values)


class BadInput(ValueError):
    """Input that cannot be accepted. The reason names the input and what is wrong with it.

    What only a terminal or a programmer can see may be a plain text.
    """

    def __init__(self, reason: Reason | str) -> None:
        super().__init__(reason)
        self.reason = reason


class IllegalPlay(BadInput):
    """A play the rules do not allow here."""


def shortened(text: str) -> str:
    """Both ends of a long text."""
    half = LONGEST_QUOTE // 2
    return text if len(text) <= LONGEST_QUOTE else f"{text[:half]} [...] {text[-half:]}"


class _English(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if "|" in format_spec:
            one, many = format_spec.split("|")
            return f"{value} {one if value == 1 else many}"
        if isinstance(value, list | tuple):
            return (f" {format_spec} " if format_spec else ", ").join(map(str, value))
        return str(value)


_ENGLISH = _English()


class Why(Sentence):
    """Why games refuse cards, deals, rules and plays."""

    no_game = "there is no game {name!r}; there are {options}"
    rule_value = "{game} rules: {rule}={value!r} is not one of {options}"
    no_rule = "{game} has no rule {rule!r}; its rules are {options}"
    no_seed = "seed {seed!r} is not a whole number from 0 to 2**63 - 1"
    # cards
    no_card = "cards {cards!r}: {sign!r} is no card; ranks are {ranks}"
    needs_suit = "cards {cards!r}: {rank} needs a suit, one of {suits} ({signs})"
    too_many_of = "cards {cards!r}: more than {n} of {card}, which is all there are"
    no_cards = "no cards were given; write cards such as 3344, or pass"
    empty = "(empty)"
    # deals
    hands_number = "{game} has {seats} hands, not {n}"
    deal_too_many = "{game} deal: {which} {cards} has {over} too many for the deck"
    deal_sizes = "{game} deal: hands of {sizes} cards; it deals {wanted}"
    deal_first = "{game} deal: seat {seat!r} may not act first; {options:or} may"
    hand_of = "hand {seat}"
    public_cards = "public cards"
    # hands and plays
    hand_size = "hand {cards!r} has {n:card|cards}; in {game} a hand has 1 to {most}"
    no_play = "{cards} is no play of {game}; its patterns are {patterns}"
    lacks = "{cards}: the hand {hand} lacks {missing}"
    not_held = "{cards}: the hand {hand} does not have these cards"
    which_suits = "{cards} can be {options:or}: write the suits"
    leader_passes = "pass: the leader may not pass"
    not_higher = "{mine} ({my_pattern}) is not higher than {theirs} ({their_pattern})"
    no_answer = (
        "{mine} ({my_pattern}) does not answer {theirs} ({their_pattern}): the same pattern is needed, higher, or a bomb"
    )
    last_no_play = "last play {cards} is no play of {game}; its patterns are {patterns}"
    last_too_many = "last play {cards}: together with the hand there would be {over} too many in the deck"
