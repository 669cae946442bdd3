"""Model 13 of Deep ZSY, iterated: what Battle Royale calls the Old DQN is its seventh iteration. And the other baselines.

The weights of the original are not ours to ship: the Old DQN here is our own, trained as that one was.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.agents.batch.ensemble import EnsembleAgent, Style
from shangyou.lab.net_store import player
from shangyou.lab.stages import Context
from shangyou.nets.papers import OLD_DQN
from shangyou.training.deep_q import DeepQArgs, iterate
from shangyou.training.learner import Learner, Recipe

MODEL_13 = Recipe(lr=1e-4, reward_discount=0.95, loss="swapped")
# By the agents of 2018, which had plain zeros as input on their first moves; the Old DQN of 2019 has them too.
AS_PLAYED = Style(ties="first", blank=True)
SELF_PLAY = replace(AS_PLAYED, epsilon=0.1, sampling="value")


@dataclass(frozen=True)
class Schedule:
    first: DeepQArgs = field(default_factory=lambda: DeepQArgs(epochs=20))  # on random games
    later: DeepQArgs = field(default_factory=lambda: DeepQArgs(epochs=30, batch=2048))  # on those of the last iteration
    iterations: int = 7


ARGS = {
    "smoke": Schedule(DeepQArgs(games=400, epochs=4, batch=128), DeepQArgs(games=200, epochs=2, batch=128), iterations=2),
    "small": Schedule(DeepQArgs(games=10_000, epochs=10, batch=512), DeepQArgs(games=5000, epochs=5, batch=512), iterations=4),
    "paper": Schedule(),
}


def train_model_13(ctx: Context, loss: str) -> list[dict[str, Any]]:
    """The net after random games and after each iteration, with its losses."""
    args, recipe = ARGS[ctx.scale], replace(MODEL_13, loss=loss)
    return ctx.stage(f"model-13-{loss}", [args, recipe, SELF_PLAY], lambda: _train(ctx, args, recipe))


def _train(ctx: Context, args: Schedule, recipe: Recipe) -> list[dict[str, Any]]:
    learner = Learner(ctx.game, {"Model 13": OLD_DQN}, {"Model 13": recipe}, ctx.device, ctx.seed)
    plan = [args.first, *[args.later] * args.iterations]
    rounds: list[dict[str, Any]] = []
    with ctx.progress(f"model 13, {recipe.loss} loss", len(plan)) as show:
        for _, curve in iterate(ctx.engine, learner, plan, SELF_PLAY, seed=ctx.seed * 100):
            rounds.append({"nets": learner.nets(), "curve": [list(epoch) for epoch in curve]})
            show(len(rounds), f"dev loss {curve[-1].dev[0]:.3f}")
    return rounds


def old_dqns(ctx: Context) -> dict[str, EnsembleAgent]:
    """Every iteration as it would play in 2019; the last is the Old DQN."""
    _, *rounds = train_model_13(ctx, "swapped")
    return {f"iteration {i}": player(ctx, one["nets"], "Model 13", AS_PLAYED) for i, one in enumerate(rounds, 1)}


def scripted(ctx: Context) -> dict[str, BatchAgent]:
    """The two agents without a net against which both papers measure."""
    return {"Greedy": load_batch("paper-greedy", ctx.game), "Random": load_batch("random", ctx.game, ctx.seed + 17)}


def baselines(ctx: Context) -> dict[str, BatchAgent]:
    """Against which the second paper measures, in its order."""
    agents, (*_, old_dqn) = scripted(ctx), old_dqns(ctx).values()
    return {"Random": agents["Random"], "Greedy": agents["Greedy"], "Old DQN": old_dqn}
