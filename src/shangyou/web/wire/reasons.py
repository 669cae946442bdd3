"""Refusals as they are sent: a code for programs, a reason for people, and its parts for pages in another language.

Games, engines and records give their reasons as English sentences. `SENTENCES` names the form of each sentence; `words_of`
recognises the form and extracts the values in its gaps. A test checks this list against every reason those modules can give.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Self

from pydantic import BaseModel, ConfigDict

from shangyou.web.tables.refusal import Code

SENTENCES = {  # the first that matches is taken
    # those that contain another reason
    "play_with_hand": 'play {number} "{play}" with hand {hand}: {error}',
    "play_number": 'play {number} "{play}": {error}',
    "in_history": "history, turn {number}, {cards} by seat {seat}: {error}",
    # plays
    "last_no_play": "last play {cards} is no play of {game}; its patterns are {patterns}",
    "no_play": "{cards} is no play of {game}; its patterns are {patterns}",
    "lacks": "{cards}: the hand {hand} lacks {missing}",
    "not_held": "{cards}: the hand {hand} does not have these cards",
    "leader_passes": "pass: the leader may not pass",
    "not_higher": "{mine} ({my_pattern}) is not higher than {theirs} ({their_pattern})",
    "no_answer": "{mine} ({my_pattern}) does not answer {theirs} ({their_pattern}): "
    "the same pattern is needed, higher, or a bomb",
    "which_suits": "{cards} can be {options}: write the suits",
    "no_cards": "no cards were given; write cards such as 3344, or pass",
    "over": "the game is over",
    "bid_first": "seat {seat} must bid before anybody plays",
    "no_row": "play {play}: the plays of {game} are numbered 0..{last}",
    "bid": "bid {points}: seat {seat} may bid {options}",
    # cards, deals, rules
    "no_card": "cards {cards}: {sign} is no card; ranks are {ranks}",
    "needs_suit": "cards {cards}: {rank} needs a suit, one of {suits} ({signs})",
    "too_many_of": "cards {cards}: more than {n} of {card}, which is all there are",
    "no_seed": "seed {seed} is not a whole number from 0 to 2**63 - 1",
    "hands_number": "{game} has {seats} hands, not {n}",
    "deal_too_many": "{game} deal: {hand} {cards} has {over} too many for the deck",
    "deal_sizes": "{game} deal: hands of {sizes} cards; it deals {wanted}",
    "deal_first": "{game} deal: seat {seat} may not act first; {options} may",
    "no_game": "there is no game {name}; there are {options}",
    "rule_value": "{game} rules: {rule}={value} is not one of {options}",
    "no_rule": "{game} has no rule {rule}; its rules are {options}",
    "no_agent": "no agent {name} plays {game} under these rules; there are {options}",
    # positions
    "hand_size": "hand {cards} has {n} cards; in {game} a hand has 1 to {most}",
    "last_too_many": "last play {cards}: together with the hand there would be {over} too many in the deck",
    "left_wrong": "left {left}: by what was dealt and played the other seats hold {options}",
    "left_needed": "left is needed, as hands are dealt in different sizes: the other seats hold {options}",
    "first_needed": "first is needed: seat {options} may have begun",
    "no_such_seat": "{name} {seat}: counted from you, who are 0, it is {lowest}..{highest} in {game}",
    "no_landlord": "role {role}: {game} has no landlord",
    "no_role": "role {role}: in {game} it is landlord, or after or before for the peasant who acts then",
    "public_none": "public cards {cards}: {game} has none",
    "public_number": "public cards {cards}: {game} has {n}, which go to the landlord",
    "played_seats": "played {played}: {n} seats, but {game} has {seats}; you are first",
    "no_last": "last_by {seat}: there is no last play",
    "last_not_played": "last play {cards} is not among the cards that seat {seat} has played: {played}",
    "first_landlord": "first {seat}: the landlord leads first, who is seat {landlord}",
    "history_needed": "with pass_is_final, who is still in the round depends on all its turns: history is needed",
    "seen_too_many": "{what} {cards} has {over} too many for the deck, beside the cards given before it",
    "my_cards": "{hand} cards in the hand and {played} played by you are {sum}; you started with {options}",
    "played_too_many": "seat {seat} cannot have played {n} cards: it started with {dealt}",
    "seat_out": "the game is over: seat {seat} has played all its cards",
    "holds_fewer": "it holds fewer cards, {n}",
    "history_over": "after the history the game is over",
    "history_turn": "after the history seat {seat} is to act, not you",
    "history_hand": "the hand has {n} cards; after the history you hold {wanted}",
    "played_contradicts": "played by seat {seat}: {said} contradicts the history, by which it is {found}",
    "last_contradicts": "last play {cards} contradicts the history, by which {found}",
    "public_gone": "public cards {cards}: {missing} was not played by the landlord, who cannot hold it",
    "began_played": "{who} leads first: it must have played",
    "began_me": "{who} leads first: nothing was played, and that is not you",
    # records
    "not_utf8": "the line has bytes that are not UTF-8 text: {bytes}",
    "not_the_turn": "it is the turn of seat {turn}, not of seat {seat}",
    "has_passed": "seat {seat} has passed and must wait until the round is over",
    "has_no_cards": "seat {seat} has no cards left",
    "is_to_lead": "seat {turn} is to lead, not seat {seat}",
    "players_number": "players {players}: {game} has {seats} seats, not {n}",
    "nobody_bids": "nobody bids for landlord: the cards are dealt again, and a record starts from the last deal",
    "no_cards_line": "there is no cards line",
    "who_first": "nothing says who acts first: add a line such as `first: {seat}`",
    "cards_line": "cards line {text} has {n} parts; {game} needs {wanted}: {options}",
    "no_bidding": "there are bids, but {game} under these rules has no bidding",
    "bids_landlord": "the bids make seat {seat} landlord; in a text record the landlord is seat 0, listed first",
    "bid_turn": 'bid {number} "{bid}": it is the turn of seat {seat}',
    "not_whole": "{text} is not a whole number",
    "result_early": "the result {result} is given, but the game is unfinished",
    "result_wrong": "the result {result} is not what the plays give: {wanted}",
    "result_part": "result: {key} {given} is not what the plays give: {wanted}",
    "game_missing": "no game is given: put a line such as `game: doudizhu` above the record, or use --game",
    "unknown_key_in": "{where}: unknown key {key}; there are {options}",
    "unknown_key": "unknown key {key}; there are {options}",
    "second_line": "a second {key} line for the same record: {value}",
    "other_table": "table: {given} is not {wanted}, the plays of {game} under these rules",
    "only_one_read": "{key}: {given} is not {wanted}, the only one we read",
    "key_missing": "{where}: the key {key} is missing",
    "no_seat_cards": "{where}: a list of {n} is not [seat, cards]",
    "json_number": "this is not JSON: {name} is no number",
    "json_deep": "this is not JSON we read: it is nested too deeply",
    "not_json": "this is not JSON: {error}",
    "key_twice": "the key {key} is there {n} times",
    "no_seat": "{text} is no seat; {game} has seats {options}",
    "pass_word": "there are no cards; a pass is written {word}",
    "no_records": "there are no records",
    "json_type": "{where}: {value} is not {kind}",
    # the arena
    "nickname": "a nickname has at most {n} characters that can be printed",
    "earlier_turn": "the game is over there; an earlier turn is needed",
    "seats_and_me": "{game} has {seats} seats, and one of them is {me}: {given}",
    "new_cards": "with a friend at the table the cards must be new to both",
    "one_of_three": "only one of seed, same_deal and from says what the cards are",
    "other_game": "that was a game of {game}, not of {other}",
    "other_rules": "that game was played under {rules}",
    "turns_number": "that game has {turns} turns, not {turn}",
    # values of gaps
    "by_seat": "played by seat {seat}:",
    "beat_of_seat": "{cards} of seat {seat} is to be beaten",
    "you_lead": "you lead",
    "nothing": "nothing",
    "empty": "(empty)",
    "none_now": "nothing now",
    "whoever": "whoever began",
    "the_landlord": "the landlord",
    "spade3_holder": "the holder of the 3 of spades",
    "kind_string": "a string",
    "kind_number": "a whole number",
    "kind_truth": "true or false",
    "kind_list": "a list",
    "kind_object": "an object",
}
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
        return cls(code=code, reason=reason, words=words_of(reason))


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
