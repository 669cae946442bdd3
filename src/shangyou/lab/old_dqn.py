"""Model 13 of Deep ZSY, iterated: what Battle Royale calls the Old DQN is its seventh iteration.

The stored weights of the original are not ours to ship: the Old DQN here is our own, trained as that one was.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.agents.batch.ensemble import EnsembleAgent, Style
from shangyou.lab.kept_nets import keep_nets, player
from shangyou.lab.workshop import Lab
from shangyou.nets.papers import OLD_DQN
from shangyou.training.deep_q import Args as DeepQArgs
from shangyou.training.deep_q import iterate
from shangyou.training.learner import Learner, Recipe

MODEL_13 = Recipe(lr=1e-4, reward_discount=0.95, loss="swapped")
SELF_PLAY = Style(ties="first", epsilon=0.1, lots="value")


@dataclass(frozen=True)
class Args:
    first: DeepQArgs = field(default_factory=lambda: DeepQArgs(epochs=20))  # on random games
    later: DeepQArgs = field(default_factory=lambda: DeepQArgs(epochs=30, batch=2048))  # on those of the last iteration
    iterations: int = 7


SCALES = {
    "paper": Args(),
    "smoke": Args(DeepQArgs(games=400, epochs=4, batch=128), DeepQArgs(games=200, epochs=2, batch=128), iterations=2),
}


def train_model_13(lab: Lab, loss: str) -> list[dict[str, Any]]:
    """The net after random games and after each iteration, with its losses."""
    args, recipe = SCALES[lab.scale], Recipe(MODEL_13.lr, loss, MODEL_13.reward_discount)
    return lab.stage(f"model-13-{loss}", [args, recipe], lambda: _train(lab, args, recipe))


def _train(lab: Lab, args: Args, recipe: Recipe) -> list[dict[str, Any]]:
    learner = Learner(lab.game, {"Model 13": OLD_DQN}, {"Model 13": recipe}, lab.device, lab.seed)
    plan = [args.first, *[args.later] * args.iterations]
    rounds: list[dict[str, Any]] = []
    with lab.progress(f"model 13, {recipe.loss} loss", len(plan)) as show:
        for _, curve in iterate(lab.engine, learner, plan, SELF_PLAY, seed=lab.seed * 100):
            rounds.append({"nets": keep_nets(learner), "curve": [list(epoch) for epoch in curve]})
            show(len(rounds), f"dev loss {curve[-1].dev[0]:.3f}")
    return rounds


def old_dqns(lab: Lab) -> dict[str, EnsembleAgent]:
    """Every iteration as it would play; the last is the Old DQN."""
    _, *rounds = train_model_13(lab, "swapped")
    return {f"iteration {i}": player(lab, found["nets"], "Model 13", Style(ties="first")) for i, found in enumerate(rounds, 1)}


def scripted(lab: Lab) -> dict[str, BatchAgent]:
    """The two agents without a net whom both papers measure against."""
    return {"Greedy": load_batch("paper-greedy", lab.game), "Random": load_batch("random", lab.game, lab.seed + 17)}


def statics(lab: Lab) -> dict[str, BatchAgent]:
    """Whom the second paper measures against, in its order."""
    simple, (*_, old_dqn) = scripted(lab), old_dqns(lab).values()
    return {"Random": simple["Random"], "Greedy": simple["Greedy"], "Old DQN": old_dqn}
