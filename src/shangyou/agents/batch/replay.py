"""Stored games played again on the batch engine, on its device, all at once.

B games, n of them running, S seats, W words a set of cards.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from shangyou.agents.batch.agent import BatchAgent
from shangyou.agents.batch.play import Decision, Played, play
from shangyou.engines.batch import BatchEngine, Legal, State, View
from shangyou.engines.game_columns import GIVEN, GameColumns, Ints
from shangyou.engines.kernels.layout import TURNS
from shangyou.games import BadInput


class ReplayAgent(BatchAgent):
    """Makes the stored plays; where a game has no more of them, the lowest legal play, which leads to an end."""

    name = "replay"

    def __init__(self, engine: BatchEngine, games: GameColumns) -> None:
        super().__init__(engine.game)
        self.plays, self.starts = (
            _on_device(engine, games.plays.values.astype(np.int32)),
            _on_device(engine, games.plays.starts),
        )

    def stored(self, games: Tensor, turns: Tensor, otherwise: Tensor) -> Tensor:
        """[n] the stored plays of games [n] at turns [n]; beyond their ends what is given for them [n]."""
        places = self.starts[games] + turns
        known = places < self.starts[games + 1]
        return torch.where(known, self.plays[torch.where(known, places, 0)], otherwise)

    def act_each(self, view: View, legal: Legal, games: Tensor, ends: Sequence[int]) -> Tensor:
        return self.stored(games, view.turns, legal.plays[legal.starts[:-1]])

    def values(self, view: View, legal: Legal) -> Tensor:
        raise TypeError("which play is stored depends on the game: ask `act_each`")


def replay(engine: BatchEngine, games: GameColumns, on_decision: Callable[[Decision], None]) -> Played:
    """Play stored games, each of which has a play, and check them: every play must be legal, every result what the plays give.

    Decisions beyond the end of an unfinished game are shown too: its plays are the lowest legal ones. Games in which other
    cards were put down than `Game.pick` takes cannot be replayed here.
    """
    agent = ReplayAgent(engine, games)

    def check(decision: Decision) -> None:
        turns = decision.state.scalars[TURNS, decision.games]
        wanted = agent.stored(decision.games, turns, decision.plays)
        legal = torch.zeros_like(decision.games, dtype=torch.bool)
        legal[decision.legal.rows[decision.legal.plays == wanted[decision.legal.rows]]] = True
        if not bool(legal.all()):
            place = int(torch.nonzero(~legal)[0])
            number, turn = int(games.number[int(decision.games[place])]), int(turns[place])
            raise BadInput(f"game {number}: play {turn + 1}, row {int(wanted[place])} of the table, is not legal")
        on_decision(decision)

    played = play(engine, [agent] * engine.game.seats, None, start(engine, games), check)
    _check_results(played, games)
    return played


def _check_results(played: Played, games: GameColumns) -> None:
    finished = torch.as_tensor(games.finished)
    over = played.turns.cpu() == torch.as_tensor(games.plays.lengths)
    paid = (played.scores.cpu() == torch.as_tensor(games.scores)).all(1)
    wrong = torch.nonzero((over != finished) | (finished & ~paid))[:, 0]
    if len(wrong):
        raise BadInput(f"game {games.number[int(wrong[0])]}: the scores are not what the plays give")


def start(engine: BatchEngine, games: GameColumns) -> State:
    """The games before their first play."""
    given = games.index == GIVEN
    for i in np.flatnonzero(given).tolist():
        games.deal(i)  # checks the cards
    state = engine.start(*(_on_device(engine, column) for column in (games.hands, games.public, games.first)))
    for seed in np.unique(games.seed[~given]).tolist():
        rows = np.flatnonzero(~given & (games.seed == seed))
        dealt, places = engine.deal_these(_on_device(engine, games.index[rows]), seed), _on_device(engine, rows)
        state.cards[:, places], state.scalars[:, places] = dealt.cards, dealt.scalars
    return _bid(engine, state, games)


def _on_device(engine: BatchEngine, column: Ints) -> Tensor:
    return torch.as_tensor(column, device=engine.device)


def _bid(engine: BatchEngine, state: State, games: GameColumns) -> State:
    """The games after their stored bids."""
    if not engine.game.has_bidding and len(games.bids.values):
        raise BadInput(f"game {games.number[np.flatnonzero(games.bids.lengths)[0]]}: it has bids, and its rules have none")
    everybody, lengths = state.running, _on_device(engine, games.bids.lengths)
    made, starts = _on_device(engine, games.bids.values), _on_device(engine, games.bids.starts)
    for number in range(engine.game.seats if engine.game.has_bidding else 0):
        due = everybody[lengths > number]
        state = engine.bid(replace(state, running=due), made[starts[due] + number])
    state = replace(state, running=everybody)
    if bool(engine.bidding(state).any()):
        place = int(torch.nonzero(engine.bidding(state))[0])
        raise BadInput(f"game {games.number[place]}: it has plays, and its bids make nobody landlord")
    return state
