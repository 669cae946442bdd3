"""The games as tools of the Model Context Protocol, for language models and whatever else speaks it: `shangyou mcp`.

A tool is a function below; its name, arguments and docstring are what a client sees. docs/mcp.md lists them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from itertools import islice
from threading import Lock
from typing import Annotated, Any, ParamSpec, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from shangyou import __version__, agents
from shangyou.agents.own import runs_a_file
from shangyou.cli import describe
from shangyou.engines.open_position import open_position
from shangyou.engines.position import position
from shangyou.games import BadInput, Game, load, load_text, names
from shangyou.records import BadRecord, Record, read_bytes

P = ParamSpec("P")
R = TypeVar("R")

SOLVING = Lock()  # it answers one question at a time, and tools run in threads

INSTRUCTIONS = """Chinese climbing card games: zsy2 and zsy4 (ZhengShangYou for two and four), doudizhu (Dou Dizhu).
Cards are 3 4 5 6 7 8 9 T J Q K A 2 S B, low to high (T ten, S small joker, B big joker): a hand is written 3344TB; in zsy4,
where suits matter, 3s4h. Seats count from whoever asks: 0 is me, 1 acts next."""

GameName = Annotated[str, Field(description="zsy2, zsy4 or doudizhu")]
RulesText = Annotated[str, Field(description='rules that differ from the defaults: "spring=true base=3"; `rules` lists them')]
RecordText = Annotated[str, Field(description="a game record: our text form or a line of JSON Lines")]
Number = Annotated[int, Field(ge=1, description="which record of the text, from 1")]
AgentName = Annotated[str, Field(description="who ranks the plays; left out: the strongest agent of the game")]
Json = dict[str, Any]


def make_server() -> MCPServer:
    """All tools; whoever calls `run` says over which transport."""
    server = MCPServer("shangyou", instructions=INSTRUCTIONS, version=__version__)
    offered: list[Callable[..., Any]] = [games, rules, legal_plays, suggest, review, solve]
    for tool in offered:
        server.add_tool(_said_plainly(tool))
    return server


def _said_plainly(tool: Callable[P, R]) -> Callable[P, R]:
    """With bad input as an error that the client is shown; other errors are not shown."""

    @wraps(tool)
    def answer(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return tool(*args, **kwargs)
        except BadInput as error:
            raise ToolError(str(error)) from error

    return answer


def games() -> list[Json]:
    """The games: seats, number of plays, patterns with their number of plays, default rules."""
    return [describe.describe_game(load(name)) for name in names()]


def rules(game: GameName, rules: RulesText = "") -> Json:
    """A game under given rules, and every rule that can be chosen: what it means and what it may be."""
    loaded = load_text(game, rules)
    return describe.describe_game(loaded) | {"rules": describe.describe_rules(loaded)}


def legal_plays(
    game: GameName,
    hand: Annotated[str, Field(description="the cards of the hand, e.g. 33445TJQKA2SB")],
    last: Annotated[str, Field(description="the play to beat; left out: the hand leads")] = "",
    rules: RulesText = "",
) -> list[Json]:
    """Every legal play of a hand, with its pattern and cards."""
    return describe.legal_plays(load_text(game, rules), hand, last)


def suggest(
    game: GameName,
    hand: Annotated[str, Field(description="my cards, e.g. 3 4 5 66 TT J QQ K A 2 B")],
    played: Annotated[
        list[str] | None, Field(description="cards each seat has put down, mine first; left out: nobody has played")
    ] = None,
    last: Annotated[str, Field(description="the play to beat; left out: I lead")] = "",
    last_by: Annotated[int | None, Field(description="the seat that made it; left out: the one before me")] = None,
    left: Annotated[
        list[int] | None, Field(description="cards each other seat still holds, the next first; needed in zsy4")
    ] = None,
    role: Annotated[str, Field(description="doudizhu: landlord, after (the landlord) or before")] = "",
    public: Annotated[str, Field(description="doudizhu: the three public cards")] = "",
    history: Annotated[
        str, Field(description='all turns so far, e.g. "334455 pass pass 66"; played, last and left then follow')
    ] = "",
    first: Annotated[int | None, Field(description="the seat that began; only where an error asks for it")] = None,
    agent: AgentName = "",
    top: Annotated[int, Field(ge=1, description="how many plays to list")] = 10,
    rules: RulesText = "",
) -> Json:
    """What now? The legal plays of a position, best first, with the chance to win and the points to expect."""
    loaded = load_text(game, rules)
    seen = position(
        loaded, hand, played=played or (), last=last, last_by=last_by, left=left or (), role=role, public=public,
        history=history, first=first,
    )  # fmt: skip
    found, legal = describe.suggestions(seen, agents.load(_adviser(agent, loaded), loaded), top)
    return found | {"legal": legal}


def review(record: RecordText, number: Number = 1, agent: AgentName = "") -> Json:
    """A game against an adviser: what every play and bid cost, how bad that was and why, and how much was luck."""
    found = _record(record, number)
    return describe.describe_review(found, _adviser(agent, found.game))[0]


def _adviser(agent: str, game: Game) -> str:
    if runs_a_file(agent):
        raise BadInput(f"agent {agent!r} is code in a Python file, which no client may run")
    return agent or agents.strongest(game)


def solve(
    game: GameName,
    hands: Annotated[list[str], Field(description='all hands, seat 0 first, e.g. ["3 55 8", "9 TT"]; empty: out of cards')],
    turn: Annotated[int, Field(description="the seat to act")] = 0,
    last: Annotated[str, Field(description="the play to beat; left out: the seat to act leads")] = "",
    last_by: Annotated[int | None, Field(description="the seat that made it; left out: the one before the seat to act")] = None,
    landlord: Annotated[int | None, Field(description="doudizhu: the landlord's seat; left out: 0")] = None,
    objective: Annotated[str, Field(description="win, points or place; left out: what the game is played for")] = "",
    nodes: Annotated[int, Field(ge=1, description="positions to search before the answer is unknown")] = 1_000_000,
    rules: RulesText = "",
) -> Json:
    """What the seat to act can force when all hands are known, the play that forces it, and the line of best play."""
    loaded = load_text(game, rules)
    state = open_position(loaded, hands, turn=turn, last=last, last_by=last_by, landlord=landlord)
    with SOLVING:
        return describe.describe_solution(state, objective, nodes)


def _record(text: str, number: int) -> Record:
    found = next(islice(read_bytes(text.encode()), number - 1, None), None)
    if found is None:
        raise BadInput(f"the text has no record {number}")
    if isinstance(found, BadRecord):
        raise BadInput(f"record {number}, line {found.line}: {found}")
    return found
