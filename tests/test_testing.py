"""The conformance kit passes what we ship, and catches what is broken."""

from __future__ import annotations

import copy
from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from engines.toy_games import straight_flush_bombs
from games.variants import VARIANTS, variant_name
from shangyou import agents, games
from shangyou.agents import Agent
from shangyou.agents.scripted.greedy import GreedyAgent
from shangyou.agents.scripted.random import RandomAgent
from shangyou.engines import reference
from shangyou.engines.kernels import layout
from shangyou.games import PASS, PlayTable
from shangyou.games.doudizhu import Doudizhu, DoudizhuRules
from shangyou.games.shuffle import Stream
from shangyou.games.zsy2 import Zsy2, Zsy2Rules
from shangyou.testing import check_agent, check_engine, check_game, check_view
from team_game import TeamGame

SMALL = Zsy2Rules(cards_each=6)  # a table of a few hundred rows


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
def test_every_game_passes(variant):
    name, rules = variant
    check_game(games.load(name, **rules), games=8)


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
@pytest.mark.parametrize("agent", ["random", "greedy"])
def test_every_simple_agent_passes(agent, variant):
    name, rules = variant
    game = games.load(name, **rules)
    check_agent(lambda: agents.load(agent, game, seed=5), game, games=3)


@pytest.mark.parametrize("agent", ["random", "greedy"])
def test_simple_agents_pass_in_teams(agent):
    check_agent(lambda: agents.load(agent, TeamGame(), seed=5), TeamGame(), games=5)


# -- broken games -----------------------------------------------------------------------------------------------------


class PaysTheWinnerTwice(Zsy2):
    def scores(self, ending):
        return tuple(max(2 * score, score) for score in super().scores(ending))


class CallsTheLoserWinner(Zsy2):
    def winners(self, out, landlord):
        return (1 - out[0],)


class DealsOneHandForEver(Zsy2):
    def deal(self, seed, index=0):
        return super().deal(seed, 0)


class DealsByWhim(Zsy2):
    deals = 0

    def deal(self, seed, index=0):
        self.deals += 1
        return super().deal(seed, self.deals)


class LosesTheHiddenCards(Zsy2):
    def deal(self, seed, index=0):
        return replace(super().deal(seed, index), hidden=0)


class PicksOtherCards(Zsy2):
    def pick(self, hand, play):
        return super().pick(hand, play and play - 1)


class PartnersSitSideBySide(TeamGame):
    def sides(self, landlord=games.NOBODY):
        return (0, 0, 1, 1)


class LetsOneOfATeamWin(TeamGame):
    def winners(self, out, landlord):
        return out[:1]

    def scores(self, ending):
        return tuple(3 if seat == ending.out[0] else -1 for seat in range(4))


class LetsNobodyBid(Doudizhu):
    def allowed_bids(self, bids):
        return ()


