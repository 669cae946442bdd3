"""`shangyou bot`: an agent of this package as a bot at somebody's arena."""

import asyncio
import contextlib
import json as json_text
import signal
from typing import Annotated, Any

import typer
from rich.markup import escape

from shangyou import games
from shangyou.cli.options import AsJson, complete_agent, complete_game, console

LINES = {
    "connected": "connected as {name} (bot {bot}); waiting for challenges, Ctrl-C ends",
    "lost": "{why}; trying again",
    "challenge": "{by} challenges: {game}",
    "over": "{game}: {outcome}, {score:+} points, replay {replay}",
    "left": "{game}: the game was given up",
    "error": "table {table}: {error}",
    "stopping": "no more challenges; {tables} games to finish, Ctrl-C again leaves them",
}


def run_bot(
    agent: Annotated[
        str,
        typer.Option(help="Who plays: any agent or model, see shangyou agents.", autocompletion=complete_agent),
    ],
    arena: Annotated[str, typer.Option(metavar="URL", help="Address of the arena: http://127.0.0.1:8000.")],
    token: Annotated[
        str, typer.Option(envvar="SHANGYOU_BOT_TOKEN", help="The bot's token; better in the variable, which nobody else sees.")
    ] = "",
    game: Annotated[
        list[str] | None,
        typer.Option(
            help="Take challenges to this game only; may be given several times; default: all the agent plays.",
            autocompletion=complete_game,
        ),
    ] = None,
    rules: Annotated[
        str | None, typer.Option(help='Take challenges under these rules only, "" for the defaults; default: any.')
    ] = None,
    tables: Annotated[int, typer.Option(min=1, max=30, help="Tables at once, at most.")] = 4,
    json: AsJson = False,
) -> None:
    """Seat an agent at a remote arena: it takes challenges and plays until Ctrl-C. The arena gives the token (docs/bots.md)."""
    from shangyou.client.bot import Bot
    from shangyou.client.connection import Arena
    from shangyou.client.player import Player

    def report(event: dict[str, Any]) -> None:
        if json:
            print(json_text.dumps(event, ensure_ascii=False), flush=True)
        else:
            console.print(escape(_line(event)), soft_wrap=True)

    where = Arena(arena, token, lambda why: report({"event": "lost", "why": why}))
    player = Player(agent)
    offers = [{"game": name, "rules": None if rules is None else [rules]} for name in game or player.games()]
    for offer in offers:
        player.load(str(offer["game"]), rules or "")
    asyncio.run(_run(Bot(player, where, offers, tables, report)))


async def _run(bot: Any) -> None:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError):  # Windows: Ctrl-C ends at once
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, bot.stop)
    await bot.run()


def _line(event: dict[str, Any]) -> str:
    words = dict(event)
    if "rules" in words:
        changes = games.load_text(words["game"], words["rules"]).rules.changes()
        words["game"] = " ".join([words["game"], *(f"{name}={str(value).lower()}" for name, value in changes.items())])
    words["outcome"] = "won" if words.get("won") else "lost"
    line = LINES[event["event"]].format(**words)
    return f"{line}; declined: {event['declined']}" if event.get("declined") else line
