"""The text format: what it takes, and what it says of what it does not take."""

import pytest

from records.random_games import read_all
from shangyou import games
from shangyou.games import BadInput
from shangyou.records import BadRecord, Record
from shangyou.records.text import format_text

HANDS = "334566789JJQQKASB;34456789TTKAAA222;345577889TTJQQKK2;69J"
PLAYS = "0,33;1,TT;0,QQ;2,KK;2,J;0,K;"
GOOD = f"game: doudizhu\n{HANDS}\n{PLAYS}\n"
BIDDING = "game: doudizhu\nrules: bidding=true\n"
DOUBLING = "game: doudizhu\nrules: bidding=true doubling=true\n"
FINISHED = "game: zsy2\nrules: cards_each=2\n"


def read_one(tmp_path, text, **options):
    (record,) = read_all(tmp_path, text, **options)
    return record


@pytest.mark.parametrize(
    "text",
    [
        f"game: doudizhu\n\n# a comment\n  Cards : {HANDS};\n Game process: 0,33; 1,TT ; 0,QQ;\n2,KK;2,J;0,K",
        f"GAME: doudizhu\r\ncards:{HANDS}\r\nplays: {PLAYS}\r\n",
        f"\ufeffgame: doudizhu\n{HANDS}\n0,33;1,TT;2,pass;0,QQ;1,PASS;2,KK;2,J;0,K;",
        f"game: doudizhu\n{HANDS.lower()}\n{PLAYS.replace('T', '10')}",
        f"game: doudizhu\nfirst: 0\n{HANDS}\n{PLAYS}",
    ],
)
def test_ways_to_write_the_same(tmp_path, text):
    assert read_one(tmp_path, text) == read_one(tmp_path, GOOD)


def test_passes_are_implied(tmp_path):
    record = read_one(tmp_path, GOOD)
    assert [seat for seat, _ in record.turns] == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]
    assert [seat for seat, cards in record.turns if not cards] == [2, 1, 0, 1]
    assert not record.result.finished


def test_game_and_rules_hold_until_they_change(tmp_path):
    text = f"{GOOD}{HANDS}\nrules: base=5\n{HANDS}\ngame: doudizhu\n{HANDS}\n"
    assert [record.game.rules.base for record in read_all(tmp_path, text)] == [1, 1, 5, 1]


def test_game_and_rules_from_outside_hold_where_the_file_does_not_say(tmp_path):
    assert read_one(tmp_path, HANDS, game="doudizhu", rules="base=3").game is games.load("doudizhu", base=3)
    text = f"{HANDS}\n{GOOD}rules: base=5\n{HANDS}"
    found = read_all(tmp_path, text, game="doudizhu", rules="base=3")
    assert [record.game.rules.base for record in found] == [3, 3, 5]
    with pytest.raises(BadInput, match="no game 'bridge'"):
        read_one(tmp_path, HANDS, game="bridge")


def test_bids(tmp_path):
    record = read_one(tmp_path, f"{BIDDING}bids: 2,1; 0,3\n{HANDS}\n{PLAYS}")
    assert (record.bids, record.deal.first) == ((1, 3), 2)


def test_doubles(tmp_path):
    text = f"{DOUBLING}bids: 2,1; 0,3\ndoubles: 1,1;2,0;0,1;\n{HANDS}\n{PLAYS}"
    record = read_one(tmp_path, text)
    assert record.bids == (1, 3, 1, 0, 1)
    assert "bids: 2,1;0,3;\ndoubles: 1,1;2,0;0,1;\n" in format_text([record])
    record = read_one(tmp_path, f"game: doudizhu\nrules: doubling=true\ndoubles: 1,1;2,0;0,1;\n{HANDS}\n{PLAYS}")
    assert (record.bids, record.deal.first) == ((1, 0, 1), 0)


def test_result_must_be_what_the_plays_give(tmp_path):
    record = read_one(tmp_path, f"{FINISHED}34;5S\n0,3;1,5;1,S\nresult: -1, +1")
    assert record.result.scores == (-1, 1)


