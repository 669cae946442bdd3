"""What is measured of the rows: against greedy and champions, against each other, and beside the base."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf, isfinite, sqrt
from statistics import mean

import torch

from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.agents.batch.play import play
from shangyou.evaluation.batch_backend import BatchBackend
from shangyou.evaluation.duplicate import Matchup, PlayedDeals, play_deals, play_matchups
from shangyou.evaluation.intervals import Z95, student_half_width
from shangyou.lab.experiments.ddqn_pool.rows import BASE, SCALES, Trained, stage_name
from shangyou.lab.stages import Context

CHAMPION = "champion/zsy4"
Results = Mapping[str, Sequence[dict[str, float]]]
"""By row, of each seed."""
Duels = list[list[dict[str, float]]]
"""Of every row alone against three of every other; nothing of a row against itself."""


def results_of(played: PlayedDeals) -> dict[str, float]:
    """Of A, who is alone in every game: the share of games it was first out in, its mean place and points."""
    mine = played.places[:, played.mine]
    return {"first": float(played.win.mean()), "place": float(mine.mean()), "points": float(played.points.mean())}


def plays_a_game(ctx: Context, agents: Sequence[BatchAgent], deals: int, seed: int) -> float:
    """How often the first of the agents puts cards down: many plays are small ones. It has each seat in turn."""
    number = torch.arange(deals, device=ctx.device)
    seats = torch.ones(deals, 4, dtype=torch.long, device=ctx.device)
    seats[number, number % 4] = 0
    played = play(ctx.engine, agents, seats, ctx.engine.deal(deals, seed))
    return float(played.puts[number, number % 4].float().mean())


def measure(trained: Trained, against: str, deals: int) -> dict[str, float]:
    """Of a row against three of the same opponent, on deals of its seed."""
    ctx = trained.ctx
    deal_seed = ctx.deal_seed(17, trained.seed)

    def work() -> dict[str, float]:
        backend = BatchBackend(ctx.engine, [trained.agent, load_batch(against, ctx.game, device=ctx.device)], deal_seed)
        plays = {} if against == CHAMPION else {"plays": plays_a_game(ctx, backend.agents, deals, deal_seed)}
        return results_of(play_deals(backend, range(deals))) | plays

    return trained.measured(f"against {against}", {"deals": deals, "seed": deal_seed}, work)  # type: ignore[no-any-return]


def measure_all(trained: Trained) -> None:
    """Everything that needs the net of a row but duels. Rows depend on nothing but the base of their seed."""
    scale = SCALES[trained.ctx.scale]
    assert trained.curve
    measure(trained, "greedy", scale.deals)
    if trained.ctx.game.deck.packs == 1:
        measure(trained, CHAMPION, scale.champion_deals)


def duels(ctx: Context, rows: Mapping[str, Sequence[Trained]], seed: int) -> Duels:
    """Among the nets of a seed."""
    deals, count = SCALES[ctx.scale].duel_deals, len(rows)

    def work() -> Duels:
        agents = [row[seed].agent for row in rows.values()]
        pairs, backend = list(product(range(count), repeat=2)), BatchBackend(ctx.engine, agents, ctx.deal_seed(18, seed))
        played = play_matchups(backend, [Matchup(a, b, range(deals if a != b else 0)) for a, b in pairs])
        found = [results_of(part) if len(part) else {} for part in played]
        return [found[i * count : (i + 1) * count] for i in range(count)]

    return ctx.stage(stage_name(ctx, "duels", seed), {"rows": list(rows), "deals": deals}, work)


@dataclass(frozen=True)
class Comparison:
    """A row less the base with the same seed, in the share first out."""

    mean: float
    over_seeds: float  # half of Student's interval over the seeds; infinite with one seed
    over_games: float  # half of the interval for games of other deals

    @property
    def half_width(self) -> float:
        """The wider of the two: three seeds may agree by chance."""
        return max(self.over_seeds, self.over_games)

    @property
    def interval(self) -> tuple[float, float]:
        """To be drawn; with one seed, of the games."""
        width = self.half_width if isfinite(self.half_width) else self.over_games
        return self.mean - width, self.mean + width

    @property
    def verdict(self) -> str:
        return "undecided" if abs(self.mean) <= self.half_width else "better" if self.mean > 0 else "worse"

    def __str__(self) -> str:
        return f"{self.mean:+.3f}" + (f" ± {self.half_width:.3f}" if isfinite(self.half_width) else "")


def compared(results: Results, row: str, games: int) -> Comparison:
    """`games` are those of one seed. Row and base play the same deals; that their games are taken to be independent makes the
    interval of the games too wide rather than too narrow."""
    mine, base = ([one["first"] for one in results[name]] for name in (row, BASE))
    gains = [a - b for a, b in zip(mine, base, strict=True)]
    variance = sum(share * (1 - share) for share in (mean(mine), mean(base))) / (games * len(gains))
    return Comparison(mean(gains), student_half_width(gains) if len(gains) > 1 else inf, Z95 * sqrt(variance))
