"""Deep ZSY's search over reward discount, cost discount and learning rate: models 10 to 16, all trained in one stack."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shangyou.agents.batch import load_batch
from shangyou.agents.batch.ensemble import FIXED, Style
from shangyou.lab import printed
from shangyou.lab.figures import Shown, dots
from shangyou.lab.kept_nets import keep_nets, player
from shangyou.lab.old_dqn import scripted
from shangyou.lab.page import Page
from shangyou.lab.rates import Rates, against
from shangyou.lab.workshop import Lab
from shangyou.nets.papers import OLD_DQN
from shangyou.training import deep_q
from shangyou.training.learner import Learner, Recipe

AS_PLAYED = Style(ties="first", blank=True)


@dataclass(frozen=True)
class Args:
    deep_q: deep_q.Args = field(default_factory=lambda: deep_q.Args(epochs=10))
    deals: int = 5000


SCALES = {"paper": Args(), "smoke": Args(deep_q.Args(games=400, epochs=2, batch=128), deals=40)}


def recipes() -> dict[str, Recipe]:
    """Every model as printed, with both losses, and as stored where the stored files say otherwise."""
    found = {}
    for name, (reward, cost, lr, *_) in printed.MODELS.items():
        found[f"{name} printed"] = Recipe(lr, "swapped", reward, cost)
        found[f"{name} log loss"] = Recipe(lr, "log", reward, cost)
    for name, (reward, cost, lr) in printed.STORED_MODELS.items():
        found[f"{name} stored"] = Recipe(lr, "swapped", reward, cost)
    return found


def train(lab: Lab) -> dict[str, Any]:
    args, how = SCALES[lab.scale].deep_q, recipes()

    def work() -> dict[str, Any]:
        learner = Learner(lab.game, lab.sized(dict.fromkeys(how, OLD_DQN)), how, lab.device, lab.seed)
        buffer = deep_q.simulate(lab.engine, load_batch("random", lab.game, lab.seed), args.games, lab.seed)
        with lab.progress("models 10 to 16", args.epochs) as show:
            curve = deep_q.fit(learner, buffer, args, lab.seed, show)
        return {"nets": keep_nets(learner), "dev": dict(zip(learner.names, curve[-1].dev, strict=True))}

    return lab.stage("hyperparameters", [args, how], work)


def run(lab: Lab, results: Path) -> Page:
    trained, args = train(lab), SCALES[lab.scale]
    nets = trained["nets"]
    agents = {name: player(lab, nets, name, FIXED if "log" in name else AS_PLAYED) for name in nets}
    opponents = scripted(lab)
    rates = against(lab, "hyperparameters-rates", agents, opponents, args.deals, lab.seed + 2)

    page = Page(lab, "hyperparameters", "Deep ZSY: models 10 to 16", results)
    page.say(
        f"Dense nets 300-400-40-1 with dropout, trained for {args.deep_q.epochs} epochs on the same {args.deep_q.games:,} "
        "random games. R is the reward discount, C the cost discount. As printed, with the swapped loss that was run and the "
        "play of 2018; as stored, where the stored settings of a model are not those of the paper; and with the log loss, "
        f"ties broken by the logit. {2 * args.deals:,} games a rate; the paper has 10,000 or fewer."
    )
    columns = ["model", "R", "C", "lr", "Greedy, paper", "as printed", "as stored", "log loss", "Random, paper", "as printed",
               "as stored", "log loss"]  # fmt: skip
    shown = {who: _shown(rates, who, place) for who, place in (("Greedy", 3), ("Random", 4))}
    rows = []
    for name, settings in printed.MODELS.items():
        greedy, random = (found[name].values() for found in shown.values())
        rows.append([name, *(f"{value:g}" for value in settings[:3]), *greedy, *random])
    page.table(columns, rows)
    page.figure("rates", dots({f"won against {who}": found for who, found in shown.items()}))
    greedy_then, random_then = printed.MODEL_9
    page.say(
        f"Model 10 as printed is what the stored files call model 9, measured there at {greedy_then} and {random_then} "
        "percent: with the swapped loss and no discount a net learns only which side is likelier to win, not by how much."
    )
    return page


def _shown(rates: Rates, who: str, place: int) -> dict[str, Shown]:
    """Every model against one opponent, whose percentages stand at this place of the printed ones."""
    ways = {"as printed": "printed", "as stored": "stored", "log loss": "log loss"}
    return {
        name: {"paper": said[place] / 100, **{way: rates.get(f"{name} {how}", {}).get(who) for way, how in ways.items()}}
        for name, said in printed.MODELS.items()
    }
