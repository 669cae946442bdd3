"""Settings by option and environment; limits; logs."""

import json
import logging

import pytest

from shangyou.games import BadInput
from shangyou.web import limits
from shangyou.web.limits import Limits, RateLimit
from shangyou.web.logs import JsonLines
from shangyou.web.settings import Settings


def test_an_option_beats_the_environment_beats_the_default():
    environment = {"SHANGYOU_PORT": "9000", "SHANGYOU_HOST": "0.0.0.0", "SHANGYOU_SOCKETS": "7"}
    settings = Settings.from_environment(environment, host="::1", port=None)
    assert (settings.host, settings.port, settings.sockets, settings.requests) == ("::1", 9000, 7, Settings().requests)
    with pytest.raises(BadInput, match="SHANGYOU_PORT='many'"):
        Settings.from_environment({"SHANGYOU_PORT": "many"})


def test_the_default_database_lies_in_the_users_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert Settings().database_url == f"sqlite:///{tmp_path}/shangyou/arena.db"
    assert Settings(database="postgresql://x").database_url == "postgresql://x"


def test_a_bucket_fills_again(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(limits.time, "monotonic", lambda: clock[0])
    limit = RateLimit(60)
    assert [limit.take() for _ in range(61)] == [True] * 60 + [False]
    clock[0] += 2
    assert [limit.take() for _ in range(3)] == [True, True, False]
    clock[0] += 1000
    assert [limit.take() for _ in range(61)] == [True] * 60 + [False]
    assert not RateLimit(0).take()


@pytest.mark.parametrize("a_minute", [7, 1200])
def test_as_many_at_once_as_a_minute(monkeypatch, a_minute):
    monkeypatch.setattr(limits.time, "monotonic", lambda: 12345.678)
    limit = RateLimit(a_minute)
    assert [limit.take("here") for _ in range(a_minute + 1)] == [True] * a_minute + [False]
    assert limit.take("elsewhere")


def test_addresses_do_not_pile_up(monkeypatch):
    monkeypatch.setattr(limits, "MOST_ADDRESSES", 10)
    clock = [0.0]
    monkeypatch.setattr(limits.time, "monotonic", lambda: clock[0])
    counted = Limits(Settings())
    for number in range(100):
        clock[0] += 10
        assert counted.requests.take(f"10.0.0.{number}")
    assert len(counted.requests.full_at) <= 12
    with counted.socket("10.0.0.1") as allowed:
        assert allowed
        assert counted.sockets["10.0.0.1"] == 1
    assert not counted.sockets


def test_a_log_line_has_no_words_of_an_error():
    """They may quote a hand."""
    try:
        raise ValueError("the hand 33445 lacks 6")
    except ValueError as error:
        trouble = ValueError, error, error.__traceback__
    record = logging.LogRecord("shangyou.web", logging.ERROR, "", 0, "failed %s", ("here",), trouble)
    record.game = "zsy2"
    text = JsonLines().format(record)
    line = json.loads(text)
    assert (line["event"], line["level"], line["game"], line["error"]["type"]) == ("failed here", "error", "zsy2", "ValueError")
    assert "33445" not in text
