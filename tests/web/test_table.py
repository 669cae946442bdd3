"""A table as a value: its states, who may act, who sits where."""

from dataclasses import replace

import pytest

from shangyou import games
from shangyou.engines import reference
from shangyou.web.table import Refused, Seat, Status, Table


def table(game="doudizhu", rules="bidding=true", kinds=("person", "open", "agent")):
    seats = tuple(Seat(kind, kind, number if kind == "person" else None) for number, kind in enumerate(kinds))
    return Table("t", reference.deal(games.load_text(game, rules), 2), seats)


@pytest.mark.parametrize("rules", ["bidding=true", "bidding=true doubling=true"])
def test_from_an_open_seat_to_the_end(rules):
    seen = table(rules=rules)
    assert (seen.status, seen.agent_to_act) == (Status.OPEN, "")
    seen = seen.join(7, "friend", seed=2)
    assert seen.seats[1] == Seat("person", "friend", 7)
    assert seen.status is Status.BIDDING
    while seen.status is Status.BIDDING:
        seen = seen.bid(max(reference.legal_bids(seen.state)))
    if "doubling" in rules:
        assert (seen.status, seen.running) == (Status.DOUBLING, True)
        seen = seen.bid(1).bid(0).bid(1)
    assert seen.status is Status.PLAYING
    while seen.status is Status.PLAYING:
        assert seen.agent_to_act == ("agent" if seen.state.turn == 2 else "")
        seen = seen.play(int(reference.legal(seen.state)[-1]))
    assert (seen.status, seen.running, seen.agent_to_act) == (Status.OVER, False, "")
    assert seen.version == len(seen.actions) > len(seen.state.history)  # bids are actions too
    with pytest.raises(Refused, match="over"):
        seen.leave(0, "greedy")


def test_the_same_actions_make_the_same_table():
    first = table().join(7, "friend", seed=2)
    seen = first
    for _ in range(20):
        bids = reference.legal_bids(seen.state)
        seen = seen.bid(bids[-1], 3) if bids else seen.play(int(reference.legal(seen.state)[0]), 4)
    for action in seen.actions:
        ms = action.think_ms
        first = first.bid(action.value, ms) if action.kind == "bid" else first.put(action.cards, ms)
    assert first == seen


def test_who_may_act():
    seen = table().join(7, "friend", seed=2)
    turn = seen.state.turn
    seen.check_turn(turn, 0)
    wrong = {"not_seated": (None, 0), "stale": (turn, 1), "not_your_turn": ((turn + 1) % 3, 0)}
    for code, (seat, version) in wrong.items():
        with pytest.raises(Refused) as refused:
            seen.check_turn(seat, version)
        assert refused.value.code == code
    with pytest.raises(Refused, match="every seat is taken"):
        table().check_turn(turn, 0)
    with pytest.raises(Refused, match="over"):
        replace(seen, left=True).check_turn(turn, 0)


def test_nobody_joins_a_full_table_and_everybody_has_one_seat():
    full = table().join(7, "friend", seed=2)
    assert [full.seat_of(person) for person in (0, 7, 8, None)] == [0, 1, None, None]
    with pytest.raises(Refused, match="taken"):
        full.join(8, "late", seed=2)


def test_a_round_stays_on_the_table_until_the_next_lead():
    seen = table("zsy2", "first_lead=seat0", ("person", "person"))
    seen = seen.play(int(reference.legal(seen.state)[0]))
    seen = seen.put(0)  # a pass: the round is over
    assert (seen.state.last, seen.round_start) == (0, 0)
    seen = seen.play(int(reference.legal(seen.state)[0]))
    assert seen.round_start == 2


def test_an_onlooker_sees_no_hand():
    seen = table("zsy2", "", ("person", "person"))
    assert seen.view(None).hand == 0
    assert seen.view(None).unseen == seen.game.deck.full
    assert seen.view(1).hand == seen.state.hands[1]


def test_cards_as_they_are_written():
    seen = table("zsy2", "first_lead=seat0", ("person", "person"))
    low = seen.game.deck.format(seen.state.hands[0])[0]
    assert seen.put(low).state.history[0].cards == seen.game.deck.parse(low)
    for text in ("Z", "33333", ""):
        with pytest.raises(Refused):
            seen.put(text)
