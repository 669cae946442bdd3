"""`shangyou bot` and the example, as processes of their own, at a real server."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx2 as httpx
import pytest

from cli.running import run
from shangyou.client.player import Player
from shangyou.games import BadInput
from web.own_server import own_server

ROOT = Path(__file__).parents[2]


class Person:
    """Makes bots and challenges them."""

    def __init__(self, server):
        self.http = httpx.Client(base_url=f"{server.address}/api/v1", timeout=40)

    def make_bot(self, name):
        return self.http.post("/me/bots", json={"name": name}).json()

    def wait_for(self, bots):
        """Until these are connected and nobody else."""
        for _ in range(400):
            online = {bot["bot"]: bot for bot in self.http.get("/bots").json()}
            if set(online) == {bot["bot"] for bot in bots}:
                return online
            time.sleep(0.05)
        raise AssertionError(f"{bots} did not connect: {online}")

    def challenge(self, game, *seats, rules=""):
        return self.http.post("/challenges", json={"game": game, "seats": list(seats), "rules": rules, "pace": 0}).json()

    def leave(self, table, server):
        """As the page does: over the WebSocket."""
        from websockets.sync.client import connect

        url = f"{server.address.replace('http', 'ws', 1)}/api/v1/tables/{table}/live"
        with connect(url, additional_headers={"Cookie": f"shangyou={self.http.cookies['shangyou']}"}) as socket:
            socket.send(json.dumps({"kind": "leave"}))
            while json.loads(socket.recv())["status"] != "left":
                pass


@contextmanager
def program(*words, token):
    """A process with its lines of output."""
    env = os.environ | {"SHANGYOU_BOT_TOKEN": token, "PYTHONPATH": str(ROOT / "src"), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, *map(str, words)], env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait(20)
        process.stdout.close()


def our_bot(server, agent, token, *more):
    return program("-m", "shangyou", "bot", "--agent", agent, "--arena", server.address, "--json", *more, token=token)


def events(process, until):
    """The events up to one of a kind, that one included."""
    seen = []
    for line in process.stdout:
        seen.append(json.loads(line))
        if seen[-1]["event"] == until:
            return seen
    raise AssertionError(f"it ended without {until}: {seen}")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with own_server(tmp_path_factory.mktemp("arena"), SHANGYOU_NEW_TABLES="100000", SHANGYOU_REQUESTS="1000000") as running:
        yield running


def test_the_example_is_short_and_plays_at_a_real_server(server):
    example = ROOT / "examples" / "bot.py"
    source = example.read_text()
    code = [line for line in source.split('"""')[2].splitlines() if line.strip()]
    assert len(code) <= 40
    assert set(re.findall(r"^(?:import|from) (\w+)", source, re.M)) <= {"websockets", *sys.stdlib_module_names}
    person = Person(server)
    one, two = person.make_bot("Example"), person.make_bot("Champion")
    with (
        program(example, server.address, token=one["token"]) as playing,
        our_bot(server, "rule", two["token"], "--game", "doudizhu") as ours,
    ):
        person.wait_for([one, two])
        for rules in ("", "bidding=true"):  # two bots play with each other while the person's seat is an agent's
            http = httpx.Client(
                base_url=f"{server.address}/api/v1", headers={"Authorization": f"Bearer {one['token']}"}, timeout=40
            )
            seated = http.post(
                "/challenges",
                json={"game": "doudizhu", "rules": rules, "seats": ["me", f"bot:{two['bot']}", "greedy"], "pace": 0},
            ).json()
            assert "table" in seated, seated
            over = events(ours, "over")[-1]
            replay = person.http.get(f"/replays/{over['replay']}").json()
            assert [player["name"] for player in replay["players"]] == ["Example", "Champion", "greedy"]
            assert [player["kind"] for player in replay["players"]] == ["bot", "bot", "agent"]
            assert replay["result"]["scores"][1] == over["score"]
        lines = [playing.stdout.readline() for _ in range(4)]
        assert any("is over: seat 0" in line for line in lines)


