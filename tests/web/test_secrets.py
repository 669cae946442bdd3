"""No byte sent to a seat depends on a card its View does not hold.

The test follows each game from its seed, deals the cards the seat cannot see anew, and makes the message again from that other
game: it must be, byte for byte, what the server has sent.
"""

import os
from dataclasses import replace
from random import Random

import pytest

from shangyou import games
from shangyou.engines import reference
from shangyou.games.shuffle import Stream
from shangyou.testing import reshuffled
from shangyou.web.clock import Clock
from shangyou.web.live import inference
from shangyou.web.table import Refused, Seat, Table
from shangyou.web.wire.answers import MyTable, PublicTable, TableOut
from shangyou.web.wire.messages import Around, RefusedOut, state_message
from web.arena_client import SIMPLE, Guest, action

GAMES = int(os.environ.get("SHANGYOU_SECRET_GAMES", "100"))  # over sockets; as many more are followed in memory
DOUDIZHU = ("", "bidding=true", "bidding=true doubling=true")
VARIANTS = [("zsy2", ""), ("zsy4", ""), *(("doudizhu", rules) for rules in DOUDIZHU)]


def with_other_cards(table, seat, number):
    """The same table with the cards dealt anew that `seat` cannot see."""
    return replace(table, state=reshuffled(table.state, seat, Stream(number, table.version)))


@pytest.mark.parametrize(("game", "rules"), VARIANTS)
def test_what_a_seat_is_sent_over_whole_games(client, game, rules, monkeypatch):
    monkeypatch.setattr(inference, "GATHER", 0)
    guest, chance, moved = Guest(client, "A"), Random(f"{game}{rules}"), 0
    for number in range(GAMES // len(VARIANTS)):
        moved += follow(guest, game, rules, number, chance)
    assert moved > GAMES  # the other games are other games


def follow(guest, game, rules, seed, chance):
    """Play a game and compare every message until the cards are laid open; how many were made with other cards."""
    me, id, moved, sent = SIMPLE[game].index("me"), guest.open(game, rules=rules, seed=seed), 0, None
    table = Table(id, reference.deal(games.load_text(game, rules), seed), seated(SIMPLE[game]), pace=0, rated=False)
    with guest.sit(id) as seat:
        while (heard := seat.hear()).get("status") != "over":
            if heard["kind"] == "refused":
                expected = refusal(with_other_cards(table, me, seed), sent)
            else:
                table = caught_up(table, heard)
                other = with_other_cards(table, me, seed)
                moved += other.state.hands != table.state.hands
                expected = state_message(other, me, Around(online=frozenset({me})))
            assert seat.texts[-1] == expected.model_dump_json()
            if seat.state["legal"] or seat.state["bids"]:
                sent = action(seat.state, chance) if chance.random() < 0.7 else wrong(table, chance)
                seat.say(**sent)
    return moved


def seated(names):
    return tuple(Seat("person", "A", 1, hints=True) if name == "me" else Seat("agent", name) for name in names)


def wrong(table, chance):
    """Not allowed, so that refusals are read too."""
    if table.state.bidding:
        return {"kind": "bid", "version": table.version, "points": 9}
    rows = set(range(len(table.game.table) + 3)) - set(reference.legal(table.state).tolist())
    return {"kind": "play", "version": table.version, "play": chance.choice(sorted(rows))}


def refusal(table, message):
    with pytest.raises(Refused) as refused:
        table.bid(message["points"]) if message["kind"] == "bid" else table.play(message["play"])
    return RefusedOut.because(refused.value.code, refused.value.reason)


def caught_up(table, heard):
    """The test's own table after what a message tells of: one action, or several before the socket was open."""
    while table.version < heard["version"]:
        if table.state.bidding:
            said = "doubled" if table.state.phase == "double" else "bid"
            table = table.bid(int(heard["seats"][table.state.turn][said] or 0))
        else:
            turn = heard["history"][len(table.state.history)]
            table = table.put(table.game.deck.parse(" ".join(turn["cards"])), turn["think_ms"])
    return table


@pytest.mark.parametrize(("game", "rules"), [*VARIANTS, ("zsy4", "decks=2")])
def test_what_every_seat_and_an_onlooker_would_be_sent(game, rules):
    """The same for all seats at once, without a server between; an onlooker's message does not change with any hand."""
    chance, loaded = Random(f"all {game}{rules}"), games.load_text(game, rules)
    for number in range(GAMES // len(VARIANTS)):
        table = Table("t", reference.deal(loaded, number), seated(SIMPLE[game]))
        while not table.state.over:
            if chance.random() < 0.15:
                for seat in range(loaded.seats):
                    other = with_other_cards(table, seat, number)
                    assert state_message(other, seat) == state_message(table, seat)
                    assert state_message(other, None) == state_message(table, None)
            table = random_action(table, chance)


def random_action(table, chance):
    if table.state.bidding:
        return table.bid(chance.choice(reference.legal_bids(table.state)))
    return table.play(chance.choice(reference.legal(table.state).tolist()))


def test_the_other_hands_lie_open_only_at_the_end():
    chance = Random(1)
    table = Table("t", reference.deal(games.load("doudizhu"), 1), seated(SIMPLE["doudizhu"]))
    while not table.state.over:
        assert state_message(table, 0).result is None
        table = random_action(table, chance)
    assert [len(hand) for hand in state_message(replace(table, replay="g"), 0).result.deal] == [17, 17, 17]
    left = replace(table, state=reference.deal(games.load("doudizhu"), 1), actions=(), left=True)
    assert state_message(left, 0).result is None


@pytest.mark.parametrize(("game", "rules"), VARIANTS)
def test_a_table_that_waits_has_no_cards_to_tell_of(game, rules):
    """Whatever deal stands in for the one to come, every message and answer is the same."""
    loaded = games.load_text(game, rules)
    seats = (Seat("person", "A", 1), *[Seat("open")] * (loaded.seats - 1))
    sent = set()
    for seed in range(20):
        table = Table("t", reference.deal(loaded, seed), seats, listed=True, clock=Clock(20, 60))
        sent.add("".join(state_message(table, seat).model_dump_json() for seat in (0, None)) + answers(table))
    assert len(sent) == 1


def answers(table):
    seat = next(iter(table.people), None)
    mine = MyTable.of(table, seat).model_dump_json() if seat is not None else ""
    return mine + TableOut.of(table, 1).model_dump_json() + PublicTable.of(table, 1).model_dump_json()


@pytest.mark.parametrize(("game", "rules"), VARIANTS)
def test_who_left_sees_no_hand_and_no_think_time_of_the_bot(game, rules):
    chance, loaded, checked = Random(f"left {game}{rules}"), games.load_text(game, rules), 0
    for number in range(20):
        seats = tuple(Seat("person", str(person), person) for person in range(1, loaded.seats + 1))
        table = Table("t", reference.deal(loaded, number), seats, hints=False, clock=Clock(20, 60))
        while not table.state.over:
            seat = table.state.turn
            if chance.random() < 0.1:
                table = table.leave(seat, "greedy")
                assert table.left or table.seat_of(seat + 1) is None
            if not table.running:
                break
            gone = [seat for seat in range(loaded.seats) if table.seats[seat].stand_in]
            for seat in gone:
                here, other = (
                    state_message(one, None, forfeited=seat) for one in (table, with_other_cards(table, None, number))
                )
                assert here == other
                assert here.hand == ()
                checked += 1
            assert answers(table) == answers(with_other_cards(table, None, number))
            table = random_action(table, chance)
    assert checked
