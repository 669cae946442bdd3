"""The tables of plays: counts known from the literature, and the order of beating."""

from itertools import product
from math import factorial

import numpy as np
import pytest

from games.variants import VARIANTS, variant_name
from shangyou import games
from shangyou.games import PASS, BadInput
from shangyou.games.game import count_deals

DOUDIZHU_COUNTS = {
    "pass": 1, "solo": 15, "pair": 13, "trio": 13, "trio+solo": 182, "trio+pair": 156,
    "solo-chain": 36, "pair-chain": 52, "plane": 45, "plane+solos": 21_822, "plane+pairs": 2_939,
    "four+solos": 1_326, "four+pairs": 858, "bomb": 13, "rocket": 1,
}  # fmt: skip
ZSY2_CHAINS_BY_LINKS = {2: 108, 3: 297, 4: 810, 5: 2133, 6: 3480, 7: 1918, 8: 270, 9: 5}


def test_doudizhu_has_the_published_plays():
    table = games.load("doudizhu").table
    assert table.family_counts == DOUDIZHU_COUNTS
    assert len(table) == 27_472
    assert len(set(table.cards.tolist())) == 27_472  # a set of cards is one play


def test_both_jokers_as_kickers_add_plays_and_change_no_other():
    """Fours: 13. Planes of n, beside SB n - 2 kickers of the other ranks, less those with a trio at an end of the plane."""
    default, more = games.load("doudizhu").table, games.load("doudizhu", joker_kickers=True).table
    planes = 11 + 10 * 10 + 9 * (9 * 8 // 2 + 9) + 8 * (10 * 9 * 8 // 6) - (6 * 2 + 2 * 1)
    added = {"four+solos": 13, "plane+solos": planes}
    assert more.family_counts == {family: n + added.get(family, 0) for family, n in DOUDIZHU_COUNTS.items()}
    old = {int(cards) for cards in default.cards}
    rows = [row for row, cards in enumerate(more.cards.tolist()) if cards in old]
    for column in ("labels", "family"):
        assert [getattr(more, column)[row] for row in rows] == getattr(default, column)
    assert more.strength[rows].tolist() == default.strength.tolist()
    new = sorted(set(range(len(more))) - set(rows))
    assert all(more.need[13:, row].tolist() == [1, 1] for row in new)
    assert {more.family[row] for row in new} == set(added)


def test_kickers_are_those_that_a_rule_written_out_finds():
    """Every set of cards of hands with both jokers, asked one by one whether it is a four or a plane with solos."""
    game = games.load("doudizhu", joker_kickers=True)
    for text in ("3333 5 66 SB", "333444 5 6 SB", "333444555 77 SB", "TTTJJJQQQ 2 SB", "AAA2222 SB"):
        counts = game.deck.counts(game.deck.parse(text))
        sets = product(*(range(count + 1) for count in counts))
        expected = {(*chosen,) for chosen in sets if is_four_or_plane_with_solos(chosen)}
        held = game.table.held(game.deck.parse(text), game.table.leads).tolist()
        found = [row for row in held if game.table.family[row] in ("four+solos", "plane+solos")]
        assert {(*game.table.need[:, row].tolist(),) for row in found} == expected
        assert any(chosen[13] and chosen[14] for chosen in expected)


def is_four_or_plane_with_solos(counts) -> bool:
    """Of counts by rank; a set of cards may be such a play in one way only: that of the longest plane."""
    size = sum(counts)
    if size == 6 and 4 in counts:
        return True
    lengths = [n for n in range(2, 6) if size == 4 * n]
    return any(
        all(counts[rank] == 3 for rank in range(low, low + n)) and is_longest(counts, low, n) and max(rest(counts, low, n)) < 4
        for n in lengths
        for low in range(12 - n + 1)
    )


def is_longest(counts, low, n) -> bool:
    return (low == 0 or counts[low - 1] < 3) and (low + n == 12 or counts[low + n] < 3)


def rest(counts, low, n) -> list[int]:
    return [*counts[:low], *counts[low + n :]]


def test_zsy2_has_the_published_plays():
    table = games.load("zsy2").table
    assert table.family_counts == {"pass": 1, "single": 15, "pair": 13, "triple": 13, "chain": 9_021, "bomb": 13}
    links = [len(table.groups[row]) for row in range(len(table)) if table.family[row] == "chain"]
    assert {n: links.count(n) for n in set(links)} == ZSY2_CHAINS_BY_LINKS


def test_zsy4_counts_follow_from_its_lengths():
    """Straights of n over the 12 ranks 3..A start at 13 - n ranks; hands of 14 bound doubles at 7, triples at 4."""
    straights, doubles, triples = (sum(13 - n for n in range(3, top + 1)) for top in (12, 7, 4))
    assert games.load("zsy4").table.family_counts == {
        "pass": 1, "single": 15, "pair": 13, "triple": 13, "straight": straights, "flush-straight": 4 * straights,
        "double-straight": doubles, "triple-straight": triples, "bomb": 13,
    }  # fmt: skip


def test_two_packs_of_zsy4_add_flush_doubles_and_larger_bombs():
    counts = games.load("zsy4", decks=2).table.family_counts
    assert counts["flush-double-straight"] == 4 * counts["double-straight"] == 4 * 55
    assert "flush-triple-straight" not in counts  # three equal cards would need three packs
    assert [counts[f"bomb x{n}"] for n in range(4, 9)] == [13] * 5
    assert counts["pair"] == 15


def test_number_of_deals():
    assert games.load("zsy2").number_of_deals == 151_632_049_354_500
    ways = factorial(54) // (factorial(14) ** 2 * factorial(13) ** 2)
    assert games.load("zsy4").number_of_deals == 4 * ways


def test_count_deals_by_hand():
    assert count_deals([1, 1, 1], (1, 1)) == 6
    assert count_deals([2, 1], (1, 1)) == 3  # aa, ab, ba
    assert count_deals([2, 2], (2, 2)) == 3  # aa|bb, ab|ab, bb|aa


@pytest.mark.parametrize(("family", "label"), [("chain", "KKAA22"), ("chain", "5556677778899"), ("chain", "33334444")])
def test_zsy2_knows(family, label):
    game = games.load("zsy2")
    row = game.table.find(game.deck.parse(label))
    assert game.table.family[row] == family
    assert game.table.bomb[row] == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("zsy2", "44566"), ("zsy2", "7799"), ("zsy2", "SB"), ("zsy2", "2233"), ("zsy2", "345"),
        ("doudizhu", "333SB" + "444"), ("doudizhu", "33334444"), ("doudizhu", "TJQKA2"), ("doudizhu", "3344"),
        ("doudizhu", "AAA222"), ("doudizhu", "33344456667"), ("doudizhu", "333344446"), ("doudizhu", "3333SB"),
        ("zsy4", "QsKhAs2s"), ("zsy4", "SB"), ("zsy4", "3s4h"), ("zsy4", "3s3h4s4h"), ("zsy4", "3s3h3c4s"),
    ],
)  # fmt: skip
def test_these_are_no_plays(name, text):
    game = games.load(name)
    assert game.table.find(game.deck.parse(text)) is None


