"""Battle Royale's Experiment 5: twenty-four nets, the weak removed, and Tables 3 and 4."""

from __future__ import annotations

from pathlib import Path

from shangyou.lab import printed
from shangyou.lab.combined import EXPERIMENT_5, play_tables, write_tables
from shangyou.lab.page import Page
from shangyou.lab.populations import BATTLE_ROYALE, battle_royale_population
from shangyou.lab.round_robin import draw_history
from shangyou.lab.workshop import Lab


def run(lab: Lab, results: Path) -> Page:
    trained = battle_royale_population(lab)
    tables = play_tables(lab, "battle-royale-tables", trained, EXPERIMENT_5)
    page, args = Page(lab, "battle-royale", "Battle Royale, Experiment 5", results), BATTLE_ROYALE[lab.scale]
    page.say(
        f"Twenty-four nets, two of each of Experiment 2, {args.epochs} epochs of {args.batches} batches of {args.batch:,} "
        f"decisions, and at least {args.games:,} games after each epoch between every two nets alive and of each with itself. "
        "Exploration is 1/(epoch + 2) · √(24/alive); a net is removed when its VS rate is below 0.5 (1 − 0.75^(epoch · "
        "alive/24)). Swapped loss, ties to the first of the list, as run."
    )
    page.heading("Tables 3 and 4")
    write_tables(page, tables)
    page.heading("Who was removed when")
    removed = {name: (found.epoch + 1) * args.batches - 1 for found in trained.history for name in found.removed}
    rows = [[name, printed.LAST_STEP_OF_REMOVED.get(name), removed.get(name)] for name in trained.nets]
    page.table(["net", "last step, paper", "last step, ours"], sorted(rows, key=lambda row: (row[2] or 10**9, row[0])))
    dense = sum(name.startswith("Dense") for name in trained.alive)
    page.say(f"{len(trained.alive)} nets remained, {dense} of them dense; in the paper ten, all convolutional.")
    draw_history(page, trained)
    return page
