"""One hash per game of everything that happens: fixed deals, fixed choices, all plays and scores, on every engine.

A change of the rules, of the order of plays or of the shuffle changes it; a faster kernel does not. The table in
docs/benchmarks.md holds the hashes of today, and a test compares them.

python bench/signature.py               exit code 1 if two engines differ
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Sequence

import torch

from measuring import Row, option_parser, show
from random_play import devices
from shangyou import games
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine
from shangyou.engines.kernels.layout import TURN
from shangyou.games import Game
from shangyou.games.shuffle import Stream

GAMES: dict[str, Callable[[], Game]] = {
    "zsy2": lambda: games.load("zsy2"),
    "zsy4": lambda: games.load("zsy4"),
    "zsy4 decks=2": lambda: games.load("zsy4", decks=2),
    "doudizhu": lambda: games.load("doudizhu"),
}
DEALS = 200
SEED = 1
DIGITS = 16  # of a sha256 in hexadecimal: plenty to see a change

Turns = list[tuple[int, int]]  # seat and play


def choice(index: int, turn: int, legal: int) -> int:
    """Which of the legal plays is made on a turn of deal number `index`."""
    return Stream(index, turn).below(legal)


def reference_signature(game: Game, deals: int = DEALS) -> str:
    played, scores = [], []
    for index in range(deals):
        state = reference.deal(game, SEED, index)
        while not state.over:
            legal = reference.legal(state)
            state = reference.step(state, int(legal[choice(index, len(state.history), len(legal))]))
        played.append([(turn.seat, turn.play) for turn in state.history])
        scores.append(state.scores)
    return digest(played, scores)


def batch_signature(game: Game, device: str, deals: int = DEALS) -> str:
    engine = BatchEngine(game, device)
    state = engine.deal(deals, SEED)
    played: list[Turns] = [[] for _ in range(deals)]
    while len(state.running):
        legal, running = engine.legal(state), state.running.tolist()
        seats, counts = state.scalars[TURN, state.running].tolist(), legal.counts.tolist()
        chosen = [choice(index, len(played[index]), count) for index, count in zip(running, counts, strict=True)]
        plays = legal.plays[legal.starts[:-1] + torch.tensor(chosen, device=engine.device)]
        for index, seat, play in zip(running, seats, plays.tolist(), strict=True):
            played[index].append((seat, play))
        state = engine.step(state, plays)
    return digest(played, engine.scores(state).tolist())


def digest(played: list[Turns], scores: Sequence[Sequence[int]]) -> str:
    """Of a line for each game: `seat:play seat:play ... = scores`."""
    content = hashlib.sha256()
    for turns, points in zip(played, scores, strict=True):
        told = " ".join(f"{seat}:{play}" for seat, play in turns)
        content.update(f"{told} = {' '.join(map(str, points))}\n".encode())
    return content.hexdigest()[:DIGITS]


def signatures(deals: int) -> list[Row]:
    rows = []
    for name, load in GAMES.items():
        game = load()
        row: Row = {"game": name, "reference": reference_signature(game, deals)}
        rows.append(row | {device: batch_signature(game, device, deals) for device in devices()})
    return rows


def agree(row: Row) -> bool:
    return len(set(row.values()) - {row["game"]}) == 1


def main() -> None:
    parser = option_parser(__doc__)
    parser.add_argument("--deals", type=int, default=DEALS, help="another number gives other hashes")
    arguments: argparse.Namespace = parser.parse_args()
    rows = signatures(arguments.deals)
    show(f"signatures of {arguments.deals} deals", rows, arguments)
    if not all(map(agree, rows)):
        sys.exit("error: the engines differ")


if __name__ == "__main__":
    main()
