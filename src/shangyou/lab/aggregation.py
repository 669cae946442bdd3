"""Battle Royale's Experiment 4 on the nets of Experiment 2: the top 3, 6 and 9 joined by min, mean and max. Tables 1 and 2."""

from __future__ import annotations

from pathlib import Path

from shangyou.lab.combined import EXPERIMENT_2, play_tables, write_tables
from shangyou.lab.page import Page
from shangyou.lab.populations import round_robin_population
from shangyou.lab.workshop import Lab


def run(lab: Lab, results: Path) -> Page:
    trained = round_robin_population(lab)
    tables = play_tables(lab, "aggregation-tables", trained, EXPERIMENT_2)
    page = Page(lab, "aggregation", "Battle Royale, Experiment 4: aggregation", results)
    page.say(
        "The nets of Experiment 2, trained with the swapped loss, ties to the first of the list. An aggregate takes the "
        "least, mean or greatest of its members' outputs; its members are the best by the last VS rate."
    )
    page.heading("Tables 1 and 2")
    write_tables(page, tables)
    return page
