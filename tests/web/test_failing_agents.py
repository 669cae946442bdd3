"""An agent that fails, hangs or plays what it may not: people are informed, the game is stored, other tables go on."""

import threading
from random import Random

import pytest

from shangyou import agents
from shangyou.agents.scripted.greedy import GreedyAgent
from shangyou.web.live import inference, turns
from web.arena_client import Guest, arena

FAULTY = "greedy"  # listed, so that people can sit down with it


class Faulty(GreedyAgent):
    """Plays well, or fails in the way `fault` names."""

    def __init__(self):
        super().__init__()
        self.fault, self.gate = "", threading.Event()

    def act_many(self, views, legals):
        if self.fault == "raises":
            raise RuntimeError("the hand is 3344")
        if self.fault == "hangs":
            self.gate.wait(60)
        return [-1] * len(views) if self.fault == "cheats" else super().act_many(views, legals)


@pytest.fixture
def faulty(monkeypatch):
    agent, load = Faulty(), agents.load
    monkeypatch.setattr(agents, "load", lambda name, *rest: agent if name == FAULTY else load(name, *rest))
    monkeypatch.setattr(inference, "PATIENCE", 0.2)
    monkeypatch.setattr(turns, "RETRY_AFTER", (0.02, 0.05))
    yield agent
    agent.gate.set()


@pytest.fixture
def client(tmp_path, faulty):
    with arena(tmp_path / "a.db") as running:
        yield running


def wait_for_refusal(seat):
    while (answer := seat.hear())["kind"] != "refused":
        pass
    return answer


@pytest.mark.parametrize("fault", ["raises", "hangs", "cheats"])
def test_people_are_informed_and_the_game_goes_on_when_it_can(client, faulty, fault, caplog):
    guest, other, chance = Guest(client, "A"), Guest(client, "B"), Random(1)
    faulty.fault = fault
    table = guest.open("zsy2", ["me", FAULTY], rules="first_lead=seat0")
    with guest.sit(table) as seat:
        seat.wait_turn()
        seat.act(chance)
        answer = wait_for_refusal(seat)
        assert answer["code"] == "agent_failed"
        assert answer["reason"].startswith("greedy has failed")
        assert seat.state["version"] == 1
        assert seat.ask(kind="play", version=1, play=0)["code"] in ("not_your_turn", "agent_failed")

        with other.sit(other.open("zsy2", ["me", "random"])) as elsewhere:
            assert sum(elsewhere.play_out(chance)["scores"]) == 0

        faulty.fault = ""
        faulty.gate.set()
        assert sum(seat.play_out(chance)["scores"]) == 0
    assert [record for record in caplog.records if record.message == "agent failed"]


def test_who_comes_back_is_informed_too_and_a_new_server_goes_on(tmp_path, faulty):
    faulty.fault = "raises"
    with arena(tmp_path / "a.db") as client:
        guest = Guest(client, "A")
        table = guest.open("zsy2", [FAULTY, "me"], rules="first_lead=seat0")
        for _ in range(2):
            with guest.sit(table) as seat:
                assert wait_for_refusal(seat)["code"] == "agent_failed"
        with guest.sit(table) as seat:
            seat.say(kind="leave")  # nobody is held at a table that does not go on
            assert seat.until(lambda state: state["status"] == "left")
        table = guest.open("zsy2", [FAULTY, "me"], rules="first_lead=seat0")
    faulty.fault = ""
    with arena(tmp_path / "a.db") as client:
        guest.client = client
        with guest.sit(table) as seat:
            assert sum(seat.play_out(Random(2))["scores"]) == 0


def test_an_agent_that_hangs_does_not_keep_the_server_from_stopping(tmp_path, faulty):
    faulty.fault = "hangs"
    with arena(tmp_path / "a.db") as client:
        guest = Guest(client, "A")
        with guest.sit(guest.open("zsy2", [FAULTY, "me"], rules="first_lead=seat0")) as seat:
            assert wait_for_refusal(seat)["code"] == "agent_failed"
    assert not faulty.gate.is_set()


def test_a_hint_that_fails_is_refused_and_the_game_goes_on(client, monkeypatch):
    guest = Guest(client, "A")

    def fail(*_):
        raise RuntimeError("no advice")

    monkeypatch.setattr(inference, "suggest", fail)
    with guest.sit(guest.open("zsy2", ["me", "random"], rules="first_lead=seat0")) as seat:
        state = seat.wait_turn()
        assert seat.ask(kind="hint", version=state["version"])["code"] == "failed"
        assert sum(seat.play_out(Random(3))["scores"]) == 0
