"""Ratings that cannot be farmed, and losses that cannot be dodged."""

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from shangyou import games
from shangyou.engines import reference
from shangyou.evaluation.ratings import RatedGame, Rating, rate
from shangyou.evaluation.strength import bot_ratings
from shangyou.web.live import arena as live_arena
from shangyou.web.storage import archive, people, ratings
from shangyou.web.storage.database import Storage
from shangyou.web.storage.people import Person
from shangyou.web.table import Refused, Seat, Table
from web.arena_client import Guest, arena

NEW = Rating().mu


@pytest.fixture
def guest(client):
    return Guest(client, "Ann")


def row_of(guest, game="zsy2"):
    return guest.get(f"ratings?game={game}").json()["me"]


def play(guest, game="zsy2", **options):
    with guest.sit(guest.open(game, **({"hints": False} | options))) as seat:
        seat.play_out(Random(1))
        return seat.state


# -- which games count ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "rules", "standard"),
    [
        ("zsy2", "", True),
        ("zsy2", "cards_each=18", True),  # the default, spelled out
        ("zsy2", "cards_each=2", False),
        ("zsy4", "", True),
        ("zsy4", "decks=2", False),
        ("doudizhu", "", True),
        ("doudizhu", "bidding=true", True),
        ("doudizhu", "bidding=true spring=true", False),
        ("doudizhu", "base=1000", False),
    ],
)
def test_standard_rules(game, rules, standard):
    assert games.load_text(game, rules).rules.is_standard is standard


@pytest.mark.parametrize(
    "options",
    [
        {"rules": "cards_each=1"},  # over in a moment
        {"rules": "first_lead=seat0"},
        {"hints": True},  # who loses could take one to be rid of the game
        {"seed": 7},
    ],
)
def test_games_that_do_not_count(guest, options):
    assert not play(guest, **options)["rated"]
    assert row_of(guest) is None
    assert guest.get("me/games").json()[0]["rated"] is False


def test_an_agent_that_was_not_measured_makes_a_game_practice(monkeypatch):
    table = Table("t", reference.deal(games.load("zsy2"), 1), (Seat("person", "A", 1), Seat("agent", "mine")), hints=False)
    assert not table.counts
    assert replace(table, seats=(table.seats[0], Seat("agent", "greedy"))).counts


def test_a_rated_game_changes_the_person_and_no_agent(guest):
    before = guest.get("ratings/bots?game=zsy2").json()
    assert play(guest)["rated"]
    me = row_of(guest)
    assert (me["games"], me["kind"], me["me"]) == (1, "person", True)
    assert me["rating"] != NEW
    assert {row["kind"] for row in guest.get("ratings?game=zsy2").json()["rows"]} == {"person"}
    assert guest.get("ratings/bots?game=zsy2").json() == before
    assert guest.get("me/games").json()[0]["rating"] == pytest.approx(me["rating"])


def test_an_agent_counts_with_its_measured_strength():
    """Losing to the champion costs less than losing to the random agent."""
    strength = bot_ratings(games.load("zsy2"))
    lost = {
        name: rate([RatedGame((("me",), (name,)), (2, 1))], {name: strength[name]})["me"].mu
        for name in ("champion/zsy2", "random")
    }
    assert lost["random"] < lost["champion/zsy2"] < NEW


# -- leaving ----------------------------------------------------------------------------------------------------------


def test_leaving_a_rated_game_alone_is_a_loss(guest):
    """A bot finishes at once, at no pace; the person is rated as losing and cannot come back."""
    id = guest.open("zsy2", ["me", "random"], hints=False, pace=10_000)
    with guest.sit(id) as seat:
        seat.hear()
        seat.say(kind="leave")
        over = seat.until(lambda state: state["status"] == "over")
        assert (over["seat"], over["forfeited"], over["seats"][0]["stand_in"]) == (None, 0, "champion/zsy2")
        assert over["hand"] == []
    me = row_of(guest)
    assert (me["games"], me["wins"]) == (1, 0)
    assert me["rating"] < NEW
    (game,) = guest.get("me/games").json()
    assert not game["won"]


