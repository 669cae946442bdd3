"""A filled database of the version before live tables, upgraded: nothing is lost, games go on, ratings are a closed season."""

import json
from random import Random

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from starlette.testclient import TestClient

from shangyou import games
from shangyou.engines import reference
from shangyou.records import Record
from shangyou.records.jsonl import to_json
from shangyou.web.app import create_app
from shangyou.web.settings import Settings
from shangyou.web.storage import database
from shangyou.web.storage.database import now, open_database, read_url
from shangyou.web.storage.people import hash_token
from shangyou.web.storage.schema import metadata
from web.arena_client import Guest

ANN, BOB = 1, 2
PERSON = {"kind": "person", "name": "", "person": None}
AGENT = {"kind": "agent", "name": "greedy", "person": None}
FREE = {"kind": "open", "name": "", "person": None}


def before_live_tables(url, monkeypatch):
    """An empty database as the version before made it."""
    upgrade = command.upgrade
    with monkeypatch.context() as patch:
        patch.setattr(database.command, "upgrade", lambda config, _: upgrade(config, "0002"))
        return open_database(url)


def fill(engine):
    """Two people, tables of every status, a finished game with its review, ratings, a match."""
    old = sa.MetaData()
    old.reflect(engine)
    rows = {name: [] for name in ("people", "tables", "actions", "games", "players", "reviews", "ratings", "matches")}
    for id, name in ((ANN, "Ann"), (BOB, "小明")):
        rows["people"].append(
            {"id": id, "token_hash": hash_token(f"token {id}"), "nickname": name, "keep": True, "made_at": now()}
        )
    ann, bob = PERSON | {"name": "Ann", "person": ANN}, PERSON | {"name": "小明", "person": BOB}
    add_table(rows, "topen", "open", [ann, FREE])
    add_table(rows, "tplay", "running", [ann, bob], plays=5)
    add_table(rows, "tleft", "left", [ann, AGENT], plays=2)
    state = add_table(rows, "tover", "over", [ann, AGENT], plays=1000, replay="g1")
    record = json.dumps(to_json(Record.from_state(state, ["Ann", "greedy"])))
    times = [None] * len(state.history)
    rows["games"].append({"id": "g1", "table_id": "tover", "game": "zsy2", "rules": str(state.game.rules), "record": record,
                          "think_ms": times, "rated": True, "kept": True, "finished_at": now()})  # fmt: skip
    for seat, (name, person) in enumerate((("Ann", ANN), ("greedy", None))):
        rows["players"].append({"game_id": "g1", "seat": seat, "name": name, "person": person, "version": "",
                                "score": state.scores[seat], "won": seat in state.winners, "rating": 26.5})  # fmt: skip
    rows["reviews"].append({"game_id": "g1", "version": "champion/zsy2@1", "content": {"adviser": "champion/zsy2"}})
    for number, player in enumerate(("person:1", "person:2", "agent:greedy", "agent:champion/zsy2")):
        rows["ratings"].append(
            {"game": "zsy2", "player": player, "mu": 25.5 + number, "sigma": 3.25, "games": 9, "wins": 4, "points": -2}
        )
    rows["matches"].append({"id": "m1", "person": ANN, "game": "doudizhu", "rules": "", "deals": 2, "opponent": "greedy",
                            "partner": "greedy", "hints": False, "pace": 0, "made_at": now()})  # fmt: skip
    with engine.begin() as db:
        for name, some in rows.items():
            db.execute(old.tables[name].insert(), some)
        if engine.dialect.name == "postgresql":
            db.execute(sa.text("SELECT setval('people_id_seq', 10)"))
    return old


def add_table(rows, id, status, seats, plays=0, replay=""):
    """The state after so many plays, or at the end."""
    state = reference.deal(games.load("zsy2"), 7)
    rows["tables"].append({"id": id, "game": "zsy2", "rules": str(state.game.rules), "seed": 7, "deal": None, "seats": seats,
                           "hints": False, "pace": 0, "rated": True, "status": status, "replay": replay, "made_at": now(),
                           "touched_at": now(), "match": None, "number": None, "second": None})  # fmt: skip
    for number in range(plays):
        if state.over:
            break
        state = reference.step(state, int(reference.legal(state)[-1]))
        turn = state.history[-1]
        rows["actions"].append({"table_id": id, "number": number, "seat": turn.seat, "kind": "play", "value": turn.play,
                                "cards": state.game.deck.format(turn.cards), "think_ms": 5})  # fmt: skip
    return state


def contents(engine, columns):
    """All rows, with the columns the old schema had."""
    with engine.connect() as db:
        found = {
            name: db.execute(sa.select(sa.Table(name, sa.MetaData(), autoload_with=db))).mappings().all() for name in columns
        }
    return {name: sorted(str([(key, row[key]) for key in columns[name]]) for row in rows) for name, rows in found.items()}


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    return f"sqlite:///{tmp_path / 'a.db'}" if request.param == "sqlite" else request.getfixturevalue("postgres")


