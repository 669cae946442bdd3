"""The records the DeepRocket paper prints: legal as they stand, with the scores of its Table 7."""

import re

import pytest

from shangyou import records
from shangyou.lab import deeprocket_match
from shangyou.records import BadRecord
from shangyou.records.text import format_text

MATCH = deeprocket_match.FILE
LANDLORD_SCORES = {
    "Table 9": [12, 12, -12, 12, 6, -6, -6, 12, 6, -6],
    "Table 10": [6, 12, -12, None, None, -6, 12, 12, None, -6],  # None: stops before the last card
}


@pytest.fixture(scope="module")
def match():
    return list(records.read(MATCH))


@pytest.mark.parametrize("table", LANDLORD_SCORES)
def test_scores(match, table):
    played = [record for record in match if record.name.startswith(f"{table} ")]
    assert [record.result.scores[0] if record.result.finished else None for record in played] == LANDLORD_SCORES[table]
    assert [record.name for record in played] == [f"{table} number {number}" for number in range(1, 11)]


def test_both_tables_play_the_same_deals(match):
    assert [record.deal for record in match[:10]] == [record.deal for record in match[10:20]]


def test_the_example_of_cooperation(match):
    assert match[20].name == "Section 5.4 cooperation"
    assert match[20].result.scores == (-6, 3, 3)
    assert match[20].plays == 21


def test_the_example_of_inference_is_printed_with_its_hands_in_the_wrong_order(match):
    bad = match[21]
    assert isinstance(bad, BadRecord)
    assert (bad.number, bad.name, bad.play_number) == (22, "Section 5.4 inference", 1)
    assert (bad.play, bad.hand) == ("0,345678", "3334557788TTJJKKA22S")
    assert bad.reason == "345678: the hand 3334557788TTJJKKA22S lacks 6"
    assert MATCH.read_text().split("\n")[bad.line - 1].startswith("Game process: 0,345678;")


def test_the_same_example_in_the_right_order(tmp_path):
    hands = "34566789TQQQKKAA2;4456678999TJJQA2B;33345578TTJKKA22S;78J"
    text = re.sub(r"(?s)^.*inference\nCards:[^\n]*", f"game: doudizhu\n{hands}", MATCH.read_text())
    (tmp_path / "right.txt").write_text(text)
    (record,) = records.read(tmp_path / "right.txt")
    assert record.result.winners == (0,)


def test_plays_are_written_as_the_paper_has_them(match):
    """The main group first, then the kickers; passes left out."""
    written = format_text(match[:21])
    printed = MATCH.read_text().partition("name: Section 5.4 inference")[0]
    assert plays_in(written) == plays_in(printed)


def plays_in(text):
    return re.findall(r"\d,[3-9TJQKA2SB]+;", text)