def test_leaving_a_game_that_does_not_count_ends_it(guest):
    with guest.sit(guest.open("zsy2", hints=True)) as seat:
        seat.hear()
        seat.say(kind="leave")
        assert seat.until(lambda state: state["status"] == "left")["result"] is None
    assert row_of(guest) is None


def test_leaving_two_others_who_play_on(client):
    """One leaves: a bot has the seat, and the other plays to the end and is rated by the result."""
    one, two = Guest(client, "A"), Guest(client, "B")
    id = one.open("zsy2", ["me", "open"], hints=False)
    two.post(f"tables/{id}/join")
    with one.sit(id) as mine, two.sit(id) as theirs:
        mine.wait_turn() if mine.state else mine.hear()
        mine.say(kind="leave")
        left = theirs.until(lambda state: state["seats"][0]["stand_in"])
        assert left["status"] == "playing"
        result = theirs.play_out(Random(1))
    won = 1 in result["winners"]
    assert (row_of(two)["rating"] > NEW) == won
    assert row_of(one)["rating"] < NEW  # even if the bot has won
    assert row_of(one)["wins"] == 0
    assert all(turn["think_ms"] is None for turn in theirs.state["history"] if turn["seat"] == 0)  # a bot's are not shown


def test_leaving_before_the_deal_costs_nothing_and_the_seat_is_open_again(client):
    one, two, three = (Guest(client, name) for name in "ABC")
    id = one.open("doudizhu", ["me", "open", "open"], hints=False)
    two.post(f"tables/{id}/join")
    with one.sit(id) as mine:
        mine.hear()
        mine.say(kind="leave")
        assert mine.until(lambda state: state["seat"] is None)["status"] == "open"
    assert three.post(f"tables/{id}/join").json()["seat"] == 0
    assert [seat["name"] for seat in three.get(f"tables/{id}").json()["seats"]] == ["C", "B", ""]
    assert row_of(one, "doudizhu") is None


def test_a_table_nobody_acts_at_is_lost_by_who_should_have(tmp_path, monkeypatch):
    """Not finishing is no way out: after two days the seat to act is given up."""
    with arena(tmp_path / "a.db") as client:
        guest = Guest(client, "A")
        id = guest.open("zsy2", hints=False)
        with guest.sit(id) as seat:
            seat.wait_turn()
    monkeypatch.setattr(live_arena, "LEFT_AFTER", timedelta(seconds=-1))
    with arena(tmp_path / "a.db") as client:
        guest.client = client
        with guest.sit(id) as seat:
            assert seat.until(lambda state: state["status"] == "over")["forfeited"] == 0
        assert (row_of(guest)["games"], row_of(guest)["wins"]) == (1, 0)


def test_deals_of_a_match_are_not_rated(guest):
    match = guest.post("matches", {"rules": "", "opponent": "greedy", "partner": "greedy", "pace": 0}).json()["match"]
    with guest.sit(guest.post(f"matches/{match}/deals").json()["table"]) as seat:
        assert not seat.hear()["rated"]
        seat.say(kind="leave")
        assert seat.until(lambda state: state["status"] == "left")
    assert row_of(guest, "doudizhu") is None


# -- how it is counted ------------------------------------------------------------------------------------------------


@pytest.fixture
def storage(tmp_path):
    storage = Storage(f"sqlite:///{tmp_path / 'a.db'}")
    yield storage
    storage.close()


