"""The batch engine does what the reference engine does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from shangyou.agents import take_turn
from shangyou.agents.scripted.random import RandomAgent
from shangyou.engines import reference
from shangyou.games import NOBODY, PASS, Game
from shangyou.games.shuffle import Stream
from shangyou.testing.failures import require

if TYPE_CHECKING:
    from shangyou.engines.batch import BatchEngine, Legal, State

Twins = list[reference.State]
"""Games of the batch as the reference engine plays them."""


def check_engine(game: Game, games: int = 50, seed: int = 0, device: str = "cpu", first_index: int = 0) -> int:
    """Play `games` random games in both engines, compare every decision and result; the number of decisions.

    The reference engine plays each game alone, so that no game can depend on those beside it in the batch.
    """
    from shangyou.engines.batch import BatchEngine  # needs torch, as nothing else in the kit does

    engine, stream = BatchEngine(game, device), Stream(seed, first_index)
    state, twins = engine.deal(games, seed, first_index), [reference.deal(game, seed, first_index + i) for i in range(games)]
    state = _check_bids(engine, state, twins, stream)
    start, begun, decisions = state.copy(), list(twins), 0
    while len(running := state.running.tolist()):
        now = [twins[i] for i in running]
        _check_views(engine, state, now)
        legal = engine.legal(state)
        lists = _check_legal(legal, now)
        _check_cards(engine, state, legal, now)
        plays = [choices[stream.below(len(choices))] for choices in lists]
        state = engine.step(state, state.running.new_tensor(plays))
        for i, play in zip(running, plays, strict=True):
            twins[i] = reference.step(twins[i], play)
        going = set(state.running.tolist())
        _compare("goes on", [i in going for i in running], [not twins[i].over for i in running], now)
        decisions += len(running)
    _check_results(engine, state, twins)
    _check_random_play(engine, start, begun)
    return decisions


def _compare(what: str, batch: Sequence[object], expected: Sequence[object], twins: Twins) -> None:
    """One value a game of both engines."""
    for ours, theirs, twin in zip(batch, expected, twins, strict=True):
        if ours != theirs:
            require(False, f"{what}: {ours} in the batch engine, {theirs} in the reference engine", twin)


def _check_bids(engine: BatchEngine, state: State, twins: Twins, stream: Stream) -> State:
    """Random bids until every game has its landlord."""
    running = state.running
    while bool((due := engine.bidding(state)).any()):
        state = replace(state, running=running[due])
        numbers = state.running.tolist()
        now = [twins[i] for i in numbers]
        _check_views(engine, state, now)
        _compare("highest bid", engine.highest_bid(state).tolist(), [max(twin.bids, default=0) for twin in now], now)
        allowed = [reference.legal_bids(twin) for twin in now]
        bids = [points[stream.below(len(points))] for points in allowed]
        for i, points in zip(numbers, bids, strict=True):
            twins[i] = reference.bid(twins[i], points)
        state = replace(engine.bid(state, state.running.new_tensor(bids)), running=running)
    return state


def _check_random_play(engine: BatchEngine, state: State, twins: Twins) -> None:
    """Whole random games in one kernel."""
    seeds, ends = list(range(engine.game.seats)), list(twins)
    agents = [RandomAgent(seed) for seed in seeds]
    for i, end in enumerate(ends):
        while not end.over:
            end = take_turn(end, agents[end.turn])
        ends[i] = end
    _check_results(engine, engine.play_randomly(state, seeds), ends)


def _check_legal(legal: Legal, twins: Twins) -> list[list[int]]:
    """The legal plays of each game."""
    plays = legal.plays.tolist()
    lists = [plays[a:b] for a, b in pairwise(legal.starts.tolist())]
    _compare("legal plays", lists, [reference.legal(twin).tolist() for twin in twins], twins)
    owners = [i for i, row in enumerate(lists) for _ in row]
    _compare("owner of a legal play", legal.rows.tolist(), owners, [twins[i] for i in owners])
    return lists


def _check_cards(engine: BatchEngine, state: State, legal: Legal, twins: Twins) -> None:
    """The very cards of every legal play, and the same plays from nothing but the hand and the play to beat."""
    view, game = engine.view(state), engine.game
    owners = [twins[i] for i in legal.rows.tolist()]
    picked = [game.pick(twin.hands[twin.turn], play) for twin, play in zip(owners, legal.plays.tolist(), strict=True)]
    cards = engine.cards_of(view.hand[legal.rows], legal.plays)
    _compare("cards of a play", cards.tolist(), [list(game.deck.words(cards)) for cards in picked], owners)
    _check_legal(engine.legal_of(view.hand, view.last), twins)


def _check_views(engine: BatchEngine, state: State, twins: Twins) -> None:
    view = engine.view(state)
    _compare("seat to act", engine.turn(state).tolist(), [twin.turn for twin in twins], twins)
    expected = [_as_lists(reference.view(twin), twin, view.history.shape[1]) for twin in twins]
    for field in fields(view):
        _compare(field.name, getattr(view, field.name).tolist(), [seen[field.name] for seen in expected], twins)


def _as_lists(view: reference.View, state: reference.State, memory: int) -> dict[str, object]:
    """The fields of the batch engine's View, whose history is the latest `memory` turns."""
    deck, seats, bids = view.game.deck, range(view.game.seats), dict(view.bids)
    latest = [*reversed(view.history), *[reference.Turn(NOBODY, PASS, 0)] * memory][:memory]
    return {
        "hand": list(deck.words(view.hand)),
        "unseen": list(deck.words(view.unseen)),
        "played": [list(deck.words(cards)) for cards in view.played],
        "left": list(view.left),
        "last": view.last,
        "last_by": view.last_by,
        "last_cards": list(deck.words(view.last_cards)),
        "landlord": view.landlord,
        "public": view.public,
        "passed": [seat in view.passed for seat in seats],
        "bids": [bids.get(seat, -1) for seat in seats],
        "bombs": state.bombs,
        "turns": len(view.history),
        "history": [turn.play for turn in latest],
        "history_by": [turn.seat for turn in latest],
    }


def _check_results(engine: BatchEngine, state: State, ends: Twins) -> None:
    scores, won = engine.results(state).tolist()
    _compare("scores", scores, [list(end.scores) for end in ends], ends)
    _compare("places", engine.places(state).tolist(), [list(end.places) for end in ends], ends)
    _compare("winners", won, [[seat in end.winners for seat in range(engine.game.seats)] for end in ends], ends)
