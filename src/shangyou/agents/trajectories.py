"""The loop that joins the batch engine and its agents, and what it writes down of the games.

    players = [load_batch("greedy", game), load_batch("random", game, seed=1)]
    played = play(BatchEngine(game), players, games=4096, seed=7, record=True)
    played.scores.float().mean(0)
    played.replayed(0)  # game 0 on the reference engine, to show it or to make a record of it

B games, n of them running, S seats, D decisions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.table import MOST_REDEALS
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine, Legal, State, View
from shangyou.engines.reference import REDEAL
from shangyou.games import BadInput, Game


@dataclass(frozen=True)
class Trajectories:
    """Every decision of B games, in order of time: all games' first, then the second of those still running, and so on."""

    game: Tensor  # [D] int32
    seat: Tensor  # [D] int8
    play: Tensor  # [D] int32
    choices: Tensor  # [D] int32 how many legal plays there were; with one, no agent was asked
    bids: Tensor  # [B, S] int32 those for the deal that was played, in the order they were made; -1: none
    views: View | None = None  # [D] what the seat saw, if that was asked for

    @cached_property
    def _by_game(self) -> tuple[Tensor, list[int]]:
        """The decisions sorted by game, still in order of time, and where a game's begin."""
        counts = torch.bincount(self.game, minlength=len(self.bids))
        return torch.argsort(self.game, stable=True), [0, *torch.cumsum(counts, 0).tolist()]

    def of_game(self, i: int) -> list[tuple[int, int]]:
        """Seat and play of every turn of game i."""
        order, starts = self._by_game
        i = range(len(self.bids))[i]
        mine = order[starts[i] : starts[i + 1]]
        return list(zip(self.seat[mine].tolist(), self.play[mine].tolist(), strict=True))

    def bids_of_game(self, i: int) -> list[int]:
        return [points for points in self.bids[i].tolist() if points >= 0]


@dataclass(frozen=True)
class Played:
    """Games played to their end."""

    game: Game
    state: State
    scores: Tensor  # [B, S] int32
    places: Tensor  # [B, S] int32
    trajectories: Trajectories | None  # if they were asked for

    def replayed(self, i: int) -> reference.State:
        """The end of game i on the reference engine, with all that led to it."""
        if self.trajectories is None:
            raise BadInput("these games were played without `record`: what was played is not known")
        plays = [play for _, play in self.trajectories.of_game(i)]
        return replay(self.game, self.state.seed, int(self.state.index[i]), plays, self.trajectories.bids_of_game(i))


def replay(game: Game, seed: int, index: int, plays: Sequence[int], bids: Sequence[int] = ()) -> reference.State:
    """Deal number `index` of `seed` bid for and played like this."""
    state = reference.deal(game, seed, index)
    for points in bids:
        state = reference.bid(state, points)
    for play in plays:
        state = reference.step(state, play)
    return state


def play(
    engine: BatchEngine,
    agents: Sequence[BatchAgent],
    games: int,
    seed: int,
    record: bool = False,
    first_index: int = 0,
    views: bool = False,
) -> Played:
    """Deals first_index, first_index + 1, ... of `seed`, one agent to a seat; `views` records what was seen, too."""
    seating = _Seating(engine, agents)
    return _play_out(engine, seating, seating.bid_out(engine.deal(games, seed, first_index)), record, views)


def play_out(engine: BatchEngine, agents: Sequence[BatchAgent], state: State) -> Played:
    """Games that have begun, from where they stand; those with bidding have their landlord."""
    return _play_out(engine, _Seating(engine, agents), state, record=False, views=False)


def _play_out(engine: BatchEngine, seating: _Seating, state: State, record: bool, views: bool) -> Played:
    recorder = _Recorder(engine, state, views) if record or views else None
    while len(state.running):
        legal = engine.legal(state)
        plays = seating.choose(state, legal)
        if recorder:
            recorder.note(state, plays, legal.counts)
        state = engine.step(state, plays)
    return Played(engine.game, state, engine.scores(state), engine.places(state), recorder.finish(state) if recorder else None)


