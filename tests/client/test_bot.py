"""`shangyou bot` and the example, as processes of their own, at a real server."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path

import httpx2 as httpx
import pytest

from cli.running import run
from shangyou import agents
from shangyou.agents import Agent
from shangyou.client.player import Player
from shangyou.games import BadInput
from web.own_server import own_server

ROOT = Path(__file__).parents[2]


class Person:
    """Makes bots and challenges them."""

    def __init__(self, http):
        self.http = http

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

    def challenge(self, game, *seats, rules="", pace=0):
        return self.http.post("/challenges", json={"game": game, "seats": seats, "rules": rules, "pace": pace}).json()

    def leave(self, table, server):
        """As the page does: over the WebSocket."""
        from websockets.sync.client import connect

        url = f"{server.address.replace('http', 'ws', 1)}/api/v1/tables/{table}/live"
        with connect(url, additional_headers={"Cookie": f"shangyou={self.http.cookies['shangyou']}"}) as socket:
            socket.send(json.dumps({"kind": "leave"}))
            while json.loads(socket.recv())["status"] != "left":
                pass


@contextmanager
def person_at(server, **headers):
    with httpx.Client(base_url=f"{server.address}/api/v1", headers=headers, timeout=40) as http:
        yield Person(http)


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
    """The example challenges nobody itself; with its token the test does so in its name."""
    example = ROOT / "examples" / "bot.py"
    source = example.read_text()
    assert len([line for line in source.split('"""')[2].splitlines() if line.strip()]) <= 40
    assert set(re.findall(r"^(?:import|from) (\w+)", source, re.M)) <= {"websockets", *sys.stdlib_module_names}
    with person_at(server) as person:
        one, two = person.make_bot("Example"), person.make_bot("Rule")
        with (
            program(example, server.address, token=one["token"]) as playing,
            our_bot(server, "rule", two["token"], "--game", "doudizhu") as ours,
            person_at(server, authorization=f"Bearer {one['token']}") as bot,
        ):
            person.wait_for([one, two])
            for rules in ("", "bidding=true"):
                bot.challenge("doudizhu", "me", f"bot:{two['bot']}", "greedy", rules=rules)
                over = events(ours, "over")[-1]
                replay = person.http.get(f"/replays/{over['replay']}").json()
                players = [(player["name"], player["kind"]) for player in replay["players"]]
                assert players == [("Example", "bot"), ("Rule", "bot"), ("greedy", "agent")]
                assert replay["result"]["scores"][1] == over["score"]
            assert "is over: seat 0" in "".join(playing.stdout.readline() for _ in range(4))


def test_several_tables_at_once_and_a_server_that_is_killed(tmp_path):
    """Three tables of two bots and an agent; the server is killed in mid-game; all games are played to their end."""
    with own_server(tmp_path) as server, person_at(server) as person:
        bots = [person.make_bot(name) for name in ("A", "B")]
        with (
            our_bot(server, "champion/doudizhu", bots[0]["token"], "--tables", "3") as one,
            our_bot(server, "greedy", bots[1]["token"], "--tables", "3") as two,
            person_at(server, authorization=f"Bearer {bots[0]['token']}") as bot,
        ):
            person.wait_for(bots)
            seats = "doudizhu", "me", f"bot:{bots[1]['bot']}", "greedy"
            with ThreadPoolExecutor(3) as threads:
                asked = [threads.submit(bot.challenge, *seats, pace=300) for _ in range(3)]
                tables = {answer.result()["table"] for answer in asked}
            refused = person.challenge(*seats)
            assert refused["code"] == "declined"
            assert "as many as it does" in refused["reason"]
            time.sleep(0.5)
            server.stop(signal.SIGKILL)
            time.sleep(0.5)
            server.start()
            seen = [event for _ in tables for event in events(one, "over")]
            assert {event["table"] for event in seen if event["event"] == "over"} == tables
            assert "lost" in {event["event"] for event in seen}
            for process in (one, two):
                process.send_signal(signal.SIGINT)
                assert process.wait(20) == 0


def test_ctrl_c_finishes_the_game_first(server):
    with (
        person_at(server) as person,
        nullcontext(person.make_bot("Patient")) as bot,
        our_bot(server, "greedy", bot["token"], "--game", "zsy2", "--rules", "") as process,
    ):
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
        ([*good, "--token", "sybot_x"], "is unknown here, or was revoked"),
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
    with pytest.raises(BadInput, match="no agent 'nobody'"):
        Player("nobody").games()


def test_an_agent_that_cannot_bid_does_not_take_games_with_bidding(monkeypatch):
    class Silent(Agent):
        name = "silent"

        def values(self, view, legal):
            return legal

    monkeypatch.setattr(agents, "load", lambda *_: Silent())
    Player("silent").load("doudizhu", "")
    with pytest.raises(BadInput, match="'silent' does not bid"):
        Player("silent").load("doudizhu", "bidding=true")
