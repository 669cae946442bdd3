"""An agent of your own: a number for every legal play, the highest is played.

shangyou match zsy2 examples/agent.py greedy --deals 200
shangyou play zsy2 --against examples/agent.py
"""

from shangyou.agents import Agent
from shangyou.agents.scripted.bidding import BidsByStrength


class SmallestFirst(BidsByStrength, Agent):
    """Sheds many cards at once, low ones first, and keeps bombs for the end; bids by the strength of its hand."""

    name = "smallest-first"

    def values(self, view, legal):
        table = view.game.table
        return 1e3 * table.size[legal] - table.strength[legal] - 1e6 * (table.bomb[legal] > 0)
