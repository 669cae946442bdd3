"""Deals of files: from records and from cards alone, for the rules of whoever plays them; the first wrong line is named."""

import pytest

from records.random_games import random_record
from shangyou import games, records
from shangyou.games import BadInput
from shangyou.lab import deeprocket_match
from shangyou.records import Form

MATCH = deeprocket_match.FILE
TABLE_8 = "334566789JJQQKASB;34456789TTKAAA222;345577889TTJQQKK2;69J"  # number 1
DOUDIZHU = games.load("doudizhu")


def deals_of(path, text, game=DOUDIZHU):
    path.write_text(text)
    return records.read_deals(path, game)


def test_a_deal_that_was_played_twice_is_one():
    deals = records.read_deals(MATCH, DOUDIZHU)
    played = [record.deal for record in records.read(MATCH) if isinstance(record, records.Record)]
    assert len(deals) == 12  # ten of the match and the two examples, the second of which has plays that are not legal
    assert list(deals[:11]) == list(dict.fromkeys(played))


def test_cards_alone(tmp_path):
    (deal,) = deals_of(tmp_path / "deals.txt", f"# Table 8\n\n{TABLE_8}\n")
    assert deal == records.read_deals(MATCH, DOUDIZHU)[0]


@pytest.mark.parametrize("form", Form)
@pytest.mark.parametrize(
    ("name", "rules"), [("zsy2", {}), ("zsy4", {}), ("zsy4", {"decks": 2}), ("doudizhu", {"bidding": True})]
)
def test_deals_of_records_are_those_that_were_played(tmp_path, name, rules, form):
    game, path = games.load(name, **rules), tmp_path / "games"
    written = [random_record(name, rules, seed) for seed in range(5)]
    records.write(path, written, form)
    read = [record.deal for record in records.read(path)]
    assert records.read_deals(path, game) == tuple(read)
    if form is Form.JSONL:
        assert read == [record.deal for record in written]


@pytest.mark.parametrize("form", Form)
def test_a_deal_that_was_bid_for_has_its_landlord_in_seat_0_without_bidding(tmp_path, form):
    written = [random_record("doudizhu", {"bidding": True}, seed) for seed in range(8)]
    landlords = [record.deal.hands[records.replay(record).landlord] for record in written]
    assert any(records.replay(record).landlord for record in written)
    records.write(tmp_path / "games", written, form)
    deals = records.read_deals(tmp_path / "games", games.load("doudizhu", base=3))
    assert [deal.hands[0] for deal in deals] == landlords
    assert {deal.first for deal in deals} == {0}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (f"{TABLE_8}\n{TABLE_8}x", "line 2: cards '69Jx'"),
        (f"{TABLE_8}\n\n33;44", "line 3: cards line '33;44' has 2 parts; doudizhu needs 4"),
        (f"{TABLE_8}\n{TABLE_8[1:]}", "line 2: doudizhu deal: hands of 16, 17, 17, 3 cards; it deals 17, 17, 17, 3"),
        (f"game: zsy2\n{TABLE_8}", "line 1: that was a game of zsy2, not of doudizhu"),
        (f"{TABLE_8}\nname: nobody\nname: twice", "line 3: a second name line"),
        (f"{TABLE_8}\nname: no cards", "line 2: there is no cards line"),
        (f"colour: red\n{TABLE_8}", "line 1: unknown key 'colour'"),
        ('{"format": "shangyou-record", "version": 2}', "line 1: version: 2 is not 1"),
        ('\n{"format": "shangyou-record"', "line 2: this is not JSON"),
        ("# nothing\n", "holds no deals"),
        ("", "holds no deals"),
    ],
)
def test_the_first_wrong_line_is_named(tmp_path, text, complaint):
    with pytest.raises(BadInput) as error:
        deals_of(tmp_path / "deals.txt", text)
    assert complaint in str(error.value)
    assert str(tmp_path / "deals.txt") in str(error.value)


def test_who_leads_must_be_known_where_it_is_random(tmp_path):
    game, cards = games.load("zsy2", cards_each=4), "3334;559S"
    with pytest.raises(BadInput, match="line 1: nothing says who acts first: add a line such as `first: 0`"):
        deals_of(tmp_path / "deals.txt", cards, game)
    assert deals_of(tmp_path / "deals.txt", f"first: 1\n{cards}", game)[0].first == 1


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(BadInput, match=r"cannot read .*nowhere\.txt: No such file"):
        records.read_deals(tmp_path / "nowhere.txt", DOUDIZHU)