def test_a_filled_database_is_upgraded(url, monkeypatch):
    engine = before_live_tables(url, monkeypatch)
    assert "season" not in {column["name"] for column in sa.inspect(engine).get_columns("ratings")}
    columns = {name: [column.name for column in table.columns] for name, table in fill(engine).tables.items()}
    columns.pop("alembic_version")
    columns["people"].remove("token_hash")  # tokens have a table of their own
    before = contents(engine, columns)
    assert all(before.values())  # every table has rows
    engine.dispose()

    engine = open_database(url)
    assert contents(engine, columns) == before
    with engine.connect() as db:
        assert compare_metadata(MigrationContext.configure(db), metadata) == []
        assert db.execute(sa.text("SELECT DISTINCT season FROM ratings")).scalars().all() == [1]
        hashes = db.execute(sa.text("SELECT token_hash FROM tokens ORDER BY person")).scalars().all()
        found = db.execute(sa.text("SELECT table_id, person FROM sitters ORDER BY table_id, person")).all()
    assert hashes == [hash_token(f"token {id}") for id in (ANN, BOB)]
    assert found == [("topen", ANN), ("tplay", ANN), ("tplay", BOB)]
    engine.dispose()
    go_on(url)


def go_on(url):
    """The running game is played to its end, the open table is joined, the first season can be read, the second is empty;
    a daily deal is played."""
    with TestClient(create_app(Settings(database=str(read_url(url)), requests=100_000, messages=100_000))) as client:
        ann, bob = Guest(client), Guest(client)
        ann.token, bob.token = f"token {ANN}", f"token {BOB}"
        assert {table["table"] for table in ann.get("me/tables").json()} == {"topen", "tplay"}
        first = ann.get("ratings?game=zsy2&season=1").json()
        assert [row["name"] for row in first["rows"]] == ["champion/zsy2", "greedy", "小明", "Ann"]
        assert (first["open"], first["me"]["place"]) == (False, 4)
        assert ann.get("ratings?game=zsy2").json()["rows"] == []
        with ann.sit("tplay") as mine, bob.sit("tplay") as theirs:
            for seat in (mine, theirs):
                seat.hear()
            while mine.state["status"] != "over":
                (mine if mine.state["legal"] else theirs).act(Random(1))
                for seat in (mine, theirs):
                    seat.ask(kind="ping")
        assert bob.post("tables/topen/join").json()["seat"] == 1
        assert {row["name"] for row in ann.get("ratings?game=zsy2").json()["rows"]} == {"Ann", "小明"}
        assert ann.get("ratings?game=zsy2&season=1").json()["rows"] == first["rows"]
        assert ann.get("replays/g1").json()["players"][0]["name"] == "Ann"
        assert len(ann.get("me/games").json()) == 2
        table = ann.post("daily/zsy2", {"pace": 0}).json()["table"]
        with ann.sit(table) as mine:
            points = mine.play_out(Random(1))["scores"][mine.state["seat"]]
        assert ann.post("daily/zsy2", {"pace": 0}).json()["code"] == "over"
        deal = ann.get("daily").json()["deals"]
        assert [one["mine"]["points"] for one in deal if one["mine"]] == [points]
        assert [one["place"] for one in ann.get("me/daily").json()["results"]] == [1]
        path = f"daily/{ann.get('daily').json()['day']}/zsy2"
        assert [(row["name"], row["points"]) for row in ann.get(path).json()["rows"]] == [("Ann", points)]
        ann.request("DELETE", "me/games")
        assert len(ann.get("me/games").json()) == 0
        assert [(row["name"], row["points"]) for row in ann.get(path).json()["rows"]] == [("", points)]
        assert (bob.get(path).json()["rows"], bob.get(path).json()["players"]) == ([], 1)


def test_back_and_forth(tmp_path, monkeypatch):
    """A downgrade gives the first season back as it was."""
    url = f"sqlite:///{tmp_path / 'a.db'}"
    engine = before_live_tables(url, monkeypatch)
    columns = {name: [column.name for column in table.columns] for name, table in fill(engine).tables.items()}
    columns.pop("alembic_version")
    before = contents(engine, columns)
    database.migrate(engine)
    with monkeypatch.context() as patch:
        patch.setattr(database.command, "upgrade", lambda config, _: command.downgrade(config, "0002"))
        database.migrate(engine)
    assert contents(engine, columns) == before
    assert not {"sitters", "secrets", "daily_deals", "daily_tries"} & set(sa.inspect(engine).get_table_names())
    engine.dispose()
