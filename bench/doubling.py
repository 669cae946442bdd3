"""What the default rule of doubling gains against never doubling: points a game, both playing alike, in duplicate.

python bench/doubling.py --deals 2000 --agents champion/doudizhu rule greedy
"""

from __future__ import annotations

import argparse
from functools import partial

from shangyou import agents, games
from shangyou.agents import Agent
from shangyou.evaluation.backends import Contestant
from shangyou.evaluation.intervals import RunningMean
from shangyou.evaluation.match import evaluate
from shangyou.games import Game


def make(name: str, doubles: bool, game: Game) -> Agent:
    agent = agents.load(name, game)
    if not doubles:
        agent.double = lambda view: False  # type: ignore[method-assign]
    return agent


def gain(game: Game, name: str, deals: int, seed: int) -> RunningMean:
    rivals = [Contestant(f"doubles {doubles}", partial(make, name, doubles)) for doubles in (True, False)]
    return evaluate(game, *rivals, deals=deals, seed=seed).total.points


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=77)
    parser.add_argument("--agents", nargs="+", default=["champion/doudizhu", "rule", "greedy"])
    arguments = parser.parse_args()
    for rules in ("doubling=true", "bidding=true doubling=true"):
        for name in arguments.agents:
            points = gain(games.load_text("doudizhu", rules), name, arguments.deals, arguments.seed)
            print(f"{rules:<26}  {name:<20}  {points.mean:+.3f} +- {points.half_width:.3f} points a game", flush=True)


if __name__ == "__main__":
    main()
