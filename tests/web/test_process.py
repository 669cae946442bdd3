"""A real `shangyou serve`, killed in mid-game and started again."""

import json
import signal
import socket
from random import Random

import httpx2 as httpx
import websockets
from typer.testing import CliRunner

from shangyou.cli import app
from web.arena_client import action, run_async
from web.own_server import own_server


class Player:
    """A browser that plays at random and remembers the actions it was sent."""

    def __init__(self):
        self.token, self.table, self.seen = "", "", []
        self.chance = Random(7)

    def open(self, address):
        with httpx.Client(base_url=f"{address}/api/v1", timeout=30) as client:
            body = {"game": "zsy4", "seats": ["greedy", "me", "random", "greedy"], "pace": 20}
            self.table = client.post("/tables", json=body).json()["table"]
            self.token = client.cookies["shangyou"]

    async def play(self, address, turns):
        """So many turns of mine; what was seen last."""
        url, cookie = (
            f"{address.replace('http', 'ws', 1)}/api/v1/tables/{self.table}/live",
            {"Cookie": f"shangyou={self.token}"},
        )
        async with websockets.connect(url, additional_headers=cookie) as live:
            while True:
                state = json.loads(await live.recv())
                history = [(turn["seat"], turn["play"]) for turn in state["history"]]
                assert history[: len(self.seen)] == self.seen  # nothing that was sent is ever taken back
                self.seen = history
                if state["status"] == "over" or (turns == 0 and not state["legal"]):
                    return state
                if state["legal"]:
                    turns -= 1
                    await live.send(json.dumps(action(state, self.chance)))


def test_killed_in_mid_game_and_started_again(tmp_path):
    player = Player()
    with own_server(tmp_path) as server:
        player.open(server.address)
        run_async(player.play(server.address, turns=2))
    with own_server(tmp_path) as server:
        run_async(player.play(server.address, turns=1))
    with own_server(tmp_path, stop=signal.SIGTERM) as server:
        state = run_async(player.play(server.address, turns=1000))
        assert state["status"] == "over"
        replay = state["result"]["replay"]
    with own_server(tmp_path) as server:
        stored = httpx.get(f"{server.address}/api/v1/replays/{replay}", timeout=30).json()
    assert [(turn["seat"], turn["play"]) for turn in stored["turns"]] == player.seen
    check_logs(server.log, player, stored)


def check_logs(path, player, stored):
    """JSON, a line to an event, and neither cards nor links in it."""
    lines = path.read_text().splitlines()
    events = [json.loads(line)["event"] for line in lines]
    assert {"started", "game over"} <= set(events)
    assert "stopped" in events  # SIGTERM stops in good order
    text = "\n".join(lines)
    for secret in (player.table, player.token, stored["replay"], "♠", "♥"):
        assert secret not in text


def test_a_file_that_has_a_server_is_one_clear_line(tmp_path):
    with own_server(tmp_path) as server:
        result = CliRunner().invoke(app, ["serve", "--port", "0", "--database", f"sqlite:///{tmp_path / 'a.db'}"])
        assert result.exit_code == 2
        assert "another server has it open; SQLite is for one process, PostgreSQL for several" in " ".join(
            result.stderr.split()
        )
        assert httpx.get(f"{server.address}/api/v1/health", timeout=30).status_code == 200


def test_a_port_that_is_taken_is_one_clear_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(app, ["serve", "--port", port])
    assert result.exit_code == 2
    assert f"cannot listen on 127.0.0.1 port {port}" in result.stderr
