"""A bot for an arena. It takes every challenge and plays as many cards as it can: pip install websockets, then

SHANGYOU_BOT_TOKEN=sybot_... python bot.py http://127.0.0.1:8000

with the token that the arena shows once, at #/bots in the browser.
"""

import asyncio
import json
import os
import sys

from websockets.asyncio.client import connect

ROOT = sys.argv[1].replace("http", "ws", 1) + "/api/v1/"
HEADERS = {"Authorization": "Bearer " + os.environ["SHANGYOU_BOT_TOKEN"]}
GAMES = [{"game": "zsy2"}, {"game": "zsy4"}, {"game": "doudizhu"}]  # under any rules


def choose(state):
    if state["bids"]:
        return {"kind": "bid", "version": state["version"], "points": max(state["bids"]) if "B" in state["hand"] else 0}
    longest = max(state["legal"], key=lambda play: len(play["cards"]))
    return {"kind": "play", "version": state["version"], "play": longest["play"]}


async def play(table):
    async with connect(f"{ROOT}tables/{table}/live", additional_headers=HEADERS) as socket:
        async for text in socket:
            state = json.loads(text)
            if state["kind"] == "state" and (state["legal"] or state["bids"]):
                await socket.send(json.dumps(choose(state)))
            elif state["kind"] == "state" and state["status"] in ("over", "left"):
                print(f"table {table} is {state['status']}: seat {state['seat']}, {state['result']}", flush=True)
                return


async def main():
    tables = []
    async with connect(ROOT + "bots/stream", additional_headers=HEADERS) as socket:
        await socket.send(json.dumps({"kind": "declare", "games": GAMES}))
        async for text in socket:
            message = json.loads(text)
            if message["kind"] == "challenge":
                await socket.send(json.dumps({"kind": "accept", "challenge": message["challenge"]}))
            elif message["kind"] == "table":
                tables.append(asyncio.create_task(play(message["table"])))
            else:
                print(message, flush=True)


asyncio.run(main())
