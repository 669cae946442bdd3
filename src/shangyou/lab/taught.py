"""Nets taught by all nets of the populations, and the same nets on games of the same kind that are told who won."""

from __future__ import annotations

from dataclasses import replace

from shangyou.lab.kept_nets import KeptNets, ensemble_of
from shangyou.lab.populations import UNTESTED, Trained, round_robin_populations, train_population
from shangyou.lab.workshop import Lab
from shangyou.nets.papers import EXPERIMENT_2, Ensemble, NetSpec
from shangyou.training.learner import Recipe
from shangyou.training.population import Args

WIDE = "wide DenseNet"
STUDENTS = {
    "DenseNet": EXPERIMENT_2["DenseNet6"],
    "ConvNet": EXPERIMENT_2["ConvNet1"],
    WIDE: NetSpec((1024, 512, 128)),
}
SCALES = {
    "paper": Args(epochs=20, removal=False, ties="logit", with_statics=0.5, cooling=10, test_deals=UNTESTED),
    "smoke": Args(2, 5, 64, 60, 60, 120, removal=False, ties="logit", with_statics=0.5, cooling=1, test_deals=UNTESTED),
}
STAGES = ("students-told-who-won", "students-taught")


def teacher_of(lab: Lab) -> Ensemble:
    """The mean of all nets of the populations with the right loss."""
    found = enumerate(round_robin_populations(lab, "log"))
    everyone: KeptNets = {f"{seed} {name}": net for seed, trained in found for name, net in trained.nets.items()}
    return ensemble_of(lab, everyone, list(everyone))


def train_students(lab: Lab, teacher: Ensemble | None) -> Trained:
    """Without a teacher they learn from who won."""
    args, recipes = replace(SCALES[lab.scale], seed=lab.seed), dict.fromkeys(STUDENTS, Recipe(loss="log"))
    return train_population(lab, STAGES[teacher is not None], STUDENTS, recipes, args, teacher)
