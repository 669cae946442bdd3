"""Two greedy players: ours, which plays low cards in large plays, and the baseline of the Deep ZSY papers."""

import numpy as np

from shangyou.agents.agent import Agent, Values
from shangyou.agents.scripted.bidding import BidsByStrength
from shangyou.engines.reference import View
from shangyou.games import PASS, Rows

NEVER_IF_AVOIDABLE = 1000.0  # above any size or strength in a table


class GreedyAgent(BidsByStrength, Agent):
    """Leads its lowest card in the play that sheds most; answers with the lowest play that beats, bombs last, passes never."""

    name = "greedy"

    def values(self, view: View, legal: Rows) -> Values:
        table = view.game.table
        bombs = NEVER_IF_AVOIDABLE * (table.bomb[legal] > 0)
        if view.last == PASS:
            counts = view.game.deck.counts(view.hand)
            lowest = next(rank for rank, count in enumerate(counts) if count)
            sheds_lowest = table.need[lowest, legal] > 0
            return np.asarray(table.size[legal] + 2 * NEVER_IF_AVOIDABLE * sheds_lowest - bombs, np.float64)
        passing = 2 * NEVER_IF_AVOIDABLE * (legal == PASS)
        return np.asarray(-table.strength[legal] - bombs - passing, np.float64)


class PaperGreedyAgent(Agent):
    """The greedy of the Deep ZSY and Battle Royale papers, as their code plays it: the second entry of the list of plays.

    Following, that is the lowest play that beats, else the lowest bomb. Leading, where the list holds no pass, it is
    the second-lowest rank as a single card, not the lowest as the papers say; with one rank left, the pair.
    """

    name = "paper-greedy"

    def values(self, view: View, legal: Rows) -> Values:
        return np.where(np.arange(len(legal)) == min(1, len(legal) - 1), 1.0, 0.0)
