"""One net that plays itself, with the compute that the battle royale spends on twenty-four nets."""

from dataclasses import replace
from typing import NamedTuple

from shangyou.agents.batch.ensemble import EnsembleAgent
from shangyou.lab.net_store import player
from shangyou.lab.populations import BATTLE_ROYALE, train_population
from shangyou.lab.stages import Context
from shangyou.nets.papers import EXPERIMENT_2, EXPERIMENT_5

NET = "ConvNet1"


class Budget(NamedTuple):
    """How many times the epochs of the battle royale, and in each how many times the steps of one of its nets."""

    epochs: int
    steps: int


def _budgets(all_steps: int, longer: int) -> dict[str, Budget]:
    return {"as one of them": Budget(1, 1), "with all their steps": Budget(1, all_steps), "for as long": Budget(longer, 1)}


# Six times the epochs of one net take 166 s on an H200, the battle royale with the log loss 208 s.
BUDGETS = {"smoke": _budgets(3, 2), "small": _budgets(4, 2), "paper": _budgets(len(EXPERIMENT_5), 6)}


def single_net(ctx: Context, budget: str) -> EnsembleAgent:
    args, (epochs, steps) = BATTLE_ROYALE[ctx.scale], BUDGETS[ctx.scale][budget]
    args = replace(args, epochs=epochs * args.epochs, batches=steps * args.batches, removal=False)
    trained = train_population(ctx, f"single-net-{budget.replace(' ', '-')}", {NET: EXPERIMENT_2[NET]}, args)
    return player(ctx, trained.nets, NET)
