"""What is written is read again, exactly."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.variants import VARIANTS, variant_name
from records.random_games import random_record, random_states, read_all
from shangyou import games, records
from shangyou.engines import reference
from shangyou.games import NOBODY
from shangyou.records import Form, Record, replay
from shangyou.records.record import needed_turns, with_passes
from shangyou.records.text import format_text, read_text

SEEDS = range(4)


def landlord_first(record):
    """Text counts seats from the landlord."""
    landlord = records.opening(record.game, record.deal, record.bids).landlord
    return record if landlord == NOBODY else record.turned(landlord)


@pytest.fixture(params=VARIANTS, ids=variant_name)
def games_played(request):
    name, rules = request.param
    return [random_record(name, rules, seed, finished) for seed in SEEDS for finished in (True, False)]


def test_text(tmp_path, games_played):
    path = tmp_path / "games.txt"
    records.write(path, games_played)
    found = list(records.read(path))
    assert found == [landlord_first(record) for record in games_played]
    assert format_text(found) == path.read_text()


@pytest.mark.parametrize("form", [Form.JSONL, Form.PARQUET])
def test_forms_for_programs(tmp_path, games_played, form):
    path = tmp_path / f"games.{form}"
    records.write(path, games_played)
    assert list(records.read(path)) == games_played
    again = tmp_path / "again"  # its name says nothing, its first bytes do
    records.write(again, records.read(path), form)
    assert again.read_bytes() == path.read_bytes()
    assert list(records.read(again)) == games_played


def test_replay_is_the_game_itself():
    for name, rules in VARIANTS:
        *_, state = random_states(name, rules, 1)
        again = replay(Record.from_state(state))
        assert replace(again, seed=state.seed, index=state.index) == state
        assert (again.scores, again.winners, again.places) == (state.scores, state.winners, state.places)


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
def test_prefixes_of_a_game(variant):
    """A game can be saved at any time, also before the first play, between bids and after passes."""
    prefixes = [Record.from_state(state) for state in list(random_states(*variant, seed=11))[:120:2]]
    found = list(read_text(enumerate(format_text(prefixes).split("\n"), 1)))
    assert found == [landlord_first(record) for record in prefixes]


def test_a_file_of_all_games_and_rules(tmp_path):
    played = [random_record(name, rules, 3) for name, rules in VARIANTS]
    found = read_all(tmp_path, format_text(played))
    assert found == [landlord_first(record) for record in played]
    assert [record.game for record in found] == [games.load(name, **rules) for name, rules in VARIANTS]


def test_a_pass_that_would_not_be_implied_is_written():
    """Seat 3 goes out with a 9; seat 0 lets it pass, as do the others, and leads the T that could have answered."""
    state = four_seats_after_an_out()
    for cards in ("", "", "", "Ts"):
        state = reference.put(state, state.game.deck.parse(cards))
    assert [turn.seat for turn in state.history[-4:]] == [0, 1, 2, 0]
    record = Record.from_state(state)
    text = format_text([record])
    assert "3,9c;0,pass;1,pass;2,pass;0,Ts;" in text
    assert list(read_text(enumerate(text.split("\n"), 1))) == [record]


def test_the_reading_with_the_fewest_passes_is_taken():
    state = four_seats_after_an_out()
    answered = with_passes(state, 0, state.game.deck.parse("Ts"))
    assert answered.history[-1].seat == 0
    assert len(answered.history) == len(state.history) + 1
    led = with_passes(state, 0, state.game.deck.parse("5h"))  # no answer to a 9, so it must be a lead
    assert [turn.cards for turn in led.history[len(state.history) : -1]] == [0, 0, 0]


def four_seats_after_an_out():
    """zsy4 in the state in which seat 3 has just put down its last card, the 9 of clubs."""
    game = games.load("zsy4", first_lead="random")
    parse = game.deck.parse
    last = parse("3s4s5s6s7s8s9sTcJcQcKcAc9c")
    others = [
        card for card in game.deck.cards if not game.deck.holds(last, card) and card != parse("Ts") and card != parse("2s")
    ]
    hands = sum(others[0::3]) + parse("Ts"), sum(others[1::3]) + parse("2s"), sum(others[2::3])
    state = reference.start(game, game.make_deal((*hands, last), first=3))
    for cards in ("3s4s5s6s7s8s9s", "", "", "", "TcJcQcKcAc", "", "", "", "9c"):
        state = reference.put(state, parse(cards))
    return state


def test_needed_turns_leave_out_every_other_pass():
    record = random_record("doudizhu", {}, 5)
    assert all(cards for _, cards in needed_turns(record))


@given(st.text(), st.lists(st.text(), min_size=2, max_size=2))
def test_any_names(name, players):
    record = Record.from_state(reference.deal(games.load("zsy2"), 1), players, name)
    assert list(read_text(enumerate(format_text([record]).split("\n"), 1))) == [record]


def test_any_names_in_json_lines(tmp_path):
    names = ["a,b\nc", "\ud800 \x1b[31m ☃"]
    record = Record.from_state(reference.deal(games.load("zsy2"), 1), names, "[bold]")
    records.write(tmp_path / "a.jsonl", [record])
    assert list(records.read(tmp_path / "a.jsonl")) == [record]


def test_counting_seats_from_another_is_undone_by_going_on_round():
    record = random_record("doudizhu", {"bidding": True}, 4)
    assert record.turned(1).turned(2) == record
    assert Record.from_state(replay(record.turned(2)), record.turned(2).players, record.name) == record.turned(2)
