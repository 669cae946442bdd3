"""The database: made by migrations, the same in SQLite and PostgreSQL; what is stored twice fails; what may be exported is."""

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, inspect, select
from sqlalchemy.exc import IntegrityError
from starlette.testclient import TestClient
from typer.testing import CliRunner

from shangyou import games, records
from shangyou.cli import app
from shangyou.engines import reference
from shangyou.games import BadInput
from shangyou.web.app import create_app
from shangyou.web.live.arena import Arena
from shangyou.web.settings import Settings
from shangyou.web.storage import people, table_store
from shangyou.web.storage.database import Storage, migrate, now, open_database
from shangyou.web.storage.schema import metadata
from shangyou.web.storage.schema import people as people_rows
from shangyou.web.table import Seat, Status, Table
from web.arena_client import MUCH, Guest, arena


@pytest.fixture
def storage(tmp_path):
    storage = Storage(f"sqlite:///{tmp_path / 'a.db'}")
    yield storage
    storage.close()


def a_table(game="doudizhu", rules="bidding=true", seed=3):
    state = reference.deal(games.load_text(game, rules), seed)
    seats = (Seat("person", "A", 1), *[Seat("agent", "greedy")] * (state.game.seats - 1))
    return Table("tone", state, seats)


def test_migrations_make_the_tables_from_nothing(tmp_path):
    engine = open_database(f"sqlite:///{tmp_path / 'new folder' / 'a.db'}")
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    assert set(inspect(engine).get_table_names()) == {*metadata.tables, "alembic_version"}
    migrate(engine)  # again: nothing to do
    engine.dispose()


def test_sqlite_is_set_up_for_a_server(storage):
    def pragmas(db):
        return [db.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in ("journal_mode", "foreign_keys", "synchronous")]

    assert storage.run_now(pragmas) == ["wal", 1, 2]  # 2: FULL


@pytest.mark.parametrize(
    ("url", "says"),
    [("arena.db", "is no URL"), ("mysql://x/y", "sqlite and postgresql"), ("sqlite:////dev/null/a.db", "/dev/null")],
)
def test_a_database_that_cannot_be_is_one_clear_line(url, says):
    with pytest.raises(BadInput, match=says):
        open_database(url)


def test_a_token_is_stored_as_its_hash_only(storage):
    person, token = storage.run_now(people.add_person)
    assert storage.run_now(people.find_person, token) == person
    assert storage.run_now(people.find_person, token[:-1]) is None
    (row,) = storage.run_now(lambda db: db.execute(select(people_rows)).all())
    assert token not in str(row)


def test_a_table_comes_back_as_it_was(storage):
    storage.run_now(people.add_person)
    table, chance = a_table(), Random(1)
    storage.run_now(table_store.add_table, table, table.state, False)
    known = table
    for number in range(14):  # some of which are bids, and deals nobody wanted
        before = table
        if table.state.bidding:
            table = table.bid(0 if table.version < 3 else chance.choice(reference.legal_bids(table.state)), 5)
        else:
            table = table.play(int(reference.legal(table.state)[0]), 7)
        table = replace(table, revision=table.revision + 1)
        storage.run_now(table_store.change_table, table, before)
        if number == 6:
            known = table
    assert table.state.index > 0
    assert storage.run_now(table_store.find_table, "tone") == table
    assert storage.run_now(table_store.find_table, "tone", known) == table  # only what is not known is played again


def test_a_change_is_stored_once_and_only_of_the_table_as_it_is(storage):
    storage.run_now(people.add_person)
    table = a_table()
    storage.run_now(table_store.add_table, table, table.state, False)
    bid, left = replace(table.bid(1), revision=1), replace(table, left=True, revision=1)
    storage.run_now(table_store.change_table, bid, table)
    for late in (bid, left):
        with pytest.raises(table_store.Conflict):
            storage.run_now(table_store.change_table, late, table)
    with pytest.raises(IntegrityError):  # nor would an action be stored twice under another revision
        storage.run_now(table_store.change_table, replace(bid, revision=2), replace(table, revision=1))
    assert storage.run_now(table_store.find_table, "tone") == bid


def test_what_somebody_else_has_stored_counts(tmp_path):
    """The action is refused, and everybody is sent the table as it is."""
    storage = Storage(f"sqlite:///{tmp_path / 'a.db'}")
    with arena(tmp_path / "a.db") as client:
        guest = Guest(client, "A")
        id = guest.open("zsy2", rules="first_lead=seat0")
        with guest.sit(id) as seat:
            state = seat.wait_turn()
            before = storage.run_now(table_store.find_table, id)
            low = replace(before.play(state["legal"][0]["play"]), revision=before.revision + 1)
            storage.run_now(table_store.change_table, low, before)
            seat.say(kind="play", version=0, play=state["legal"][-1]["play"])
            seat.until(lambda new: new["history"])
            assert seat.state["history"][0]["play"] == state["legal"][0]["play"]
            while (answer := seat.hear())["kind"] == "state":
                pass
            assert (answer["kind"], answer["code"]) == ("refused", "stale")
    storage.close()