@pytest.mark.parametrize(
    ("game", "complaint"),
    [
        (PaysTheWinnerTwice(SMALL), r"scores \(.*\) are not zero in sum"),
        (CallsTheLoserWinner(SMALL), r"seat \d was first out, winners are"),
        (DealsOneHandForEver(SMALL), "are only 1 different ones"),
        (DealsByWhim(SMALL), "dealing twice gives two deals"),
        (LosesTheHiddenCards(SMALL), "the deal is not the whole deck"),
        (PicksOtherCards(SMALL), "label .* of row 1 cannot be read"),
        (PartnersSitSideBySide(), r"sides \(0, 0, 1, 1\) with landlord -1 are not those of"),
        (LetsOneOfATeamWin(), r"winners \(\d,\) are not the side of seat \d in \(0, 1, 0, 1\)"),
        (LetsNobodyBid(DoudizhuRules(bidding=True)), "a bid is due and none is allowed"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, games.Game) else "",
)
def test_a_broken_game_is_caught(game, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_game(game, games=4)


def test_a_failure_shows_the_position():
    with pytest.raises(AssertionError, match=r"zsy2 \(cards_each=6\) seed 3 deal 0 turn \d+: seat \d holds \w+, to beat \w+"):
        check_game(PaysTheWinnerTwice(SMALL), games=1, seed=3)


# -- broken tables ----------------------------------------------------------------------------------------------------


class BeatsItself(PlayTable):
    def beats(self, a, b):
        return a == b != PASS or super().beats(a, b)


class GoesInCircles(PlayTable):
    """The lowest single card beats the highest, and nothing else is changed."""

    def beats(self, a, b):
        return (a, b) == (1, 15) or super().beats(a, b)


class ForgetsBombs(PlayTable):
    def answers(self, last):
        rows = super().answers(last)
        return rows[self.bomb[rows] == 0] if last != PASS else rows


class MixesPatterns(PlayTable):
    def answers(self, last):
        return np.union1d(super().answers(last), [20]).astype(np.int32) if last == 1 else super().answers(last)


class AcceptsAnyRow(PlayTable):
    def may_follow(self, play, last):
        return True


def with_table(kind: type[PlayTable]) -> Zsy2:
    game = Zsy2(SMALL)
    game.table = copy.copy(game.table)
    game.table.__class__ = kind
    game.table._answers = {}
    return game


@pytest.mark.parametrize(
    ("kind", "complaint"),
    [
        (BeatsItself, "3 beats itself"),
        (GoesInCircles, "beat each other"),
        (ForgetsBombs, "3 is not beaten by every bomb"),
        (MixesPatterns, "3 is answered by 77"),
        (AcceptsAnyRow, "is not legal, yet `step` takes it"),
    ],
)
def test_a_broken_table_is_caught(kind, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_game(with_table(kind), games=4)


def test_two_rows_with_one_label_are_caught():
    game = with_table(PlayTable)
    game.table.labels = ["pass", *game.table.labels[1:-1], "3"]
    with pytest.raises(AssertionError, match=r"rows 1 and \d+ have the same label '3'"):
        check_game(game, games=1)


def test_a_column_changed_by_hand_is_caught():
    game = with_table(PlayTable)
    game.table.cards = game.table.cards[::-1].copy()
    with pytest.raises(AssertionError):
        check_game(game, games=1)


# -- views that leak --------------------------------------------------------------------------------------------------


def shows_the_next_hand(state, seat):
    return replace(reference.view(state, seat), bids=((1, state.hands[(seat + 1) % state.game.seats]),))


def shows_public_cards_too_early(state, seat):
    return replace(reference.view(state, seat), public=state.start.public)


def is_not_relative(state, seat):
    return replace(reference.view(state, seat), left=tuple(map(state.game.deck.size, state.hands)))


@pytest.mark.parametrize(
    ("view", "complaint"),
    [
        (shows_the_next_hand, "the view of seat 1 changes with cards it cannot see"),
        (shows_public_cards_too_early, "the view of seat 1 changes with cards it cannot see"),
        (is_not_relative, "seat 1 sees wrong cards left"),
    ],
)
def test_a_leaking_view_is_caught(view, complaint):
    state = reference.deal(games.load("doudizhu", bidding=view is not is_not_relative), seed=1)
    check_view(state, 1, Stream(0))
    with pytest.raises(AssertionError, match=complaint):
        check_view(state, 1, Stream(0), view)


# -- broken engines ---------------------------------------------------------------------------------------------------


def test_an_engine_that_misses_plays_is_caught(monkeypatch):
    """As if every bomb had four equal cards, which straight flushes have not."""
    monkeypatch.setattr(layout, "_bomb_cards", lambda table: 4)
    complaint = (
        r"legal plays: \[.*\] in the batch engine, \[.*\] in the reference engine\n  toy .* seed 0 deal \d+ turn \d+: seat"
    )
    with pytest.raises(AssertionError, match=complaint):
        check_engine(straight_flush_bombs())


# -- broken agents ----------------------------------------------------------------------------------------------------


class PlaysAnything(GreedyAgent):
    def act(self, view, legal):
        return next(row for row in range(len(view.game.table)) if row not in legal)


class SaysNaN(GreedyAgent):
    def values(self, view, legal):
        return np.full(len(legal), np.nan)


class SaysTooLittle(GreedyAgent):
    def values(self, view, legal):
        return super().values(view, legal)[:-1]


class PlaysItsWorst(GreedyAgent):
    def act(self, view, legal):
        return int(legal[np.argmin(self.values(view, legal))])


class ChangesTheList(GreedyAgent):
    def values(self, view, legal):
        legal[:] = legal[::-1]
        return super().values(view, legal)


class HasItsOwnWill(RandomAgent):
    """Every one made differs from all before, by seeds that are the same whenever the tests run."""

    born = count()

    def __init__(self):
        super().__init__(seed=next(self.born))


class BidsTooMuch(GreedyAgent):
    def bid(self, view, bids):
        return 4


class HasNoBid(Agent):
    name = "plays only"

    def values(self, view, legal):
        return np.zeros(len(legal))


@pytest.mark.parametrize(
    ("make_agent", "complaint"),
    [
        (PlaysAnything, "which is not legal"),
        (SaysNaN, "values that are not finite"),
        (SaysTooLittle, "gives values of shape"),
        (PlaysItsWorst, "the best of its values is"),
        (ChangesTheList, "changes the list of legal plays"),
        (HasItsOwnWill, "made twice alike plays"),
        (BidsTooMuch, r"bids 4, allowed are \(0, 1, 2, 3\)"),
        (HasNoBid, r"agent 'plays only' does not bid: it has no `bid`(.|\n)*doudizhu \(bidding=True\) seed 0 deal 0"),
    ],
)
def test_a_broken_agent_is_caught(make_agent, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_agent(make_agent, games.load("doudizhu", bidding=make_agent in (BidsTooMuch, HasNoBid)), games=1)


def test_an_agent_without_bid_plays_games_without_bidding():
    check_agent(HasNoBid, games.load("doudizhu"), games=1)


class NeverBids(RandomAgent):
    def bid(self, view, bids):
        return 0


def test_an_agent_that_never_bids_still_gets_to_play():
    check_agent(NeverBids, games.load("doudizhu", bidding=True), games=2)
