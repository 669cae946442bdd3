"""Stored games played again on the batch engine, on its device, all at once.

B games, n of them running, S seats, W words a set of cards.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from shangyou.agents.batch.agent import BatchAgent
from shangyou.agents.batch.play import Decision, Played, play
from shangyou.engines.batch import BatchEngine, Legal, State, View
from shangyou.engines.game_columns import GIVEN, GameColumns
from shangyou.engines.kernels.layout import TURNS
from shangyou.games import BadInput


class ReplayAgent(BatchAgent):
    """Makes the stored plays; where a game has no more of them, the lowest legal play, which leads to an end."""

    name = "replay"

    def __init__(self, engine: BatchEngine, games: GameColumns) -> None:
        super().__init__(engine.game)
        self.plays = torch.as_tensor(games.plays.values.astype("int32"), device=engine.device)
        self.starts = torch.as_tensor(games.plays.starts, device=engine.device)

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
    on_device = (torch.as_tensor(column, device=engine.device) for column in (games.hands, games.public, games.first))
    for i in (games.index == GIVEN).nonzero()[0].tolist():
        games.deal(i)  # checks the cards
    state = engine.start(*on_device)
    for seed in sorted(set(games.seed[games.index != GIVEN].tolist())):
        rows = ((games.seed == seed) & (games.index != GIVEN)).nonzero()[0]
        dealt = engine.deal_these(torch.as_tensor(games.index[rows], device=engine.device), seed)
        places = torch.as_tensor(rows, device=engine.device)
        state.cards[:, places], state.scalars[:, places] = dealt.cards, dealt.scalars
    return bid(engine, state, games) if engine.game.has_bidding else state


def bid(engine: BatchEngine, state: State, games: GameColumns) -> State:
    """The games after their stored bids."""
    everybody, lengths = state.running, torch.as_tensor(games.bids.lengths, device=engine.device)
    made, starts = (torch.as_tensor(column, device=engine.device) for column in (games.bids.values, games.bids.starts))
    for number in range(engine.game.seats):
        due = everybody[lengths > number]
        state = engine.bid(replace(state, running=due), made[starts[due] + number])
    state = replace(state, running=everybody)
    if bool(engine.bidding(state).any()):
        place = int(torch.nonzero(engine.bidding(state))[0])
        raise BadInput(f"game {games.number[place]}: it has plays, and its bids make nobody landlord")
    return state