def test_several_tables_at_once_and_a_server_that_is_killed(tmp_path):
    """Three tables of two bots; the server is killed in mid-game; all games end, and Ctrl-C ends the bots."""
    with own_server(tmp_path) as server:
        person = Person(server)
        bots = [person.make_bot(name) for name in ("A", "B")]
        with (
            our_bot(server, "champion/doudizhu", bots[0]["token"], "--tables", "3") as one,
            our_bot(server, "greedy", bots[1]["token"], "--tables", "3") as two,
        ):
            person.wait_for(bots)
            seats = [f"bot:{bot['bot']}" for bot in bots]
            with ThreadPoolExecutor(3) as threads:
                asked = [threads.submit(person.challenge, "doudizhu", *seats, "me") for _ in range(3)]
                tables = [answer.result()["table"] for answer in asked]
            refused = person.challenge("doudizhu", *seats, "me")
            assert refused["code"] == "declined"
            assert "as many as it does" in refused["reason"]
            server.stop(signal.SIGKILL)
            time.sleep(1)
            server.start()
            person.wait_for(bots)
            for table in tables:
                person.leave(table, server)
            seen = events(one, "left") + events(one, "left") + events(one, "left")
            assert {event["table"] for event in seen if event["event"] == "left"} == set(tables)
            assert "lost" in {event["event"] for event in seen}
            for process in (one, two):
                process.send_signal(signal.SIGINT)
                assert process.wait(20) == 0


def test_ctrl_c_finishes_the_game_first(server):
    person = Person(server)
    bot = person.make_bot("Patient")
    with our_bot(server, "greedy", bot["token"], "--game", "zsy2", "--rules", "") as process:
        online = person.wait_for([bot])
        assert online[bot["bot"]]["plays"][0]["game"] == "zsy2"
        assert person.challenge("zsy2", "me", f"bot:{bot['bot']}", rules="cards_each=10")["code"] == "declined"
        table = person.challenge("zsy2", "me", f"bot:{bot['bot']}")["table"]
        events(process, "challenge")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert events(process, "stopping")[-1] == {"event": "stopping", "tables": 1}
        assert person.challenge("zsy2", "me", f"bot:{bot['bot']}")["code"] in ("declined", "no_bot")
        assert process.poll() is None
        person.leave(table, server)
        assert events(process, "left")[-1]["table"] == table
        assert process.wait(20) == 0


def test_errors_of_the_command_are_one_clear_line(server):
    good = ["bot", "--agent", "greedy", "--arena", server.address, "--game", "zsy2"]
    for words, complaint in [
        (good, "the token of the bot is missing"),
        ([*good, "--token", "sybot_x"], "does not know this token"),
        ([*good, "--token", "two words"], "is no token"),
        ([*good[:4], "here", "--token", "x"], "an address such as"),
        ([*good[:4], "http://127.0.0.1:9", "--token", "x", "--game", "zsy2"], "cannot reach http://127.0.0.1:9"),
        ([*good, "--token", "x", "--rules", "decks=2"], "no rule 'decks'"),
        (["bot", "--agent", "nobody", "--arena", server.address, "--token", "x"], "no agent 'nobody'"),
        (["bot", "--agent", "rule", "--arena", server.address, "--token", "x", "--game", "zsy4"], "plays doudizhu only"),
    ]:
        result = run(*words, code=2)
        assert complaint in result.stderr, (words, result.stderr)
        assert "Traceback" not in result.output


def test_which_games_an_agent_takes_challenges_to():
    assert Player("greedy").games() == ["zsy2", "zsy4", "doudizhu"]
    assert Player("champion/zsy2").games() == ["zsy2"]
    with pytest.raises(BadInput, match="does not bid"):
        Player("paper-greedy").load("zsy2", "") and Player("min:champion/doudizhu,nobody").load("doudizhu", "")
