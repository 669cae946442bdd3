"""Deep ZSY's search over reward discount, cost discount and learning rate: models 10 to 16, all trained in one stack."""

from shangyou.agents.batch import load_batch
from shangyou.agents.batch.ensemble import FIXED
from shangyou.lab.figures import RatesBySource, dots
from shangyou.lab.net_store import player
from shangyou.lab.old_dqn import AS_PLAYED, scripted
from shangyou.lab.page import Page
from shangyou.lab.paper_numbers import MODELS, STORED_MODELS, STORED_RESULTS
from shangyou.lab.rates import Rates, against
from shangyou.lab.stages import ZSY2, Context
from shangyou.nets.papers import OLD_DQN, StoredNets
from shangyou.training import deep_q
from shangyou.training.learner import Learner, Recipe

TITLE, SETUPS = "Deep ZSY: models 10 to 16", ZSY2
ARGS = {
    "smoke": deep_q.DeepQArgs(games=400, epochs=2, batch=128),
    "small": deep_q.DeepQArgs(games=10_000, epochs=10, batch=1024),
    "paper": deep_q.DeepQArgs(epochs=10),
}
DEALS = {"smoke": 40, "small": 500, "paper": 5000}


def recipes() -> dict[str, Recipe]:
    """Every model as printed, with both losses, and as stored where the stored files differ."""
    every = {}
    for name, (reward, cost, lr, *_) in MODELS.items():
        every[f"{name} printed"] = Recipe(lr, "swapped", reward, cost)
        every[f"{name} log loss"] = Recipe(lr, "log", reward, cost)
    for name, (reward, cost, lr) in STORED_MODELS.items():
        every[f"{name} stored"] = Recipe(lr, "swapped", reward, cost)
    return every


def train(ctx: Context, args: deep_q.DeepQArgs, every: dict[str, Recipe]) -> StoredNets:
    learner = Learner(ctx.game, ctx.scaled(dict.fromkeys(every, OLD_DQN)), every, ctx.device, ctx.seed)
    buffer = deep_q.simulate(ctx.engine, load_batch("random", ctx.game, ctx.seed), args.games, ctx.seed)
    with ctx.progress("models 10 to 16", args.epochs) as show:
        deep_q.fit(learner, buffer, args, ctx.seed, show)
    return learner.nets()


def run(ctx: Context, page: Page) -> None:
    args, deals, every = ARGS[ctx.scale], DEALS[ctx.scale], recipes()
    nets = ctx.stage("hyperparameters", [args, every], lambda: train(ctx, args, every))
    agents = {name: player(ctx, nets, name, FIXED if "log" in name else AS_PLAYED) for name in nets}
    rates = against(ctx, "hyperparameters-rates", agents, scripted(ctx), deals, ctx.seed + 2)
    page.text(
        f"Dense nets 300-400-40-1 with dropout, trained for {args.epochs} epochs on the same {args.games:,} "
        "random games. R is the reward discount, C the cost discount. As printed, with the swapped loss that was run and the "
        "play of 2018; as stored, where the stored settings of a model are not those of the paper; and with the log loss, "
        f"ties broken by the logit. {2 * deals:,} games a rate; the paper has 10,000 or fewer."
    )
    columns = ["model", "R", "C", "lr", "Greedy, paper", "as printed", "as stored", "log loss", "Random, paper", "as printed",
               "as stored", "log loss"]  # fmt: skip
    sources = {who: _sources(rates, who, place) for who, place in (("Greedy", 3), ("Random", 4))}
    rows = []
    for name, settings in MODELS.items():
        greedy, random = (by_model[name].values() for by_model in sources.values())
        rows.append([name, *(f"{value:g}" for value in settings[:3]), *greedy, *random])
    page.table(columns, rows)
    ways = {"as printed": "printed", "with the log loss": "log loss"}
    best = {way: max(MODELS, key=lambda name: rates[f"{name} {how}"]["Greedy"].mean) for way, how in ways.items()}
    first = max(MODELS, key=lambda name: MODELS[name][3])
    page.open(
        "which reward discount, cost discount and learning rate make the best net?",
        f"model {first}, with {MODELS[first][3]} percent against Greedy; without a discount, model 10, {MODELS['10'][3]}.",
        "; ".join(f"{way} model {best[way]}, {rates[f'{best[way]} {how}']['Greedy']}" for way, how in ways.items())
        + "; model 10, which has no discount: "
        + ", ".join(f"{way} {rates[f'10 {how}']['Greedy']}" for way, how in ways.items()) + ".",
        ("rates", dots({f"won against {who}": by_model for who, by_model in sources.items()})),
    )  # fmt: skip
    greedy_then, random_then = STORED_RESULTS["model_9"]
    page.text(
        f"Model 10 as printed is what the stored files call model 9, measured there at {greedy_then} and {random_then} "
        "percent: with the swapped loss and no discount a net learns only which side is likelier to win, not by how much."
    )


def _sources(rates: Rates, who: str, place: int) -> dict[str, RatesBySource]:
    """Every model against one opponent, whose percentages are at this place of the printed ones."""
    ways = {"as printed": "printed", "as stored": "stored", "log loss": "log loss"}
    return {
        name: {"paper": printed[place] / 100, **{way: rates.get(f"{name} {how}", {}).get(who) for way, how in ways.items()}}
        for name, printed in MODELS.items()
    }
