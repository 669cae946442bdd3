"""A server in the test's own process, and guests who talk to it as browsers do."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from starlette.testclient import TestClient

from shangyou.web.app import create_app
from shangyou.web.settings import Settings

API = "/api/v1"
SIMPLE = {"zsy2": ["me", "greedy"], "zsy4": ["greedy", "me", "random", "greedy"], "doudizhu": ["greedy", "rule", "me"]}
MUCH = 1_000_000


@contextmanager
def arena(database, **settings):
    """A running server on a database file or URL, without limits unless some are given."""
    free = {"requests": MUCH, "new_tables": MUCH, "sockets": MUCH, "messages": MUCH}
    url = database if "://" in str(database) else f"sqlite:///{database}"
    app = create_app(Settings(database=url, **(free | settings)))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


class Guest:
    """One browser: its own cookie, whoever else uses the client."""

    def __init__(self, client, nickname=None):
        self.client, self.token = client, None
        if nickname is not None:
            assert self.post("me", {"nickname": nickname}).status_code == 200

    @property
    def headers(self):
        return {"cookie": f"shangyou={self.token}"} if self.token else {}

    def request(self, method, path, **kwargs):
        answer = self.client.request(method, f"{API}/{path}", headers=self.headers | kwargs.pop("headers", {}), **kwargs)
        self.token = answer.cookies.get("shangyou", self.token)
        self.client.cookies.clear()
        return answer

    def get(self, path):
        return self.request("GET", path)

    def post(self, path, body=None):
        return self.request("POST", path, json=body)

    def open(self, game, seats=None, **options):
        """The id of a new table at which agents do not dawdle."""
        answer = self.post("tables", {"game": game, "seats": seats or SIMPLE[game], "pace": 0} | options)
        assert answer.status_code == 200, answer.text
        return answer.json()["table"]

    @contextmanager
    def sit(self, table, **headers):
        with self.client.websocket_connect(f"{API}/tables/{table}/live", headers=self.headers | headers) as socket:
            yield Seat(socket)


class Seat:
    """The live table as one guest sees it."""

    def __init__(self, socket):
        self.socket, self.texts, self.state = socket, [], None

    def hear(self):
        text = self.socket.receive_text()
        self.texts.append(text)
        message = json.loads(text)
        if message["kind"] == "state":
            self.state = message
        return message

    def say(self, **message):
        self.socket.send_text(json.dumps(message))

    def ask(self, **message):
        """The answer to a message that changes nothing."""
        self.say(**message)
        while (answer := self.hear())["kind"] == "state":
            pass
        return answer

    def until(self, wanted):
        """Listen until a state is as wanted."""
        while self.state is None or not wanted(self.state):
            self.hear()
        return self.state

    def wait_turn(self):
        return self.until(lambda state: state["legal"] or state["bids"] or state["status"] in ("over", "left"))

    def act(self, choose):
        """One action, by row or by cards, and what comes of it."""
        state = self.state
        self.say(**action(state, choose))
        return self.until(lambda new: new["version"] > state["version"])

    def play_out(self, choose):
        while self.wait_turn()["status"] != "over":
            self.act(choose)
        return self.state["result"]


def run_async(work):
    """Run a coroutine in a thread of its own: Playwright leaves a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def action(state, choose):
    if state["bids"]:
        return {"kind": "bid", "version": state["version"], "points": choose.choice(state["bids"])}
    play = choose.choice(state["legal"])
    how = {"play": play["play"]} if choose.random() < 0.5 else {"cards": play["cards"]}
    return {"kind": "play", "version": state["version"], **how}
