"""Populations of nets trained on one buffer, and the agents made of them: the nets alone, and their aggregates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.ensemble import Style
from shangyou.lab.kept_nets import KeptNets, fingerprint, keep_nets, player
from shangyou.lab.old_dqn import statics
from shangyou.lab.workshop import Lab
from shangyou.nets.papers import EXPERIMENT_2, EXPERIMENT_5, HOW, Ensemble, NetSpec
from shangyou.training.learner import Recipe
from shangyou.training.population import Args, EpochReport, Population

TOPS = (3, 6, 9)
KEPT_EVERY = 5  # epochs
UNTESTED = 0  # deals after each epoch, where nobody looks at curves: nets learn the same and take less time
TIES = {"swapped": "first", "log": "logit"}  # as the papers ran it; and both put right

ROUND_ROBIN = {
    "paper": Args(epochs=20, pairing="drawn", removal=False, test_deals=250),
    "smoke": Args(2, 5, 64, 100, 120, 300, "drawn", removal=False, test_deals=1),
}
BATTLE_ROYALE = {
    "paper": Args(),
    "smoke": Args(2, 3, 64, 300, 120, 600, test_deals=1),
}
SEEDS = {"paper": 3, "smoke": 1}  # populations of one kind where a claim needs several


@dataclass(frozen=True)
class Trained:
    """A population at its end. Nets that were removed are as they were then."""

    nets: KeptNets
    rate: dict[str, float]  # of games against the other nets, when they were last played
    alive: list[str]
    history: list[EpochReport]

    @property
    def ranking(self) -> list[str]:
        """Those alive first, by their last rates."""
        return sorted(self.nets, key=lambda name: (name not in self.alive, -self.rate[name]))


def train_population(
    lab: Lab,
    stage: str,
    specs: Mapping[str, NetSpec],
    recipes: Mapping[str, Recipe],
    args: Args,
    teacher: Ensemble | None = None,
) -> Trained:
    """Kept on the way, too: an interruption costs a few epochs."""
    specs = lab.sized(specs)
    settings: dict[str, Any] = {"args": args, "recipes": dict(recipes), "specs": specs}
    if teacher is not None:
        settings["teacher"] = fingerprint(teacher)

    def work() -> dict[str, Any]:
        return _train(lab, stage, settings, Population(lab.engine, specs, recipes, args, statics(lab), teacher))

    kept = lab.stage(stage, settings, work)
    history = [EpochReport(**report) for report in kept["history"]]
    return Trained(kept["nets"], kept["rate"], kept["alive"], history)


def _train(lab: Lab, stage: str, settings: dict[str, Any], population: Population) -> dict[str, Any]:
    half_way, epochs = f"{stage}-so-far", population.args.epochs
    so_far = lab.read_made_with(half_way, settings)
    if so_far is not None:
        population.restore(so_far)
    with lab.progress(stage, epochs) as show:

        def report(found: EpochReport) -> None:
            best = max(found.rate, key=lambda name: found.rate[name])
            tests = "  ".join(f"{name} {rate:.3f}" for name, rate in found.tests.get(best, {}).items())
            show(found.epoch + 1, f"{len(population.alive)} nets  {best} {tests}")

        def keep() -> None:
            if len(population.history) % KEPT_EVERY == 0 and len(population.history) < epochs:
                lab.write_made_with(half_way, settings, population.state())

        population.run(report, keep)
    lab.forget(half_way)
    state = population.state()
    return {"nets": keep_nets(population.learner), **{name: state[name] for name in ("rate", "alive", "history")}}


def round_robin_population(lab: Lab, loss: str = "swapped", seed: int = 0) -> Trained:
    """The twelve nets of Experiment 2."""
    args = _args(ROUND_ROBIN[lab.scale], loss, lab.seed, seed)
    recipes = {name: Recipe(loss=loss) for name in EXPERIMENT_2}
    return train_population(lab, _stage("round-robin", loss, seed), EXPERIMENT_2, recipes, args)


def round_robin_populations(lab: Lab, loss: str) -> list[Trained]:
    return [round_robin_population(lab, loss, seed) for seed in range(SEEDS[lab.scale])]


def battle_royale_population(lab: Lab, loss: str = "swapped", seed: int = 0) -> Trained:
    """The twenty-four of Experiment 5."""
    args = _args(BATTLE_ROYALE[lab.scale], loss, lab.seed, seed)
    recipes = {name: Recipe(loss=loss) for name in EXPERIMENT_5}
    return train_population(lab, _stage("battle-royale", loss, seed), EXPERIMENT_5, recipes, args)


def _args(base: Args, loss: str, lab_seed: int, seed: int) -> Args:
    """Curves are drawn of the first population that was run as the paper ran it."""
    test_deals = base.test_deals if (loss, seed) == ("swapped", 0) else UNTESTED
    return replace(base, ties=TIES[loss], test_deals=test_deals, seed=lab_seed + seed)


def _stage(name: str, loss: str, seed: int) -> str:
    return "-".join([name, loss, *([str(seed)] if seed else [])])


def singles(lab: Lab, nets: KeptNets, style: Style) -> dict[str, BatchAgent]:
    return {name: player(lab, nets, name, style) for name in nets}


def aggregates(lab: Lab, nets: KeptNets, ranking: Sequence[str], style: Style) -> dict[str, BatchAgent]:
    """Min3, Mean3, ... Max9 of the best so many."""
    return {f"{how.capitalize()}{top}": player(lab, nets, ranking[:top], style, how) for top in TOPS for how in HOW}
