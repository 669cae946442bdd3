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
    write_tables(ctx, page, round_robin_population(ctx), TABLES_1_2)