def test_an_sqlite_file_has_one_server(tmp_path):
    with arena(tmp_path / "a.db") as client:
        with pytest.raises(BadInput, match="another server has it open; SQLite is for one process, PostgreSQL for several"):
            Arena(Settings(database=f"sqlite:///{tmp_path / 'a.db'}"))
        assert client.get("/api/v1/health").status_code == 200
        reading = Storage(f"sqlite:///{tmp_path / 'a.db'}")  # as an export does
        assert reading.run_now(table_store.count_tables) == 0
        reading.close()
    with arena(tmp_path / "a.db") as client:
        assert client.get("/api/v1/health").status_code == 200


def test_tables_that_everybody_left(storage):
    storage.run_now(people.add_person)
    table = a_table()
    storage.run_now(table_store.add_table, table, table.state, False)
    assert storage.run_now(table_store.count_tables) == 1
    assert storage.run_now(table_store.idle_tables, now() - timedelta(days=1)) == []
    assert storage.run_now(table_store.idle_tables, now() + timedelta(days=1)) == ["tone"]
    storage.run_now(table_store.change_table, replace(table, left=True), table)
    assert storage.run_now(table_store.find_table, "tone").status is Status.LEFT
    assert replace(table, left=True) == storage.run_now(table_store.find_table, "tone")
    assert storage.run_now(table_store.count_tables) == 0


# -- export -----------------------------------------------------------------------------------------------------------


def test_games_are_exported_for_training_where_people_let_them(tmp_path):
    database = f"sqlite:///{tmp_path / 'a.db'}"
    with arena(tmp_path / "a.db") as client:
        for nickname, keep in (("Open", True), ("Closed", False)):
            guest = Guest(client, nickname)
            guest.post("me", {"keep": keep})
            with guest.sit(guest.open("doudizhu", rules="bidding=true", hints=False)) as seat:
                seat.play_out(Random(1))
    run = lambda *words: CliRunner().invoke(app, ["record", "export", "--database", database, *map(str, words)])  # noqa: E731
    assert "wrote 1 game " in run(tmp_path / "out.jsonl").output
    (record,) = records.read(tmp_path / "out.jsonl")
    assert record.players == ("greedy@0.1.0", "rule@0.1.0", "human")
    assert run(tmp_path / "out.jsonl").exit_code == 2  # nothing is overwritten unasked
    assert run(tmp_path / "out.parquet", "--force").exit_code == 0
    import pyarrow.parquet as pq

    (row,) = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert row["scores"] == list(record.result.scores)
    assert len(row["think_ms"]) == len(record.turns)
    assert row["id"]
    assert row["finished_at"].tzinfo is not None
    assert row["rated"] is True
    assert list(records.read(tmp_path / "out.parquet")) == [record]


def test_export_makes_no_database(tmp_path):
    missing = f"sqlite:///{tmp_path / 'none.db'}"
    result = CliRunner().invoke(app, ["record", "export", str(tmp_path / "out.jsonl"), "--database", missing])
    assert (result.exit_code, "there is no database" in result.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []


# -- PostgreSQL -------------------------------------------------------------------------------------------------------


def test_a_whole_game_in_postgresql(postgres):
    free = {"requests": MUCH, "new_tables": MUCH, "messages": MUCH}
    settings, chance = Settings(database=postgres, **free), Random(1)
    with TestClient(create_app(settings)) as client:
        guest = Guest(client, "小明")
        table = guest.open("doudizhu", rules="bidding=true", hints=False)
        with guest.sit(table) as seat:
            seat.wait_turn()
            seat.act(chance)
            before = seat.wait_turn()
    with TestClient(create_app(settings)) as client:
        guest.client = client
        assert client.get("/api/v1/health").json()["database"] == "postgresql"
        with guest.sit(table) as seat:
            assert seat.wait_turn() == before
            replay = seat.play_out(chance)["replay"]
        assert guest.get(f"replays/{replay}/review").status_code == 200
        assert guest.get("me/games").json()[0]["finished_at"].endswith("Z")
        assert [row["name"] for row in guest.get("ratings?game=doudizhu").json()["rows"]] == ["小明"]
        assert guest.request("DELETE", "me/games").json() == {"forgotten": 1}
    engine = create_engine(postgres.replace("postgresql", "postgresql+psycopg"))
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()
