"""The conformance kit: what every game, agent and engine must do, as one line in your own tests.

    check_game(games.load("doudizhu", spring=True))
    check_agent(MyAgent, games.load("zsy2"))
    check_engine(games.load("zsy4"), device="cuda")

A failure is an AssertionError that shows the position: seed, deal, turn, hand and the play to beat.
"""

from shangyou.testing.agents import check_agent
from shangyou.testing.engines import check_engine
from shangyou.testing.games import check_game, check_view, reshuffled

__all__ = ["check_agent", "check_engine", "check_game", "check_view", "reshuffled"]
