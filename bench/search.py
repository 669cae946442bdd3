"""How fast search is on this machine, how long it thinks, and what it wins, against the same agent without it.

python bench/search.py playouts                          # decisions and playouts a second of a core, worlds weighed
python bench/search.py latency --deals 50 --think 1s     # the time of every answer, in games against the champion
python bench/search.py endgames --deals 400 --think 500p  # plays that keep a win that is forced, with and without the solver
python bench/search.py match --device cuda --deals 4000  # by the champion itself, every game and weighted worlds
python bench/search.py match --device cuda --deals 4000 --small   # by the small net; --even for even worlds
"""

from __future__ import annotations

import time
from collections import deque
from typing import Any

import numpy as np
from rich.console import Console

from measuring import option_parser, show
from shangyou import agents, games
from shangyou.agents.play import Decision, play
from shangyou.agents.searching import SearchAgent
from shangyou.agents.seating import seatings
from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.evaluation.intervals import RunningMean
from shangyou.games import BadInput, Game
from shangyou.search import solver
from shangyou.search.endgames import LARGEST_HAND

TURNS = (4, 12, 24)  # of the positions that playouts start from


def playouts(game: Game, worlds: int, threads: int) -> list[dict[str, Any]]:
    from shangyou.search.beliefs import even_worlds
    from shangyou.search.playout import PlayoutPlayer

    player, rng, rows = PlayoutPlayer(game, threads=threads), np.random.default_rng(1), []
    player.warm()
    for turns in TURNS:
        state = reference.deal(game, 3)
        for _ in range(turns):
            state = reference.step(state, int(rng.choice(reference.legal(state))))
        view, legal = reference.view(state), reference.legal(state)
        hands, player.decisions = even_worlds(view, worlds, rng), 0
        began, cpu = time.perf_counter(), time.process_time()
        won = player.win(view, hands, legal[:4])
        wall, cpu, weighing = time.perf_counter() - began, time.process_time() - cpu, time.process_time()
        player.log_weights(view, hands)
        rows.append(
            {
                "game": game.name, "threads": threads, "after turns": turns, "playouts/s": won.size / wall,
                "decisions/s": player.decisions / wall, "decisions/s of CPU time": player.decisions / cpu,
                "ms to weigh 1,000 worlds": (time.process_time() - weighing) / worlds * 1e6,
            }
        )  # fmt: skip
    return rows


def latency(game: Game, deals: int, think: str) -> list[dict[str, Any]]:
    """Games of the thinking agent in one seat against its base in the others, a deal each."""
    base = agents.load(f"champion/{game.name}", game)
    agent, times, tried = SearchAgent(base, game, think), list[float](), list[int]()
    for index in range(deals):
        state = reference.deal(game, 91, index)
        while not state.over:
            view, legal = reference.view(state), reference.legal(state)
            began = time.perf_counter()
            thinks = state.turn == index % game.seats and len(legal) > 1
            if thoughts := deque(agent.think(view, legal) if thinks else (), maxlen=1):
                thought, found = thoughts[0]
                row = int(legal[found.value.argmax()])
                times.append(time.perf_counter() - began)
                tried.append(thought.playouts)
            else:
                row = int(legal[0]) if len(legal) == 1 else base.act(view, legal)
            state = reference.step(state, row)
    median, high = np.quantile(times, [0.5, 0.99])
    row = {"game": game.name, "think": think, "deals": deals, "answers": len(times), "median s": float(median)}
    return [row | {"99% s": float(high), "longest s": max(times), "playouts, median": float(np.median(tried))}]


def endgames(game: Game, deals: int, think: str) -> list[dict[str, Any]]:
    """Decisions of champion games with small hands in which some plays keep a forced win and others do not: who keeps it."""
    champion = agents.load(f"champion/{game.name}", game)
    finders = {"champion": champion} | {
        f"search@{think}, {'solver' if exact else 'playouts'}": SearchAgent(champion, game, think, exact=exact)
        for exact in (False, True)
    }
    kept: dict[str, list[bool]] = {name: [] for name in finders}
    seconds = dict.fromkeys(finders, 0.0)

    def ask(decision: Decision) -> None:
        state = decision.state
        if len(decision.legal) == 1 or max(map(game.deck.size, state.hands)) > LARGEST_HAND:
            return
        keeps = {row: _wins(state, row) for row in decision.legal.tolist()}
        if set(keeps.values()) != {True, False}:  # unknown, too, would not be fair
            return
        view = reference.view(state)
        for name, agent in finders.items():
            began = time.perf_counter()
            kept[name].append(bool(keeps[agent.act(view, decision.legal)]))
            seconds[name] += time.perf_counter() - began

    play(game, [champion] * game.seats, None, [reference.deal(game, 92, index) for index in range(deals)], ask)
    base = np.array(kept["champion"])
    return [
        {
            "game": game.name, "agent": name, "games": deals, "decisions": len(base), "kept": np.mean(found),
            "more than the champion": _interval(np.array(found) * 1.0 - base), "ms": 1000 * seconds[name] / len(base),
        }
        for name, found in kept.items()
    ]  # fmt: skip


