"""Battle Royale's Experiment 4 on the nets of Experiment 2: the top 3, 6 and 9 joined by min, mean and max. Tables 1 and 2."""

from shangyou.lab.page import Page
from shangyou.lab.paper_tables import TABLES_1_2, write_tables
from shangyou.lab.populations import round_robin_population
from shangyou.lab.stages import ZSY2, Context

TITLE, SETUPS = "Battle Royale, Experiment 4: aggregation", ZSY2


def run(ctx: Context, page: Page) -> None:
    page.text(
        "The nets of Experiment 2, trained with the swapped loss, ties to the first of the list. An aggregate takes the "
        "least, mean or greatest of its members' outputs; its members are the best by the last VS rate."
    )
    tables = write_tables(ctx, page, round_robin_population(ctx), TABLES_1_2)
    (name, rate), (first, share) = tables.best, max(TABLES_1_2.average.items(), key=lambda pair: pair[1])
    page.open(
        "do several nets, joined by the least, mean or greatest of their values, play better than one?",
        f"yes: {first} wins {share:.3f} of its games against all others, more than any single net.",
        f"{name} is the best when nobody explores, {rate}; {tables.within} printed rates against the baselines have ours "
        "within their 95% intervals. How much of it is the exploration of single nets alone: "
        f"[findings]({page.name_of('findings')}.md).",
        ("headlines", tables.headlines),
    )