def finished(storage, gone=(), landlord_wins=True):
    """A game of Dou Dizhu of three people in the database, some of whom have left; the change of each rating."""
    ids = [storage.run_now(people.add_person)[0].id for _ in range(3)]
    seats = tuple(Seat("person", "", id, stand_in="greedy" if seat in gone else "") for seat, id in enumerate(ids))
    game = games.load("doudizhu")
    for seed in range(100):
        table = Table("t", reference.deal(game, seed), seats, hints=False, replay="g")
        while not table.state.over:
            table = table.play(int(reference.legal(table.state)[-1]))
        if (0 in table.state.winners) == landlord_wins:
            break
    storage.run_now(archive.add_finished, table, [""] * 3)
    rows = {row.player: row for row in storage.run_now(lambda db: db.execute(ratings.ratings.select()).all())}
    mus = [rows[f"person:{id}"].mu if f"person:{id}" in rows else None for id in ids]
    return [mu and mu - NEW for mu in mus]


def test_everybody_plays_to_the_end(storage):
    landlord, *peasants = finished(storage)
    assert landlord > 0 > peasants[0] == peasants[1]


@pytest.mark.parametrize("landlord_wins", [True, False])
def test_a_peasant_leaves(storage, landlord_wins):
    landlord, gone, partner = finished(storage, gone={1}, landlord_wins=landlord_wins)
    assert gone < 0
    assert (landlord > 0) == landlord_wins
    assert partner is None if landlord_wins else partner > 0  # unrated unless they win


@pytest.mark.parametrize("landlord_wins", [True, False])
def test_the_landlord_leaves(storage, landlord_wins):
    gone, *peasants = finished(storage, gone={0}, landlord_wins=landlord_wins)
    assert gone < 0
    assert all((change < 0) == landlord_wins for change in peasants)  # by the result, against the bot


def test_everybody_leaves(storage):
    assert all(change < 0 for change in finished(storage, gone={0, 1, 2}))


def test_last_of_four_is_who_left():
    game = RatedGame((("a",), ("b",), ("c",), ("d",)), (1, 2, 3, 3))
    assert game.lost_by("a").places == (5, 2, 3, 3)
    assert rate([game.lost_by("a")])["a"].mu < NEW < rate([game])["a"].mu


# -- hands and hints before the deal ----------------------------------------------------------------------------------


def test_nobody_sees_cards_before_the_table_is_full(client):
    """The cards are drawn when the last person sits down: leaving and trying again shows nothing."""
    host, friend = Guest(client, "A"), Guest(client, "B")
    id = host.open("doudizhu", ["me", "open", "greedy"], hints=False)
    with host.sit(id) as mine:
        state = mine.hear()
        assert (state["hand"], state["public"], state["legal"], state["result"]) == ([], None, [], None)
        assert {seat["left"] for seat in state["seats"]} == {0}
        assert sum(state["unseen"]) == 54
        friend.post(f"tables/{id}/join")
        assert len(mine.until(lambda state: state["status"] == "playing")["hand"]) == 20


def test_the_deal_is_not_that_of_the_waiting_table():
    table = Table("t", reference.deal(games.load("zsy2"), 1), (Seat("person", "A", 1), Seat("open")))
    assert table.join(2, "B", seed=5).state == reference.deal(games.load("zsy2"), 5)


def test_hints_between_people_need_everybody(client):
    one, two = Guest(client, "A"), Guest(client, "B")
    id = one.open("zsy2", ["me", "open"], hints=True)
    with one.sit(id) as mine:
        assert mine.hear()["hints"]  # as far as those agree who sit there
        two.post(f"tables/{id}/join")
        state = mine.until(lambda state: state["status"] == "playing")
        assert (state["hints"], state["rated"]) == (False, True)
        mine.say(kind="agree", hints=True)
        while (answer := mine.hear())["kind"] == "state":
            pass
        assert answer["code"] == "dealt"


def test_a_hint_all_agreed_to_is_seen_by_all(client):
    one, two = Guest(client, "A"), Guest(client, "B")
    id = one.open("zsy2", ["me", "open"], hints=False)
    with one.sit(id) as mine:
        mine.hear()
        mine.say(kind="agree", hints=True)
        assert mine.until(lambda state: state["hints"])["seats"][0]["hints"]
        two.post(f"tables/{id}/join", {"hints": True})
        with two.sit(id) as theirs, Guest(client).sit(id) as looking:
            state = theirs.until(lambda state: state["status"] == "playing")
            assert (state["hints"], state["rated"]) == (True, False)
            mine.until(lambda state: state["status"] == "playing")
            acting, other = (mine, theirs) if mine.state["legal"] else (theirs, mine)
            assert acting.ask(kind="hint", version=0)["suggestions"]
            seat = acting.state["seat"]
            for listener in (other, looking):
                assert listener.until(lambda state: state["seats"][seat]["helped"] == 1)