@pytest.mark.parametrize(
    ("name", "higher", "lower", "beats"),
    [
        ("zsy2", "77888", "55666", True), ("zsy2", "JJQQQ", "55666", True), ("zsy2", "JJJQQ", "55666", False),
        ("zsy2", "3333", "KKAA22", True), ("zsy2", "3333", "4444", False), ("zsy2", "4444", "55556666", True),
        ("zsy2", "55556666", "3333", False), ("zsy2", "44", "5", False), ("zsy2", "B", "S", True),
        ("doudizhu", "SB", "2222", True), ("doudizhu", "2222", "SB", False), ("doudizhu", "4443", "3335", True),
        ("doudizhu", "44435", "333356", False), ("doudizhu", "444433", "333356", True), ("doudizhu", "3333", "444456", True),
        ("doudizhu", "45678", "34567", True), ("doudizhu", "456789", "34567", False), ("doudizhu", "4443", "33355", False),
        ("zsy4", "3s4s5s", "QhKdAc", True), ("zsy4", "QhKdAc", "3s4s5s", False), ("zsy4", "4h5h6h", "3s4s5s", True),
        ("zsy4", "3h4h5h", "3s4s5s", False), ("zsy4", "3s4s5s6s", "3h4d5c", False), ("zsy4", "3s3h3c3d", "JsQsKsAs", True),
    ],
)  # fmt: skip
def test_what_beats_what(name, higher, lower, beats):
    game = games.load(name)
    rows = [game.table.find(game.deck.parse(text)) for text in (higher, lower)]
    if None in rows:
        assert not beats
    else:
        assert game.table.beats(*rows) == beats


