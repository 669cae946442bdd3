"""Populations of nets trained on one buffer, and the agents made of them: single nets and aggregates."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.ensemble import FIXED, EnsembleAgent, Style
from shangyou.lab.net_store import ensemble_of, fingerprint, player
from shangyou.lab.old_dqn import baselines
from shangyou.lab.stages import Context
from shangyou.nets.papers import EXPERIMENT_2, EXPERIMENT_5, HOW, Ensemble, NetSpec, StoredNets
from shangyou.training.learner import Recipe
from shangyou.training.population import EpochReport, Population, PopulationArgs

TOPS = (3, 6, 9)
SAVE_EVERY = 5  # epochs
TIES = {"swapped": "first", "log": "logit"}  # as the papers ran it, and both fixed

ROUND_ROBIN = {
    "smoke": PopulationArgs(2, 5, 64, 100, 120, 300, "drawn", removal=False, test_deals=1),
    "small": PopulationArgs(4, 75, 512, 2000, 4000, 10_000, "drawn", removal=False, test_deals=20),
    "paper": PopulationArgs(epochs=20, pairing="drawn", removal=False, test_deals=250),
}
BATTLE_ROYALE = {
    "smoke": PopulationArgs(2, 3, 64, 300, 120, 600, test_deals=1),
    "small": PopulationArgs(4, 40, 512, 2400, 4000, 12_000, test_deals=10),
    "paper": PopulationArgs(),
}
SEEDS = {"smoke": 1, "small": 1, "paper": 3}  # populations of one kind where a claim needs several


@dataclass(frozen=True)
class Trained:
    """A population at its end. Nets that were removed are as they were then."""

    nets: StoredNets
    rate: dict[str, float]  # of games against the other nets, when they were last played
    alive: list[str]
    history: list[EpochReport]
    seed: int  # beyond that of the experiment: 0 for the first population of a kind

    @property
    def ranking(self) -> list[str]:
        """Those alive first, by their last rates."""
        return sorted(self.nets, key=lambda name: (name not in self.alive, -self.rate[name]))

    def singles(self, ctx: Context, style: Style = FIXED) -> dict[str, BatchAgent]:
        return {name: player(ctx, self.nets, name, style) for name in self.nets}

    def best(self, ctx: Context, count: int = 1, style: Style = FIXED, how: str = "mean") -> EnsembleAgent:
        """The best net, or an aggregate of the best."""
        return player(ctx, self.nets, self.ranking[:count], style, how)

    def aggregates(self, ctx: Context, style: Style = FIXED) -> dict[str, BatchAgent]:
        """Min3, Mean3, ... Max9 of the best so many."""
        return {f"{how.capitalize()}{top}": self.best(ctx, top, style, how) for top in TOPS for how in HOW}


def train_population(
    ctx: Context,
    stage: str,
    specs: Mapping[str, NetSpec],
    args: PopulationArgs,
    loss: str = "log",
    seed: int = 0,
    teacher: Ensemble | None = None,
) -> Trained:
    """All nets with one loss. Stored every few epochs, too, so that an interruption costs little.

    Curves are drawn of the first population that is trained as the paper did it; others are not tested after each epoch.
    """
    test_deals = args.test_deals if (loss, seed) == ("swapped", 0) else 0
    args = replace(args, ties=TIES[loss], test_deals=test_deals, seed=ctx.seed + seed)
    specs, recipes = ctx.scaled(specs), dict.fromkeys(specs, Recipe(loss=loss))
    settings: dict[str, Any] = {"args": args, "recipes": recipes, "specs": specs}
    if teacher is not None:
        settings["teacher"] = fingerprint(teacher)

    def work() -> dict[str, Any]:
        return _train(ctx, stage, settings, Population(ctx.engine, specs, recipes, args, baselines(ctx), teacher))

    stored = ctx.stage(stage, settings, work)
    history = [EpochReport(**report) for report in stored["history"]]
    return Trained(stored["nets"], stored["rate"], stored["alive"], history, seed)


def _train(ctx: Context, stage: str, settings: dict[str, Any], population: Population) -> dict[str, Any]:
    partial, epochs = f"{stage}-partial", population.args.epochs
    if (state := ctx.load(partial, settings)) is not None:
        population.restore(state)
    with ctx.progress(stage, epochs) as show:
        for report in population.run():
            best, done = max(report.rate, key=report.rate.__getitem__), len(population.history)
            tests = "  ".join(f"{name} {rate:.3f}" for name, rate in report.tests.get(best, {}).items())
            show(done, f"{len(population.alive)} nets  {best} {tests}")
            if done % SAVE_EVERY == 0 and done < epochs:
                ctx.save(partial, settings, population.state())
    ctx.file(partial).unlink(missing_ok=True)
    state = population.state()
    return {"nets": population.learner.nets(), **{name: state[name] for name in ("rate", "alive", "history")}}


def round_robin_population(ctx: Context, loss: str = "swapped", seed: int = 0) -> Trained:
    """The twelve nets of Experiment 2."""
    return train_population(ctx, f"round-robin-{loss}-{seed}", EXPERIMENT_2, ROUND_ROBIN[ctx.scale], loss, seed)


def round_robin_populations(ctx: Context, loss: str) -> list[Trained]:
    return [round_robin_population(ctx, loss, seed) for seed in range(SEEDS[ctx.scale])]


def teacher_of(ctx: Context) -> Ensemble:
    """The mean of all nets of the populations with the log loss."""
    populations = round_robin_populations(ctx, "log")
    nets: StoredNets = {f"{trained.seed} {name}": net for trained in populations for name, net in trained.nets.items()}
    return ensemble_of(ctx, nets, list(nets))


def battle_royale_population(ctx: Context, loss: str = "swapped") -> Trained:
    """The twenty-four of Experiment 5."""
    return train_population(ctx, f"battle-royale-{loss}", EXPERIMENT_5, BATTLE_ROYALE[ctx.scale], loss)