def test_hints_are_settled_before_the_deal():
    table = Table("t", reference.deal(games.load("zsy2"), 1), (Seat("person", "A", 1), Seat("agent", "greedy")), hints=False)
    with pytest.raises(Refused) as refused:
        table.agree(0, True)
    assert refused.value.code == "dealt"


# -- the ladder -------------------------------------------------------------------------------------------------------


def fill_ladder(storage, number, season=ratings.SEASON):
    rows = [
        {"season": season, "game": "zsy2", "player": f"person:{i}", "mu": 20 + i % 97 / 10, "sigma": 2.0, "games": 5, "wins": 2,
         "points": 1}
        for i in range(2, number + 2)
    ]  # fmt: skip
    storage.run_now(lambda db: db.execute(ratings.ratings.insert(), rows))


def test_a_long_ladder_comes_in_parts_with_my_own_row(tmp_path):
    with arena(tmp_path / "a.db") as client:
        guest = Guest(client, "Ann")
        play(guest, "zsy2", seats=["me", "random"])
    storage = Storage(f"sqlite:///{tmp_path / 'a.db'}")
    fill_ladder(storage, 40_000)
    fill_ladder(storage, 3, season=1)
    storage.close()
    with arena(tmp_path / "a.db") as client:
        guest.client = client
        answer = guest.get("ratings?game=zsy2")
        page = answer.json()
        assert len(answer.content) < 30_000
        assert (len(page["rows"]), page["total"], page["next"], page["open"]) == (50, 40_001, 50, True)
        assert page["me"]["name"] == "Ann"
        there = guest.get(f"ratings?game=zsy2&limit=1&offset={page['me']['place'] - 1}").json()["rows"]
        assert there == [page["me"]]
        last = guest.get("ratings?game=zsy2&limit=200&offset=39900").json()
        assert (len(last["rows"]), last["next"]) == (101, None)
        sure = [row["sure"] for row in guest.get("ratings?game=zsy2&limit=200").json()["rows"]]
        assert sure == sorted(sure, reverse=True)
        first = guest.get("ratings?game=zsy2&season=1").json()
        assert (first["total"], first["open"], first["me"], first["seasons"]) == (3, False, None, [1, 2])
        for query in ("limit=201", "limit=0", "offset=-1", "season=3", "season=0"):
            assert guest.get(f"ratings?game=zsy2&{query}").status_code == 422


def test_bots_have_a_ladder_of_their_own(guest):
    ladders = guest.get("ratings/bots?game=doudizhu").json()
    assert [ladder["rules"].split()[0] for ladder in ladders] == ["bidding=false", "bidding=true"]
    for ladder in ladders:
        assert ladder["command"].startswith("shangyou tournament doudizhu ")
        assert ladder["rows"][0]["name"] == "champion/doudizhu"
        assert ladder["rows"] == sorted(ladder["rows"], key=lambda bot: -bot["rating"])


def test_the_champion_of_every_game_was_measured_under_each_of_its_standard_rules():
    for game, rules in (("zsy2", ""), ("zsy4", ""), ("doudizhu", ""), ("doudizhu", "bidding=true")):
        assert {"random", "greedy", f"champion/{game}"} <= set(bot_ratings(games.load_text(game, rules)))
    assert bot_ratings(games.load("zsy2", cards_each=5)) == {}


def test_a_person_without_a_row(storage):
    assert storage.run_now(ratings.rating_of, "zsy2", ratings.SEASON, Person(1)) is None
