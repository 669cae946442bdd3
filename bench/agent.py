"""How long a champion thinks: one decision after another, and many at once. One core, no torch.

python bench/agent.py --decisions 3000 --agent champion/doudizhu:points
python bench/agent.py --agent whole.onnx champion/doudizhu    two models asked in turn about the same positions
"""

from __future__ import annotations

import time
from itertools import islice
from statistics import median

from measuring import Row, option_parser, show
from shangyou import agents, games
from shangyou.agents.models.net_agent import NetAgent
from shangyou.engines import reference
from shangyou.engines.reference import View
from shangyou.evaluation.exported import decisions
from shangyou.games import Game, Rows

Choice = tuple[View, Rows]
TOGETHER = 100


def first_leads(game: Game, count: int) -> list[Choice]:
    """The largest decisions there are: 20 cards in doudizhu."""
    deals = (reference.deal(game, 7, index) for index in range(count))
    return [(reference.view(state), reference.legal(state)) for state in deals]


def milliseconds(agent: NetAgent, choices: list[Choice]) -> list[float]:
    """Of each decision, ascending."""
    times = []
    for view, legal in choices:
        began = time.perf_counter()
        agent.act(view, legal)
        times.append(1e3 * (time.perf_counter() - began))
    return sorted(times)


def together(players: list[NetAgent], choices: list[Choice]) -> list[float]:
    """Milliseconds for a hundred decisions asked for at once, the median. Players take turns: all meet the slow moments."""
    times: list[list[float]] = [[] for _ in players]
    for start in range(0, len(choices) - TOGETHER + 1, TOGETHER):
        views, legals = zip(*choices[start : start + TOGETHER], strict=True)
        for player, found in zip(players, times, strict=True):
            began = time.perf_counter()
            player.act_many(views, legals)
            found.append(1e3 * (time.perf_counter() - began))
    return [median(found) for found in times]


def measure(players: list[NetAgent], kind: str, choices: list[Choice]) -> list[Row]:
    rows = []
    for player, at_once in zip(players, together(players, choices), strict=True):
        times = milliseconds(player, choices)
        rows.append(
            {
                "agent": player.name,
                "decisions": kind,
                "number": len(choices),
                "plays each": sum(len(legal) for _, legal in choices) / len(choices),
                "ms, median": median(times),
                "ms, 99%": times[int(0.99 * len(times))],
                "ms, longest": times[-1],
                "ms, 100 at once": at_once,
            }
        )
    return rows


def main() -> None:
    parser = option_parser(__doc__)
    parser.add_argument("--agent", nargs="+", default=[f"champion/{name}" for name in games.names()])
    parser.add_argument("--decisions", type=int, default=2000)
    options = parser.parse_args()
    of_game: dict[str, list[NetAgent]] = {}
    for name in options.agent:
        player = agents.load(name)
        assert isinstance(player, NetAgent)
        of_game.setdefault(player.model.info.game, []).append(player)
    rows = []
    for name, players in of_game.items():
        game = games.load(name)
        for player in players:
            player.act(*next(decisions(game, player, 0)))  # the first call of all is slower
        rows += measure(players, "with a choice", list(islice(decisions(game, players[0], 3), options.decisions)))
        rows += measure(players, "first lead", first_leads(game, options.decisions // 4))
    show("A decision on one core", rows, options)


if __name__ == "__main__":
    main()