def test_larger_bombs_beat_smaller_ones_with_two_packs():
    game = games.load("zsy4", decks=2)
    four_twos, five_threes, eight_threes = (
        game.table.find(game.deck.parse(text))
        for text in ("2s2h2c2d", "3s3h3c3d3s", "3s3h3c3d3s3h3c3d")
    )  # fmt: skip
    assert game.table.beats(five_threes, four_twos)
    assert game.table.beats(eight_threes, five_threes)
    assert not game.table.beats(four_twos, five_threes)


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
def test_answers_are_the_rows_that_beat(variant):
    table = games.load(variant[0], **variant[1]).table
    rows = np.random.default_rng(0).integers(1, len(table), 20)
    for last in rows:
        expected = [PASS] + [row for row in range(1, len(table)) if table.beats(row, int(last))]
        assert table.answers(int(last)).tolist() == expected


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
def test_beats_is_a_strict_order_inside_a_pattern(variant):
    """`beats` compares numbers inside a pattern, so checking the numbers of every pattern checks every pair of rows."""
    table = games.load(variant[0], **variant[1]).table
    for number in range(len(table.patterns)):
        rows = np.flatnonzero(table.pattern == number)
        strength, bomb = table.strength[rows], table.bomb[rows]
        first_of = np.unique(strength, return_index=True)[1]
        chain = rows[first_of]  # one row for each strength, weakest first
        for i, weaker in enumerate(chain):
            assert not table.beats(int(weaker), int(weaker))
            for stronger in chain[i + 1 :]:
                assert table.beats(int(stronger), int(weaker))
                assert not table.beats(int(weaker), int(stronger))
        assert (bomb > 0).all() or (bomb == 0).all()
        assert (np.argsort(strength, kind="stable") == np.argsort(bomb, kind="stable")).all() or not bomb.any()


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
def test_notation_round_trips(variant):
    """Every label reads back to its row: as cards where suits do not matter, else as ranks with the flush's sign."""
    from shangyou.games.parse_play import read_last

    game = games.load(variant[0], **variant[1])
    for row in range(1, len(game.table)):
        assert read_last(game, 0, game.table.labels[row]) == row


def test_tables_are_shared_and_their_hashes_name_them():
    assert games.load("doudizhu").table is games.load("doudizhu", spring=True).table
    assert games.load("zsy2").table.hash != games.load("zsy2", two_in_chain=False).table.hash


def test_a_table_is_built_fast_and_small():
    """The issue of memory is settled by counting bytes; the time a build takes is measured in bench/."""
    table = games.load("doudizhu").table
    columns = [value for value in vars(table).values() if isinstance(value, np.ndarray)]
    assert sum(column.nbytes for column in columns) < 2_000_000


@pytest.mark.parametrize(
    ("name", "rules", "complaint"),
    [
        ("chess", {}, "no game 'chess'"),
        ("zsy2", {"decks": 2}, "zsy2 has no rule 'decks'"),
        ("zsy4", {"decks": 3}, "decks=3 is not one of 1..2"),
        ("zsy4", {"decks": True}, "decks=True"),
        ("doudizhu", {"spring": "yes"}, "spring='yes' is not one of false, true"),
        ("zsy2", {"first_lead": "me"}, "first_lead='me' is not one of coin, seat0"),
    ],
)
def test_bad_rules_are_named(name, rules, complaint):
    with pytest.raises(BadInput, match=complaint):
        games.load(name, **rules)


def test_rules_of_older_records_are_read():
    rules = games.load_text("zsy4", "first_lead=lot").rules
    assert (rules.first_lead, str(rules)) == ("random", str(games.load("zsy4", first_lead="random").rules))


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
def test_rules_print_and_parse(variant):
    game = games.load(variant[0], **variant[1])
    rules = game.rules
    assert type(rules).parse(str(rules)) == rules
    assert games.load_text(variant[0], str(rules)) is game
    assert type(rules).make(**rules.changes()) == rules
