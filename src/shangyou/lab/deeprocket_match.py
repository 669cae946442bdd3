"""The match of the DeepRocket paper (Tables 7 to 10 and Section 5.4): its records, its deals, and our agents on them.

for row in landlord_scores(["champion/doudizhu", "rule"]):
    print(row.landlord, row.peasants, row.scores, row.total)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from shangyou import games, records
from shangyou.evaluation.backends import by_name
from shangyou.evaluation.match import evaluate
from shangyou.evaluation.teams import team_match
from shangyou.games import Deal, Game
from shangyou.lab import paper_numbers
from shangyou.records import BadRecord, Record

FILE = Path(__file__).with_suffix(".txt")
DEALS = 10  # of the match: the file begins with them
AGENTS = ("champion/doudizhu", "rule", "rlcard-rule", "greedy")


def load_game() -> Game:
    """Dou Dizhu with the basic score of the match."""
    return games.load("doudizhu", base=3)


def table_8() -> tuple[Deal, ...]:
    """The ten deals."""
    return records.read_deals(FILE, load_game())[:DEALS]


def read_records() -> list[Record]:
    """The twenty games and the two examples. The second example is printed with its hands in the order seat 2, 0, 1; here
    they are in the order of the format."""
    text = re.sub(r"(inference\nCards: )(\w+;)(\w+;)(\w+;)", r"\1\3\4\2", FILE.read_text(encoding="utf-8"))
    return [_checked(record) for record in records.read_bytes(text.encode())]


def _checked(record: Record | BadRecord) -> Record:
    if isinstance(record, BadRecord):
        raise ValueError(f"{FILE}, line {record.line}: {record}")
    return record


class LandlordScores(NamedTuple):
    """One landlord's scores on the ten deals."""

    landlord: str
    peasants: str
    scores: list[int]  # [DEALS]

    @property
    def total(self) -> int:
        return sum(self.scores)


def paper_scores() -> list[LandlordScores]:
    """Table 7."""
    (first, first_scores), (second, second_scores) = paper_numbers.DEEPROCKET_MATCH.items()
    return [LandlordScores(first, second, first_scores), LandlordScores(second, first, second_scores)]


def landlord_scores(names: Sequence[str] = AGENTS, seed: int = 0) -> list[LandlordScores]:
    """The ten deals by every two of these agents, each as landlord against two of the other. The seed is that of the agents'
    random choices."""
    game, deals, rows = load_game(), table_8(), list[LandlordScores]()
    for a, b in combinations(names, 2):
        match = evaluate(game, by_name(a, seed), by_name(b, seed + 1), len(deals), seed, given=deals)
        of_a, of_b = team_match(match).scores.T.tolist()
        rows += [LandlordScores(a, b, of_a), LandlordScores(b, a, of_b)]
    return rows