# Text, the line and what the error must say.
BAD = {
    "no game": (HANDS, 1, "no game is given"),
    "rules alone": (f"rules: base=3\n{HANDS}", 1, "no game is given"),
    "unknown game": (f"game: bridge\n{HANDS}", 1, "no game 'bridge'; there are zsy2"),
    "unknown rule": (f"game: doudizhu\nrules: bas=3\n{HANDS}", 2, "no rule 'bas'"),
    "not a number": (f"game: doudizhu\nrules: base=--5\n{HANDS}", 2, "base='--5' is not one of 1..1000"),
    "unknown key": (f"game: doudizhu\nwinner: 0\n{HANDS}", 2, "unknown key 'winner'; there are game, rules"),
    "key twice": (f"game: doudizhu\nname: a\nname: b\n{HANDS}", 3, "a second name line for the same record: 'b'"),
    "no cards line": (f"game: doudizhu\nname: a\n{PLAYS}", 2, "no cards line"),
    "head without body": ("game: doudizhu\nname: a", 2, "no cards line"),
    "too few hands": (f"game: doudizhu\n{HANDS[:35]}", 2, "has 2 parts; doudizhu needs 4: hand 0, hand 1, hand 2, public"),
    "no cards": (f"game: doudizhu\n{HANDS[1:]}", 2, "hands of 16, 17, 17, 3 cards; it deals 17, 17, 17, 3"),
    "a fifth three": (f"game: doudizhu\n{HANDS[:-1]}3", 2, "has 3 too many"),
    "not a card": (f"game: doudizhu\n{HANDS.replace('S', 'X')}", 2, "'X' is no card"),
    "not text": (b"game: doudizhu\nname: \xff\xfe\n" + HANDS.encode(), 2, "not UTF-8 text: 0xff, 0xfe"),
    "who is first": ("game: zsy2\nrules: cards_each=2\n34;56", 3, "nothing says who acts first"),
    "first is no seat": (f"game: doudizhu\nfirst: x\n{HANDS}", 2, "'x' is no seat; doudizhu has seats 0, 1, 2"),
    "first may not": (f"game: doudizhu\nfirst: 1\n{HANDS}", 2, "seat 1 may not act first"),
    "too few players": (f"game: doudizhu\nplayers: a,b\n{HANDS}", 2, "doudizhu has 3 seats, not 2"),
    "players no JSON": (f"game: doudizhu\nplayers: [a\n{HANDS}", 2, "this is not JSON"),
    "name no string": (f'game: doudizhu\nname: "a" 1\n{HANDS}', 2, "this is not JSON"),
    "bids without bidding": (f"game: doudizhu\nbids: 0,3\n{HANDS}", 2, "no bidding"),
    "bid too low": (f"{BIDDING}bids: 0,2;1,1\n{HANDS}", 3, "bid 1: seat 1 may bid 0, 3"),
    "bid out of turn": (f"{BIDDING}bids: 0,2;2,3\n{HANDS}", 3, 'bids, number 2 "2,3": it is the turn of seat 1'),
    "bid no number": (f"{BIDDING}bids: 0,two\n{HANDS}", 3, "'two' is not a whole number"),
    "doubles without doubling": (f"{BIDDING}bids: 0,3\ndoubles: 1,1\n{HANDS}", 4, "no doubling"),
    "double out of turn": (
        f"{DOUBLING}bids: 0,3\ndoubles: 2,1\n{HANDS}",
        4,
        'doubles, number 1 "2,1": it is the turn of seat 1',
    ),
    "double no number": (f"{DOUBLING}bids: 0,3\ndoubles: 1,yes\n{HANDS}", 4, "'yes' is not a whole number"),
    "neither double nor not": (f"{DOUBLING}bids: 0,3\ndoubles: 1,2\n{HANDS}", 4, "double 2: seat 1 says 0 (no) or 1"),
    "doubles before the landlord": (f"{DOUBLING}bids: 0,1\ndoubles: 1,1\n{HANDS}", 4, "comes after the last"),
    "a double as a bid": (f"{DOUBLING}bids: 0,3;1,1\n{HANDS}", 3, 'bids: "1,1" comes after the last one that is due'),
    "nobody bids": (f"{BIDDING}bids: 0,0;1,0;2,0\n{HANDS}", 3, "nobody bids for landlord"),
    "landlord not first": (f"{BIDDING}bids: 0,0;1,3\n{HANDS}", 3, "the bids make seat 1 landlord"),
    "result wrong": (f"{FINISHED}34;5S\n0,3;1,5;1,S\nresult: 1,-1", 5, "'1,-1' is not what the plays give: -1,1"),
    "result too early": (f"{FINISHED}34;5S\n0,3\nresult: 1,-1", 5, "but the game is unfinished"),
    "result no number": (f"{FINISHED}34;5S\n0,3;1,5;1,S\nresult: 1,x", 5, "'x' is not a whole number"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_records_say_where_and_why(tmp_path, case):
    content, line, reason = BAD[case]
    bad = read_one(tmp_path, content)
    assert isinstance(bad, BadRecord), bad
    assert (bad.number, bad.line, bad.play_number) == (1, line, 0)
    assert reason in bad.reason


# What is written after the six PLAYS, with seat 1 to beat a K: the play that is wrong, its number and hand, the reason.
BAD_PLAYS = {
    "not held": ("1,2;0,SB;0,44", "0,44", 9, "456667899JJJA", "44: the hand 456667899JJJA lacks 4"),
    "not higher": ("1,9", "1,9", 7, "34456789KAAA222", "9 (solo) is not higher than K (solo)"),
    "other pattern": ("1,AA", "1,AA", 7, "34456789KAAA222", "AA (pair) does not answer K (solo)"),
    "no pattern": ("1,AK", "1,AK", 7, "34456789KAAA222", "KA is no play of doudizhu"),
    "no cards": ("1,", "1,", 7, "34456789KAAA222", "there are no cards; a pass is written pass"),
    "no seat": ("3,A", "3,A", 7, "", "'3' is no seat"),
    "not a play": ("1,A;;", ",", 8, "", "'' is no seat"),
    "unknown card": ("1,Y", "1,Y", 7, "34456789KAAA222", "'Y' is no card"),
    "leader passes": ("0,66;0,pass", "0,pass", 8, "4567899JJJASB", "the leader may not pass"),
}


@pytest.mark.parametrize("case", BAD_PLAYS)
def test_bad_plays_name_the_play_and_the_hand(tmp_path, case):
    plays, play, number, hand, reason = BAD_PLAYS[case]
    bad = read_one(tmp_path, f"{GOOD}{plays}")
    assert isinstance(bad, BadRecord), bad
    assert (bad.line, bad.play, bad.play_number, bad.hand) == (4, play, number, hand)
    assert reason in bad.reason
    assert str(bad) == f'play {number} "{play}"{" with hand " + hand if hand else ""}: {bad.reason}'


def test_play_after_the_end(tmp_path):
    bad = read_one(tmp_path, f"{FINISHED}34;5S\n0,3;1,5;1,S;0,4")
    assert (bad.play_number, bad.play, bad.hand, bad.reason) == (4, "0,4", "4", "the game is over")


def test_play_before_the_bids(tmp_path):
    bad = read_one(tmp_path, f"{BIDDING}{HANDS}\n{PLAYS}")
    assert (bad.play_number, bad.reason) == (1, "seat 0 must bid before anybody plays")


@pytest.mark.parametrize(
    "rubbish", [b"rubbish", b"\xff\x00", b"{}", b"cards: 3", b"name: x\n0,33", b"name: \xff\n" + HANDS.encode()]
)
def test_a_bad_record_spoils_no_other(tmp_path, rubbish):
    last = f"\nname: last\n{HANDS}\n{PLAYS}".encode()
    found = read_all(tmp_path, GOOD.encode() + rubbish + last)
    assert [type(record) for record in found] == [Record, BadRecord, Record]
    assert found[1].number == 2


def test_a_broken_header_spoils_its_records_only(tmp_path):
    found = read_all(tmp_path, f"{GOOD}game: bridge\n{HANDS}\n{HANDS}\n{GOOD}")
    assert [isinstance(record, Record) for record in found] == [True, False, False, True]
    assert {record.line for record in found[1:3]} == {4}


def test_errors_do_not_repeat_a_huge_line(tmp_path):
    assert len(read_one(tmp_path, "game: doudizhu\n" + "x" * 100_000).reason) < 500
