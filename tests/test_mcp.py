"""The MCP server as a client sees it: a process of its own, spoken to by the official SDK over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shangyou import __version__, agents, games
from shangyou.agents.review import adviser_names, review
from shangyou.engines.position import position
from shangyou.records import read, with_bids

mcp = pytest.importorskip("mcp")

MATCH = Path(__file__).parents[1] / "src" / "shangyou" / "lab" / "deeprocket_match.txt"
HAND = "4 5 66 7 8 9 T JJ QQ K A 2 S B"
CALLS = {
    "games": ("games", {}),
    "rules": ("rules", {"game": "doudizhu", "rules": "spring=true"}),
    "legal": ("legal_plays", {"game": "doudizhu", "hand": "3334455SB", "last": "44"}),
    "suggest": ("suggest", {"game": "doudizhu", "hand": "345678 JJ QQ K AA 22 S T", "public": "99K", "history": "66",
                            "top": 4}),
    "by rule": ("suggest", {"game": "doudizhu", "hand": HAND, "role": "before", "public": "345", "played": ["", "34567", ""],
                            "last": "34567", "last_by": 1, "agent": "rule"}),
    "review": ("review", {"record": MATCH.read_text(), "number": 2}),
    "bad cards": ("legal_plays", {"game": "doudizhu", "hand": "33333"}),
    "bad rule": ("rules", {"game": "zsy2", "rules": "spring=true"}),
    "bad record": ("review", {"record": "game: zsy2\n\n33;44;\n0,3"}),
    "runs a file": ("suggest", {"game": "zsy2", "hand": "334455667788TJQKA2", "agent": "examples/agent.py"}),
    "no record": ("review", {"record": MATCH.read_text(), "number": 99}),
    "bad type": ("suggest", {"game": "zsy2", "hand": "3", "top": 0}),
    "solve": ("solve", {"game": "zsy2", "hands": ["45S", "46K"]}),
}  # fmt: skip


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What a server said of itself, its tools, and its answer to every call."""

    async def talk():
        async with mcp.stdio_client(server, errlog=log) as streams, mcp.ClientSession(*streams) as session:
            found = {"": await session.initialize(), "tools": (await session.list_tools()).tools}
            return found | {name: await session.call_tool(*call) for name, call in CALLS.items()}

    server = mcp.StdioServerParameters(command=sys.executable, args=["-m", "shangyou", "mcp"], env=dict(os.environ))
    with (tmp_path_factory.mktemp("mcp") / "log.txt").open("w+") as log:
        return asyncio.run(asyncio.wait_for(talk(), 400))  # the first to solve compiles


def answer(said, name):
    """The value a tool returned."""
    assert not said[name].is_error, said[name].content
    value = said[name].structured_content
    return value.get("result", value)


def error(said, name):
    assert said[name].is_error
    return said[name].content[0].text


def test_a_server_says_what_it_offers(said):
    assert (said[""].server_info.name, said[""].server_info.version) == ("shangyou", __version__)
    assert [tool.name for tool in said["tools"]] == ["games", "rules", "legal_plays", "suggest", "review", "solve"]
    for tool in said["tools"]:
        assert tool.description
        assert all("description" in about for about in tool.input_schema.get("properties", {}).values())


def test_games_and_their_rules(said):
    assert {game["name"]: game["plays"] for game in answer(said, "games")} == {
        name: len(games.load(name).table) for name in games.names()
    }
    assert {rule["name"]: rule["value"] for rule in answer(said, "rules")["rules"]} == games.load(
        "doudizhu", spring=True
    ).rules.as_dict()


def test_legal_plays(said):
    assert [play["label"] for play in answer(said, "legal")] == ["pass", "55", "SB"]


@pytest.mark.parametrize("name", ["suggest", "by rule"])
def test_suggestions_are_those_of_the_library(said, name):
    asked = dict(CALLS[name][1])
    game, adviser, top = games.load(asked.pop("game")), asked.pop("agent", "champion/doudizhu"), asked.pop("top", 10)
    ranked = agents.suggest(position(game, asked.pop("hand"), **asked), agents.load(adviser, game))
    found = answer(said, name)
    assert found["agent"] == adviser
    assert found["legal"] == len(ranked)
    assert [(one["play"], one["label"]) for one in found["suggestions"]] == [(one.play, one.label) for one in ranked[:top]]
    assert [one["win"] for one in found["suggestions"]] == pytest.approx([one.win for one in ranked[:top]])


def test_a_review_is_that_of_the_library(said):
    record = list(read(MATCH))[1]
    decisions = review(
        with_bids(record), {m: agents.load(name, record.game) for m, name in adviser_names("champion/doudizhu").items()}
    )
    found = answer(said, "review")
    assert [one["made"] for one in found["decisions"]] == [one.made.label for one in decisions]
    assert [one["win"]["grade"] for one in found["decisions"]] == [one.judged["win"].grade for one in decisions]
    assert json.dumps(found)


def test_bad_input_is_a_sentence(said):
    assert error(said, "bad cards") == (
        "Error executing tool legal_plays: cards '33333': more than 4 of 3, which is all there are"
    )
    assert "zsy2 has no rule 'spring'" in error(said, "bad rule")
    assert "no client may run" in error(said, "runs a file")
    assert "record 1, line " in error(said, "bad record")
    assert error(said, "no record").endswith("the text has no record 99")
    assert "top" in error(said, "bad type")


def test_the_solver_answers(said):
    """Seat 0 has 4 5 S against 4 6 K and leads: the joker takes the lead back, and one card is left."""
    found = answer(said, "solve")
    assert (found["objective"], found["seat"], found["value"]) == ("win", 0, 1)
    assert found["line"][0] == found["best"]
    assert (found["line"][-1]["seat"], sum(len(turn["cards"]) for turn in found["line"] if turn["seat"] == 0)) == (0, 3)


def test_without_the_sdk_the_error_names_the_extra():
    program = "import sys; sys.modules['mcp'] = None; sys.argv = ['shangyou', 'mcp']; from shangyou.cli import main; main()"
    failed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert failed.returncode == 2
    assert failed.stderr == "error: shangyou mcp needs the MCP SDK: pip install 'shangyou[mcp]'\n"
