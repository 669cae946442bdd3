"""Many nets on one buffer of games: all learn from the same batches, then all play each other to fill the buffer anew.

    population = Population(engine, specs, recipes, args, statics)
    for report in population.run():
        print(report)

The round robin (Experiment 2) and the battle royale (Experiment 5) of Battle Royale Exploration differ in who is paired with
whom, in how much is explored, and in whether the weak are removed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations_with_replacement, product
from math import ceil, sqrt
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.agents.batch.ensemble import EnsembleAgent, Style
from shangyou.agents.batch.play import Played, play
from shangyou.engines.batch import BatchEngine
from shangyou.evaluation.batch_backend import BatchBackend
from shangyou.evaluation.duplicate import Matchup, play_matchups
from shangyou.games import BadInput
from shangyou.nets.papers import EXPERIMENT_1, EXPERIMENT_2, EXPERIMENT_5, Ensemble, NetSpec
from shangyou.training.algorithm import OPPONENTS, Algorithm, BaseArgs, Run
from shangyou.training.game_buffer import DistillationBuffer, GameBuffer
from shangyou.training.learner import Learner, Recipe, drawn_batches

PAIRINGS = ("all", "drawn")
SETS = 500  # of games between two random nets
RATED_SHARE = 10  # where nets do not fill the buffer themselves, they play one in so many games to be rated


@dataclass(frozen=True)
class PopulationArgs:
    epochs: int = 25
    batches: int = 500  # an epoch
    batch: int = 4096
    games: int = 50_000  # simulated after each epoch
    first_games: int = 100_000  # by random players, before the first
    most_games: int = 250_000  # stored
    pairing: str = "all"  # every two nets and each with itself; or random ones, the stronger the likelier
    removal: bool = True  # whether the weak are removed, and exploration grows as they are
    ties: str = "first"
    simulate_with: int = 0  # if not 0, all games are played by the least value of the best so many nets
    with_statics: float = 0.0  # share of the games in which one side is a static agent
    cooling: int = 0  # last epochs, in which the learning rate falls step by step
    test_deals: int = 100  # against each static agent after each epoch, from both sides
    seed: int = 0

    def __post_init__(self) -> None:
        if self.pairing not in PAIRINGS:
            raise BadInput(f"pairing {self.pairing!r}: there are {' and '.join(PAIRINGS)}")
        if not 0 <= self.with_statics <= 1:
            raise BadInput(f"with_statics {self.with_statics}: a share of the games is between 0 and 1")
        if not 0 <= self.cooling < self.epochs:
            raise BadInput(f"cooling {self.cooling}: of {self.epochs} epochs at least one is learned at the full rate")
        if self.with_statics and self.simulate_with:
            raise BadInput("with_statics and simulate_with: where an aggregate plays all games, nobody else does")


@dataclass
class EpochReport:
    """Results of an epoch, by name of the net; nets that were removed earlier are not in it."""

    epoch: int
    epsilon: float
    loss: dict[str, float]
    rate: dict[str, float]  # won against the other nets, averaged over the epochs with weight one half
    tests: dict[str, dict[str, float]]  # won against each static agent
    removed: list[str]


class Population:
    def __init__(
        self,
        engine: BatchEngine,
        specs: Mapping[str, NetSpec],
        recipes: Mapping[str, Recipe],
        args: PopulationArgs,
        statics: Mapping[str, BatchAgent],
        teacher: Ensemble | None = None,
    ) -> None:
        """With a teacher the nets learn what it thinks of every decision, and not who won."""
        if args.with_statics and not statics:
            raise BadInput(f"with_statics {args.with_statics}: there are no static agents")
        if teacher is not None and any((recipe.loss, recipe.reward_discount) != ("log", 1.0) for recipe in recipes.values()):
            raise BadInput("a teacher's chances are learned with the log loss, undiscounted")
        self.engine, self.args, self.statics = engine, args, statics
        self.learner = Learner(engine.game, specs, recipes, engine.device, args.seed)
        self.alive = list(specs)
        self.rate = dict.fromkeys(specs, 0.5)
        self.history: list[EpochReport] = []
        room = engine.game, args.most_games, engine.device
        self.buffer = DistillationBuffer(*room, teacher) if teacher is not None else GameBuffer(*room)

    def run(self) -> Iterator[EpochReport]:
        """All epochs that are left, each reported when it is over; then `state` is what another population can go on from."""
        if not self.buffer.games:
            random = load_batch("random", self.engine.game, self._seed(0, 1))
            self.buffer.play(self.engine, [random] * 2, None, self.engine.deal(self.args.first_games, self._seed(0, 2)))
        self.learner.attach(self.buffer, min(self.args.batch, self.buffer.used))
        while len(self.history) < self.args.epochs:
            yield self._epoch(len(self.history))

    def _epoch(self, epoch: int) -> EpochReport:
        epsilon, loss = self._epsilon(epoch), self._learn(epoch)
        self._simulate(epoch, epsilon)
        tests, rate = self._test(epoch), {name: self.rate[name] for name in self.alive}
        removed = self._remove(epoch) if self.args.removal else []
        self.history.append(EpochReport(epoch, epsilon, loss, rate, tests, removed))
        return self.history[-1]

    def _seed(self, epoch: int, purpose: int) -> int:
        """Another for every use, with room for a hundred more after each."""
        return ((self.args.seed * 1000 + epoch) * 10 + purpose) * 100

    def _epsilon(self, epoch: int) -> float:
        share = len(self.rate) / len(self.alive) if self.args.removal else 1.0
        return min(1.0, sqrt(share) / (epoch + 2))

    # -- learning ------------------------------------------------------------------------------------------------------

    def _learn(self, epoch: int) -> dict[str, float]:
        """Batches without replacement; once all decisions are used up they are drawn anew."""
        self.learner.slow_down(min(1.0, (self.args.epochs - epoch) / (self.args.cooling + 1)))
        torch.manual_seed(self._seed(epoch, 3))  # for dropout
        draw = torch.Generator(self.engine.device).manual_seed(self._seed(epoch, 3))
        everything = torch.arange(self.buffer.used, device=self.engine.device)
        total, waiting = torch.zeros(len(self.learner.names), device=self.engine.device), list[Tensor]()
        for _ in range(self.args.batches):
            waiting = waiting or drawn_batches(everything, self.learner.batch, draw)
            total += self.learner.step(waiting.pop())
        losses = dict(zip(self.learner.names, (total / self.args.batches).tolist(), strict=True))
        return {name: losses[name] for name in self.alive}

    # -- playing -------------------------------------------------------------------------------------------------------

    def player(self, name: str, style: Style, seed: int = 0) -> EnsembleAgent:
        return EnsembleAgent(self.engine.game, self.learner.ensemble([name]), style, name, seed)

    def _simulate(self, epoch: int, epsilon: float) -> None:
        """New games for the buffer, and new rates."""
        style, seed = Style(self.args.ties, epsilon), self._seed(epoch, 4)
        agents: list[BatchAgent] = [self.player(name, style, seed + i) for i, name in enumerate(self.alive)]
        seats = self._every_pair(self.args.games) if self.args.pairing == "all" else self._drawn_pairs(epoch)
        if self.args.simulate_with:
            self._simulate_with_best(style, epoch)
            seats = self._every_pair(self.args.games // RATED_SHARE)
        if self.args.with_statics:
            agents, seats = [*agents, *self.statics.values()], self._with_statics(seats, epoch)
        seats = seats.to(self.engine.device)
        start = self.engine.deal(len(seats), self._seed(epoch, 5))
        fill = partial(play, self.engine) if self.args.simulate_with else partial(self.buffer.play, self.engine)
        self._rate(fill(agents, seats, start), seats)

    def _simulate_with_best(self, style: Style, epoch: int) -> None:
        best = sorted(self.alive, key=lambda name: -self.rate[name])[: self.args.simulate_with]
        agent = EnsembleAgent(self.engine.game, self.learner.ensemble(best, "min"), style, "min", self._seed(epoch, 8))
        self.buffer.play(self.engine, [agent] * 2, None, self.engine.deal(self.args.games, self._seed(epoch, 5)))

    def _every_pair(self, games: int) -> Tensor:
        """[B, 2] every two of the nets alive and each with itself, as often and as often on each side."""
        pairs = list(combinations_with_replacement(range(len(self.alive)), 2))
        both_ways = torch.tensor([pair for a, b in pairs for pair in ((a, b), (b, a))])
        return both_ways.repeat(ceil(games / len(pairs) / 2), 1)

    def _drawn_pairs(self, epoch: int) -> Tensor:
        """[B, 2] both drawn in proportion to their rates."""
        draw = torch.Generator().manual_seed(self._seed(epoch, 6))
        rates = torch.tensor([self.rate[name] for name in self.alive])
        sets = min(SETS, self.args.games)
        drawn = torch.multinomial(rates.clamp(min=1e-3).expand(sets, -1), 2, replacement=True, generator=draw)
        half = drawn.repeat_interleave(max(1, self.args.games // sets // 2), 0)
        return torch.cat([half, half.flip(1)])

    def _with_statics(self, seats: Tensor, epoch: int) -> Tensor:
        """In some games a static agent in place of a net, each as often and as often on each side; they come after the nets."""
        draw, count = torch.Generator().manual_seed(self._seed(epoch, 9)), round(self.args.with_statics * len(seats))
        which, turn = torch.randperm(len(seats), generator=draw)[:count], torch.arange(count)
        seats = seats.clone()
        seats[which, turn % 2] = len(self.alive) + turn // 2 % len(self.statics)
        return seats

    def _rate(self, played: Played, seats: Tensor) -> None:
        """Half of the old rate and half of what was won now; only games between two nets count."""
        between = (seats[:, 0] != seats[:, 1]) & (seats < len(self.alive)).all(1)
        who, won = seats[between].flatten(), played.won[between].flatten().long()
        games = torch.bincount(who, minlength=len(self.alive)).tolist()
        wins = torch.bincount(who[won == 1], minlength=len(self.alive)).tolist()
        for name, count, share in zip(self.alive, games, wins, strict=True):
            if count:
                self.rate[name] = (self.rate[name] + share / count) / 2

    def _test(self, epoch: int) -> dict[str, dict[str, float]]:
        """Without exploration."""
        if not self.args.test_deals:
            return {}
        agents = [*(self.player(name, Style(self.args.ties)) for name in self.alive), *self.statics.values()]
        pairs = list(product(range(len(self.alive)), range(len(self.alive), len(agents))))
        won = shares_won(self.engine, agents, pairs, self.args.test_deals, self._seed(epoch, 7))
        rates = iter(won.double().mean(1).tolist())
        return {name: {static: next(rates) for static in self.statics} for name in self.alive}

    # -- removal -------------------------------------------------------------------------------------------------------

    def _remove(self, epoch: int) -> list[str]:
        """Those below the threshold, but never all."""
        threshold = 0.5 * (1 - 0.75 ** (epoch * len(self.alive) / len(self.rate)))
        best = max(self.alive, key=lambda name: self.rate[name])
        weak = [name for name in self.alive if self.rate[name] < threshold and name != best]
        for name in weak:
            self.learner.retire(name)
        self.alive = [name for name in self.alive if name not in weak]
        return weak

    # -- going on ------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        return {
            "learner": self.learner.state(),
            "buffer": self.buffer.state(),
            "alive": self.alive,
            "rate": self.rate,
            "history": [asdict(report) for report in self.history],
        }

    def restore(self, stored: dict[str, Any]) -> None:
        self.learner.restore(stored["learner"])
        self.buffer.restore(stored["buffer"])
        self.alive, self.rate = list(stored["alive"]), dict(stored["rate"])
        self.history = [EpochReport(**report) for report in stored["history"]]


def shares_won(
    engine: BatchEngine, agents: Sequence[BatchAgent], pairs: Sequence[tuple[int, int]], deals: int, seed: int
) -> Tensor:
    """[pairs, deals] what the first of each pair won of each of its deals; every pair has deals of its own."""
    matchups = [Matchup(*pair, range(i * deals, (i + 1) * deals)) for i, pair in enumerate(pairs)]
    played = play_matchups(BatchBackend(engine, agents, seed), matchups)
    return torch.tensor(np.stack([part.win.mean(1) for part in played]), dtype=torch.float32)


# -- as an algorithm ---------------------------------------------------------------------------------------------------

SETS_OF_NETS = {"experiment-1": EXPERIMENT_1, "experiment-2": EXPERIMENT_2, "experiment-5": EXPERIMENT_5}


@dataclass(frozen=True)
class Args(PopulationArgs, BaseArgs):
    """The round robin of Experiment 2 unless settings say otherwise, with log loss and ties broken by the logit."""

    epochs: int = 20
    pairing: str = "drawn"
    removal: bool = False
    ties: str = "logit"
    test_deals: int = 0
    checkpoint_seconds: float = 300.0
    nets: str = "experiment-2"  # the set of nets
    scale_down: int = 1  # nets have so many times fewer channels and units
    loss: str = "log"
    lr: float = 1e-3

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.nets not in SETS_OF_NETS:
            raise BadInput(f"nets {self.nets!r}: there are {', '.join(SETS_OF_NETS)}")

    LENGTH: ClassVar = "epochs"


def train(args: Args, run: Run) -> Learner:
    specs = {name: spec.scaled_down(args.scale_down) for name, spec in SETS_OF_NETS[args.nets].items()}
    recipes = dict.fromkeys(specs, Recipe(args.lr, args.loss))
    statics = {name: load_batch(name, run.game) for name in args.opponents}
    population, progress = Population(run.engine, specs, recipes, args, statics), run.progress
    if run.resumed is not None:
        population.restore(run.resumed["population"])
    epochs = population.run()

    def best() -> BatchAgent:
        return population.player(max(population.alive, key=lambda name: population.rate[name]), Style(args.ties))

    for _ in run.steps(lambda: {"nets": population.learner.nets(), "population": population.state()}, best):
        report = next(epochs)
        progress.loss = sum(report.loss.values()) / len(report.loss)
        progress.metrics = {"epsilon": report.epsilon, "nets": len(population.alive)}
        progress.metrics |= {f"rate of {name}": rate for name, rate in report.rate.items()}
        progress.count(args.games)
    return population.learner


FOR_CPU = {"batches": 50, "batch": 512, "games": 2000, "first_games": 4000, "most_games": 10_000}
ALGORITHM = Algorithm(Args, train, presets=OPPONENTS, cpu=FOR_CPU)
