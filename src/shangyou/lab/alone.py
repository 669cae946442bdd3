"""One net that plays itself, with what the battle royale spends on twenty-four nets spent on it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from shangyou.lab.populations import BATTLE_ROYALE, UNTESTED, Trained, train_population
from shangyou.lab.workshop import Lab
from shangyou.nets.papers import EXPERIMENT_2, EXPERIMENT_5
from shangyou.training.learner import Recipe

NET = "ConvNet1"


class Way(NamedTuple):
    """How many times the epochs of the battle royale, and in each how many times the steps of one of its nets."""

    epochs: int
    steps: int


def _ways(all_steps: int, longer: int) -> dict[str, Way]:
    return {
        "as one of them": Way(1, 1),
        "with all their steps": Way(1, all_steps),
        "for as long": Way(longer, 1),
    }


# Six times the epochs of one net take 166 s on an H200, the battle royale with the log loss 208 s.
WAYS = {"paper": _ways(len(EXPERIMENT_5), 6), "smoke": _ways(3, 2)}


def train_alone(lab: Lab, words: str) -> Trained:
    base, way = BATTLE_ROYALE[lab.scale], WAYS[lab.scale][words]
    args = replace(base, epochs=way.epochs * base.epochs, batches=way.steps * base.batches)
    args = replace(args, removal=False, ties="logit", test_deals=UNTESTED, seed=lab.seed)
    stage = f"alone-{words.replace(' ', '-')}"
    return train_population(lab, stage, {NET: EXPERIMENT_2[NET]}, {NET: Recipe(loss="log")}, args)
