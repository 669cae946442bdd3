"""What weighing worlds by the past is worth: log w(true hands) - log mean w(even worlds), in nats, by cards hidden.

    python bench/beliefs.py --games doudizhu zsy2 zsy4 --deals 40 --worlds 128 --plot docs/images/beliefs.svg

Games are played by the champion. The temperature is fitted on other deals than it is measured on. 0 is what even worlds have;
the mean over few worlds is too low where weights differ much, so that the gain is overstated: the more worlds, the less.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from measuring import option_parser, show
from shangyou import agents, games
from shangyou.agents.models.hands import HandModel, log_likelihood
from shangyou.agents.models.model_files import champion_hands
from shangyou.agents.models.net_agent import NetAgent
from shangyou.engines import reference
from shangyou.engines.reference import View
from shangyou.evaluation.intervals import ClusteredMean
from shangyou.games import Game
from shangyou.search.beliefs import PolicyJudge, even_worlds, log_prior
from shangyou.search.playout import PlayoutPlayer
from shangyou.search.playout_net import find_playout_net

FIT_SEED, SEED = 70_001, 70_002
TEMPERATURES = (0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2)
FITTED = ("champion", "small net")
BINS = ((1, 3), (4, 7), (8, 12), (13, 20), (21, 30), (31, 42))  # cards in the other hands

LogWeights = Callable[[View, Any], Any]
"""[T, D] log weights of hands [D, S, W], for each temperature that is tried."""


def positions(game: Game, seed: int, deals: int, each: int, rng: np.random.Generator) -> Iterator[tuple[int, View, Any]]:
    """Decisions with a choice in the champion's games, after another seat has played: the deal, the view, the true hands."""
    agent = agents.load(f"champion/{game.name}", game)
    for index in range(deals):
        state, found = reference.deal(game, seed, index), list[reference.State]()
        while not state.over:
            legal = reference.legal(state)
            if len(legal) > 1 and any(turn.seat != state.turn for turn in state.history):
                found.append(state)
            state = reference.step(state, agent.act(reference.view(state), legal) if len(legal) > 1 else int(legal[0]))
        for place in rng.permutation(len(found))[:each]:
            at = found[place]
            seats = [(at.turn + i) % game.seats for i in range(game.seats)]
            yield index, reference.view(at), np.array([[game.deck.words(at.hands[seat]) for seat in seats]])


def judges(game: Game, temperatures: Sequence[float], without_champion: bool) -> dict[str, LogWeights]:
    """Ways to weigh worlds."""
    champion = agents.load(f"champion/{game.name}", game)
    assert isinstance(champion, NetAgent)
    policy = PolicyJudge(lambda views, legals: [one.value for one in champion.estimate_many(views, legals)], 0.0)

    def by_policy(view: View, hands: Any) -> Any:
        return log_prior(view, hands) + policy.log_likelihood(view, hands, temperatures)

    found: dict[str, LogWeights] = {} if without_champion else {"champion": by_policy}
    if find_playout_net(game):
        player = PlayoutPlayer(game)

        def by_small_net(view: View, hands: Any) -> Any:
            likelihoods = list[Any]()
            for player.temperature in temperatures:
                likelihoods.append(player.log_likelihood(view, hands))
            return log_prior(view, hands) + np.array(likelihoods)

        found["small net"] = by_small_net
    if game.name == "doudizhu":
        model = HandModel(champion_hands(game.name))
        found["net of hands"] = lambda view, hands: np.tile(
            log_likelihood(view, hands, model) - log_likelihood(view, hands, None), (len(temperatures), 1)
        )
    return found


def gains(
    game: Game, seed: int, deals: int, each: int, worlds: int, judge: LogWeights, status: Callable[[str], None]
) -> tuple[Any, Any, Any]:
    """The deal [n], cards hidden [n] and gain [T, n] of n positions."""
    rng, rows = np.random.default_rng(seed), list[tuple[int, int, Any]]()
    for index, view, true in positions(game, seed, deals, each, rng):
        hands = np.concatenate([true, even_worlds(view, worlds, rng)])
        weights = judge(view, hands)
        most = weights.max(1, keepdims=True)
        mean = np.log(np.exp(weights[:, 1:] - most).mean(1) + 1e-300) + most[:, 0]
        rows.append((index, sum(view.left[1:]), weights[:, 0] - mean))
        status(f"{game.name}: {len(rows)} positions")
    deal, hidden, gain = zip(*rows, strict=True)
    return np.array(deal), np.array(hidden), np.array(gain).T


def main() -> None:
    parser = option_parser(__doc__)
    parser.add_argument("--games", nargs="+", default=games.names())
    parser.add_argument("--deals", type=int, default=40)
    parser.add_argument("--each", type=int, default=4, help="positions of a deal")
    parser.add_argument("--worlds", type=int, default=128)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--without-champion", action="store_true", help="it takes most of the time")
    arguments = parser.parse_args()
    rows, lines = list[dict[str, Any]](), dict[str, list[tuple[float, ClusteredMean]]]()
    with Console(stderr=True).status("") as status:
        for name in arguments.games:
            game, size = games.load(name), (arguments.deals, arguments.each, arguments.worlds)
            for who, tried in judges(game, TEMPERATURES, arguments.without_champion).items():
                fitted = who in FITTED
                _, _, fit = gains(game, FIT_SEED, *size, tried, status.update) if fitted else (0, 0, np.zeros((1, 1)))
                temperature = TEMPERATURES[int(fit.mean(1).argmax())]
                judge = judges(game, [temperature], arguments.without_champion)[who]
                began = time.perf_counter()
                deal, hidden, (gain,) = gains(game, SEED, *size, judge, status.update)
                parts = {f"{low} to {high}": (hidden >= low) & (hidden <= high) for low, high in BINS}
                parts["all"] = hidden > 0
                for label, here in parts.items():
                    if len(set(deal[here].tolist())) < 2:
                        continue
                    mean = ClusteredMean()
                    mean.add(gain[here], deal[here])
                    if label != "all":
                        lines.setdefault(f"{name}, {who}", []).append((float(hidden[here].mean()), mean))
                    rows.append(
                        {
                            "game": name, "weighed by": who, "T": f"{temperature:g}" if fitted else "",
                            "cards hidden": label, "positions": int(here.sum()),
                            "nats": f"{mean.mean:+.2f} ± {mean.half_width:.2f}", "seconds": time.perf_counter() - began,
                        }
                    )  # fmt: skip
                    show_so_far(rows[-1])
    show(f"beliefs, {arguments.worlds} even worlds, {arguments.deals} deals a game", rows, arguments)
    if arguments.plot:
        plot(lines, arguments.plot)


def show_so_far(row: dict[str, Any]) -> None:
    Console(stderr=True).print("  ".join(map(str, row.values())))


def plot(lines: dict[str, list[tuple[float, ClusteredMean]]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    axes = figure.subplots()
    for (label, points), marker in zip(lines.items(), "os^Dv", strict=False):
        x, means = zip(*points, strict=True)
        axes.errorbar(x, [m.mean for m in means], yerr=[m.half_width for m in means], marker=marker, markersize=4, label=label)
    axes.axhline(0, color="grey", linewidth=1)
    axes.set_xlabel("cards in the other hands")
    axes.set_ylabel("log w(true hands) - log mean w(even)")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
