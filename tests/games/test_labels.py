"""Plays without their kickers: 309 labels, as in Table 3 of the DeepRocket paper, and 28 kickers."""

from collections import Counter

import numpy as np
import pytest

from shangyou import games
from shangyou.games import PASS, RANKS
from shangyou.games.labels import NO_KICKER, labels_of

TABLE = games.load("doudizhu").table
LABELS = labels_of(TABLE)
TABLE_3 = {
    "solo": 15, "solo-chain": 36, "pair": 13, "pair-chain": 52, "trio": 13, "plane": 45, "trio+solo": 13, "plane+solos": 38,
    "trio+pair": 13, "plane+pairs": 30, "four+solos": 13, "four+pairs": 13, "bomb": 13, "rocket": 1, "pass": 1,
}  # fmt: skip


def test_the_labels_of_table_3():
    assert Counter(LABELS.families) == TABLE_3
    assert len(LABELS.names) == len(set(LABELS.names)) == 309
    assert LABELS.label_of[PASS] == 0
    assert LABELS.names[0] == "pass"


def test_28_kickers():
    assert LABELS.kicker_names == [*RANKS, *(2 * rank for rank in RANKS[:13])]


@pytest.mark.parametrize(
    ("play", "name", "kickers"),
    [
        ("3334", "333 + 1 solo", ["4"]),
        ("33388", "333 + 1 pair", ["88"]),
        ("33344455", "333444 + 2 solos", ["5", "5"]),
        ("3334445566", "333444 + 2 pairs", ["55", "66"]),
        ("444433", "4444 + 2 solos", ["3", "3"]),
        ("44443355", "4444 + 2 pairs", ["33", "55"]),
        ("333444555666789J", "333444555666 + 4 solos", ["7", "8", "9", "J"]),
        ("333", "333", []),
        ("3333", "3333", []),
        ("SB", "SB", []),
        ("34567", "34567", []),
    ],
)
def test_plays_and_their_kickers(play, name, kickers):
    row = TABLE.find(sum(1 << 4 * RANKS.index(rank) for rank in play))
    assert LABELS.names[LABELS.label_of[row]] == name
    assert [LABELS.kicker_names[kicker] for kicker in LABELS.kickers[row] if kicker != NO_KICKER] == kickers


def test_a_label_and_its_kickers_are_the_play():
    kinds = np.array([[cards * (rank == r) for r in range(15)] for cards, rank in LABELS.kicker_kinds] + [[0] * 15])
    np.testing.assert_array_equal(LABELS.main[LABELS.label_of] + kinds[LABELS.kickers].sum(1), TABLE.need.T)
    np.testing.assert_array_equal(LABELS.size[LABELS.label_of], TABLE.size)


def test_kickers_ascend_and_come_first():
    following = LABELS.kickers[:, 1:]
    assert ((LABELS.kickers[:, :-1] <= following) | (following == NO_KICKER)).all()


def test_plays_of_one_label_differ_in_kickers_alone():
    keys = {(label, *kickers) for label, kickers in zip(LABELS.label_of.tolist(), LABELS.kickers.tolist(), strict=True)}
    assert len(keys) == len(TABLE) == 27_472


def test_games_without_kickers_have_none():
    labels = labels_of(games.load("zsy2").table)
    assert len(labels.names) == 9_076
    assert labels.kickers.shape == (9_076, 0)
