"""Battle Royale's Experiment 5: twenty-four nets, the weak removed, and Tables 3 and 4."""

from shangyou.lab import paper_numbers
from shangyou.lab.experiments.round_robin import draw_history
from shangyou.lab.net_store import ensemble_of
from shangyou.lab.page import Page
from shangyou.lab.paper_tables import TABLES_3_4, write_tables
from shangyou.lab.populations import BATTLE_ROYALE, Trained, battle_royale_population
from shangyou.lab.stages import ZSY2, Context
from shangyou.nets.papers import Ensemble

TITLE, SETUPS = "Battle Royale, Experiment 5", ZSY2


def run(ctx: Context, page: Page) -> None:
    trained, args = battle_royale_population(ctx), BATTLE_ROYALE[ctx.scale]
    page.text(
        f"Twenty-four nets, two of each of Experiment 2, {args.epochs} epochs of {args.batches} batches of {args.batch:,} "
        f"decisions, and at least {args.games:,} games after each epoch between every two nets alive and of each with itself. "
        "Exploration is 1/(epoch + 2) · √(24/alive); a net is removed when its VS rate is below 0.5 (1 − 0.75^(epoch · "
        "alive/24)). Swapped loss, ties to the first of the list, as run."
    )
    tables = write_tables(ctx, page, trained, TABLES_3_4)
    page.heading("Who was removed when")
    removed = {name: (epoch.epoch + 1) * args.batches - 1 for epoch in trained.history for name in epoch.removed}
    rows = [[name, paper_numbers.LAST_STEP_OF_REMOVED.get(name), removed.get(name)] for name in trained.nets]
    page.table(["net", "last step, paper", "last step, ours"], sorted(rows, key=lambda row: (row[2] or 10**9, row[0])))
    dense = sum(name.startswith("Dense") for name in trained.alive)
    remained = f"{len(trained.alive)} nets remained, {dense} of them dense; in the paper ten, all convolutional."
    page.text(remained)
    page.figure("curves", draw_history(trained))
    (name, rate), (first, share) = tables.best, max(TABLES_3_4.average.items(), key=lambda pair: pair[1])
    page.open(
        "which nets are left when the weak are removed, and how strong are they and their aggregates?",
        f"convolutional ones alone; {first} wins {share:.3f} of its games against all others.",
        f"{remained} {name} is the best when nobody explores, {rate}; {tables.within} printed rates against the baselines have "
        "ours within their 95% intervals.",
        ("headlines", tables.headlines),
    )


def nets(ctx: Context) -> dict[str, Ensemble]:
    """As the paper ran it."""
    return {f"{name}-as-run": ensemble for name, ensemble in survivors(ctx, battle_royale_population(ctx)).items()}


def survivors(ctx: Context, trained: Trained) -> dict[str, Ensemble]:
    """Every net that remained, and the aggregate of the paper's tables. Others are joined by name: `mean:paper/...`."""
    alive = {name.lower(): ensemble_of(ctx, trained.nets, [name]) for name in trained.alive}
    return alive | {"min6": ensemble_of(ctx, trained.nets, trained.ranking[:6], "min")}