def _interval(values: Any) -> str:
    mean = RunningMean.of(values)
    return f"{mean.mean:+.4f} ± {mean.half_width:.4f}"


def _wins(state: State, row: int) -> bool | None:
    """Whether the side of the seat to act wins by force after a play, all hands known."""
    after = reference.step(state, row)
    return state.turn in after.winners if after.over else solver.Search(state, "win", 1 << 18).reaches(after, 1)


def match(game: Game, deals: int, device: str, small: bool, settings: dict[str, Any], at_once: int) -> list[dict[str, Any]]:
    import torch

    from shangyou.agents.batch import load_batch
    from shangyou.agents.batch.searching import Search, Searcher, play_with_search
    from shangyou.engines.batch import BatchEngine

    engine = BatchEngine(game, device)
    agent = load_batch(f"champion/{game.name}", game, device=device)
    player = small_player(game, device) if small else agent
    search, won, began = Search(**settings), RunningMean(), time.perf_counter()
    seated = [torch.tensor(seating, device=engine.device) for seating in seatings(game)]
    with Console(stderr=True).status("") as status:
        for first in range(0, deals, at_once):
            number, shares = min(at_once, deals - first), []
            for mine in seated:
                searcher = Searcher(engine, agent, player, search, seed=first)
                played = play_with_search(engine, searcher, mine.expand(number, -1), engine.deal(number, 777, first))
                shares.append((played.won & mine).sum(1).double() / mine.sum())
            won.add(torch.stack(shares).mean(0).cpu().numpy())
            status.update(f"{game.name}: {won.count} deals, {won.mean:.4f} ± {won.half_width:.4f}")
    row = {"game": game.name, "player": "small net" if small else "champion", **settings, "deals": won.count}
    return [row | {"won": f"{won.mean:.4f} ± {won.half_width:.4f}", "seconds": time.perf_counter() - began}]


def small_player(game: Game, device: str) -> Any:
    """The small net of playouts on a device."""
    import torch

    from shangyou.agents.batch.value_net import TorchNetAgent
    from shangyou.nets.value_net import Size, ValueNet
    from shangyou.search.playout_net import find_playout_net

    path = find_playout_net(game)
    if path is None:
        raise BadInput(f"there is no small net of {game.name}")
    with np.load(path) as stored:
        weights = {name: torch.as_tensor(stored[name].astype(np.float32)) for name in stored.files if "." in name}
    trunk, head = weights["look.bias"].shape[0], weights["to_head.bias"].shape[0]
    net = ValueNet(game, Size(trunk, sum(n.startswith("trunk.") for n in weights) // 2, head, head_depth=0, turns=0))
    net.load_state_dict(weights)
    return TorchNetAgent(game, net.to(device), name="small net")


def main() -> None:
    parser = option_parser(__doc__)
    parser.add_argument("what", choices=["playouts", "latency", "endgames", "match"])
    parser.add_argument("--games", nargs="+", default=["doudizhu"])
    parser.add_argument("--deals", type=int, default=50)
    parser.add_argument("--think", default="1s")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--small", action="store_true", help="the small net plays games out and weighs worlds")
    parser.add_argument("--even", action="store_true", help="worlds are not weighed")
    parser.add_argument("--candidates", type=int, default=6)
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--weighed", type=int, default=1024)
    parser.add_argument("--n0", type=float, default=256.0)
    parser.add_argument("--temperature", type=float, default=0.02)
    parser.add_argument("--at-once", type=int, default=1024, help="deals played together")
    arguments = parser.parse_args()
    rows = list[dict[str, Any]]()
    for name in arguments.games:
        game = games.load(name)
        if arguments.what == "playouts":
            rows += [row for threads in arguments.threads for row in playouts(game, 1024, threads)]
        elif arguments.what == "latency":
            rows += latency(game, arguments.deals, arguments.think)
        elif arguments.what == "endgames":
            rows += endgames(game, arguments.deals, arguments.think)
        else:
            settings = {name: getattr(arguments, name) for name in ("candidates", "worlds", "n0", "temperature")}
            settings["weighed"] = 0 if arguments.even else arguments.weighed
            rows += match(game, arguments.deals, arguments.device, arguments.small, settings, arguments.at_once)
    show(f"search: {arguments.what}", rows, arguments)


if __name__ == "__main__":
    main()