class _Seating:
    """Agents in their seats."""

    def __init__(self, engine: BatchEngine, agents: Sequence[BatchAgent]) -> None:
        if len(agents) != engine.game.seats:
            raise BadInput(f"{engine.game.name} has {engine.game.seats} seats, not {len(agents)}")
        self.engine = engine
        self.seats_of = {  # [S] each: an agent in several seats is asked once for all of them
            agent: torch.tensor([other is agent for other in agents], device=engine.device) for agent in agents
        }

    def _turns(self, state: State, open_games: Tensor) -> Iterator[tuple[BatchAgent, Tensor]]:
        """Each agent with those of the open games, [n] bool, in which it is to act; agents without any are left out."""
        turn = self.engine.turn(state).long()
        for agent, seats in self.seats_of.items():
            mine = torch.nonzero(seats[turn] & open_games)[:, 0]
            if len(mine):
                yield agent, mine

    def choose(self, state: State, legal: Legal) -> Tensor:
        """[n] a play for each running game; where only one is legal, nobody is asked."""
        plays = legal.plays[legal.starts[:-1]]
        for agent, mine in self._turns(state, legal.counts > 1):
            view = self.engine.view(replace(state, running=state.running[mine]))
            plays[mine] = agent.act(view, part_of(legal, mine))
        return plays

    def bid_out(self, state: State) -> State:
        """The state in which every game has its landlord, where there is one to bid for."""
        everybody, last_index = state.running, state.index + MOST_REDEALS * REDEAL
        while bool((due := self.engine.bidding(state)).any()):
            bidding = replace(state, running=everybody[due])
            state = replace(self.engine.bid(bidding, self._bids(bidding)), running=everybody)
            if bool((state.index > last_index).any()):
                raise BadInput(f"{MOST_REDEALS} deals and no landlord: {', '.join(a.name for a in self.seats_of)} never bid")
        return state

    def _bids(self, state: State) -> Tensor:
        """[n] a bid for each running game."""
        bids = torch.zeros(len(state.running), dtype=torch.int32, device=self.engine.device)
        for agent, mine in self._turns(state, torch.ones_like(state.running, dtype=torch.bool)):
            bidding = replace(state, running=state.running[mine])
            bids[mine] = agent.bid(self.engine.view(bidding), self.engine.highest_bid(bidding)).to(torch.int32)
        return bids


def part_of(legal: Legal, games: Tensor) -> Legal:
    """The legal plays of some of the games, given ascending."""
    return legal if len(games) == len(legal.starts) - 1 else in_order(legal, games)


def in_order(legal: Legal, games: Tensor) -> Legal:
    """The legal plays of some games, in the order in which they are given."""
    counts = legal.counts[games]
    starts = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    rows = torch.repeat_interleave(counts)
    places = torch.arange(len(rows), device=rows.device) + (legal.starts[games] - starts[:-1])[rows]
    return Legal(rows, legal.plays[places], starts)


class _Recorder:
    """Keeps a piece of every column of `Trajectories` for each step of the loop."""

    def __init__(self, engine: BatchEngine, state: State, views: bool) -> None:
        self.engine = engine
        self.views: list[View] | None = [] if views else None
        self.columns: list[tuple[Tensor, ...]] = []
        nobody = state.running[:0]
        self.note(replace(state, running=nobody), nobody, nobody)  # so that no games are columns of no rows

    def note(self, state: State, plays: Tensor, counts: Tensor) -> None:
        """The running games are about to go on by these plays."""
        seat = self.engine.turn(state).to(torch.int8)
        self.columns.append((state.running.int(), seat, plays.int(), counts.int()))
        if self.views is not None:
            self.views.append(self.engine.view(state))

    def finish(self, state: State) -> Trajectories:
        game, seat, play, choices = (torch.cat(pieces) for pieces in zip(*self.columns, strict=True))
        bids = self.engine.bids(state)
        return Trajectories(game, seat, play, choices, bids, None if self.views is None else _joined(self.views))


def _joined(views: list[View]) -> View:
    return View(*(torch.cat([getattr(view, field.name) for view in views]) for field in fields(View)))
