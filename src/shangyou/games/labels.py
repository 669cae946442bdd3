"""Plays without their kickers: a label for the main group, a label for each kicker.

A follower must match the pattern and go above the strength of a play; kickers do not count. So a label is a pair of pattern and
strength. Doudizhu has 309 of them, the outputs of the DeepRocket paper, and 28 kickers: 15 solos and 13 pairs.

P plays, L labels, K kickers at most in a play, R ranks.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

import numpy as np
import numpy.typing as npt

from shangyou.games.cards import RANKS
from shangyou.games.table import Groups, PlayTable

Ints = npt.NDArray[np.int64]
NO_KICKER = -1
KICKER_NAMES = {1: "solo", 2: "pair"}  # by the number of cards of a kicker


@dataclass(frozen=True, eq=False)
class PlayLabels:
    label_of: Ints  # [P]
    names: tuple[str, ...]  # [L] the main group, and what kickers come with it: `333444 + 2 solos`
    families: tuple[str, ...]  # [L] as in the table
    main: Ints  # [L, R] cards of each rank in the main group
    size: Ints  # [L] cards of a play, kickers included
    kickers: Ints  # [P, K] the kickers of each play in ascending order, as indices into `kicker_kinds`; then NO_KICKER
    kicker_kinds: tuple[tuple[int, int], ...]  # (cards, rank) of each kicker: solos first, then pairs, ranks ascending

    @property
    def kicker_names(self) -> list[str]:
        return [RANKS[rank] * cards for cards, rank in self.kicker_kinds]


@cache
def labels_of(table: PlayTable) -> PlayLabels:
    """The labels of a table, in the order in which its rows meet them."""
    keys = list(zip(table.pattern.tolist(), table.strength.tolist(), strict=True))
    number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    rows_of: dict[int, list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        rows_of[number[key]].append(row)
    mains = [_common_start([table.groups[row] for row in rows]) for rows in rows_of.values()]
    kicker_cards = [_kicker_cards(table, rows, main) for rows, main in zip(rows_of.values(), mains, strict=True)]
    label_of = [number[key] for key in keys]
    found = [
        _kickers(groups[len(mains[label]) :], kicker_cards[label]) for groups, label in zip(table.groups, label_of, strict=True)
    ]
    kinds = {kicker: i for i, kicker in enumerate(sorted({kicker for row in found for kicker in row}))}
    first = [rows[0] for rows in rows_of.values()]
    return PlayLabels(
        np.array(label_of),
        tuple(_name(main, cards, len(found[row])) for main, cards, row in zip(mains, kicker_cards, first, strict=True)),
        tuple(table.family[row] for row in first),
        np.array([[dict(main).get(rank, 0) for rank in range(len(RANKS))] for main in mains]),
        table.size[first].astype(np.int64),
        _filled([[kinds[kicker] for kicker in row] for row in found]),
        tuple(kinds),
    )


def _common_start(plays: list[Groups]) -> Groups:
    """The main group of plays that differ in their kickers alone; groups of kickers come after it."""
    return tuple(same[0] for same in takewhile(lambda same: len(set(same)) == 1, zip(*plays, strict=False)))


def _kicker_cards(table: PlayTable, rows: list[int], main: Groups) -> int:
    """How many cards each kicker of these plays has, 0 without kickers: a pair is always two, solos may repeat a rank."""
    return min((count for row in rows for _, count in table.groups[row][len(main) :]), default=0)


def _kickers(groups: Groups, cards: int) -> list[tuple[int, int]]:
    """(cards, rank) of each kicker, in ascending order."""
    return [(cards, rank) for rank, count in sorted(groups) for _ in range(count // cards)]


def _name(main: Groups, cards: int, kickers: int) -> str:
    label = "".join(RANKS[rank] * count for rank, count in main)
    plural = "s" if kickers > 1 else ""
    return (label or "pass") + (f" + {kickers} {KICKER_NAMES[cards]}{plural}" if kickers else "")


def _filled(rows: list[list[int]]) -> Ints:
    width = max(map(len, rows))
    return np.array([[*row, *[NO_KICKER] * (width - len(row))] for row in rows], np.int64)
