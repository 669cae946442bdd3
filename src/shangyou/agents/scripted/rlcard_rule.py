"""RLCard's rule agent for Dou Dizhu, a common opponent in published measurements of strength."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import numpy as np

from shangyou.agents.agent import Agent, Values
from shangyou.agents.errors import Why
from shangyou.agents.scripted.bidding import BidsByStrength
from shangyou.engines.reference import View
from shangyou.games import PASS, BadInput, Cards, Deck, PlayTable, Rows
from shangyou.games.shuffle import hash_choice, seed_key

OUR_JOKERS, THEIR_JOKERS = "SB", "BR"  # small and big here, black and red there
TO_RLCARD = str.maketrans(OUR_JOKERS, THEIR_JOKERS)
FROM_RLCARD = str.maketrans(THEIR_JOKERS, OUR_JOKERS)
RLCARD_PASS = "pass"
SEEDS = 1 << 32  # numpy's global generator takes seeds below this


class RlcardRuleAgent(BidsByStrength, Agent):
    """`DouDizhuRuleAgentV1` of PyPI's rlcard 1.2.0, called with positions in RLCard's notation.

    It leads the group with its lowest card and follows with the lowest play of the same type; where it has none, a
    peasant does not beat its partner and others choose among all legal plays at random. Its code takes whoever passed
    last for the one to beat, so the second peasant never bombs the landlord once the first has passed.

    It bids by strength. Should an answer be illegal, the lowest legal play is taken; in
    2,000 games with it in all seats, 63,860 choices, none was. Plays that RLCard does not know, those of `joker_kickers`, it
    does not make, and it passes on them.
    """

    name = "rlcard-rule"

    def __init__(self, seed: int = 0) -> None:
        try:
            from rlcard.games.doudizhu.utils import TYPE_CARD
            from rlcard.models.doudizhu_rule_models import DouDizhuRuleAgentV1
        except ImportError as missing:
            raise BadInput(Why.agent_needs(name=self.name, package="rlcard")) from missing
        self.key = seed_key(seed)
        self.rule = DouDizhuRuleAgentV1()
        in_order = [play for plays_of in TYPE_CARD.values() for plays in plays_of.values() for play in plays]
        self.place = {play: i for i, play in enumerate([RLCARD_PASS, *in_order])}  # of equals it takes the first of its list

    def values(self, view: View, legal: Rows) -> Values:
        if view.last != PASS and _spell_play(view.game.table, view.last) not in self.place:
            return np.asarray(legal == PASS, np.float64)
        answer = self._ask(view, legal if view.last != PASS else legal[:0])  # leading, it does not look at the list
        chosen = legal == _row(view, answer) if answer in self.place else np.zeros(len(legal), bool)
        return np.asarray(chosen if chosen.any() else legal == legal[0], np.float64)

    def _ask(self, view: View, legal: Rows) -> str:
        """Seats are counted from the one that asks: the agent only looks whether one of them is the landlord."""
        deck, table = view.game.deck, view.game.table
        actions = (_spell_play(table, play) for play in legal.tolist())
        seen = {
            "current_hand": _spell(deck, view.hand),
            "actions": sorted(filter(self.place.__contains__, actions), key=self.place.__getitem__),
            "trace": _round_so_far(view),
            "landlord": view.landlord,
            "self": 0,
        }
        with _numpy_seeded(hash_choice(self.key, len(view.history), deck.words(view.hand), SEEDS)):
            return str(self.rule.step({"raw_obs": seen}))


def _round_so_far(view: View) -> list[tuple[int, str]]:
    """What the agent reads of the history: the play to beat, and the pass of the seat in between. Empty: to lead."""
    if view.last == PASS:
        return []
    standing = view.last_by, _spell_play(view.game.table, view.last)
    return [standing, *((seat, RLCARD_PASS) for seat in range(view.last_by + 1, view.game.seats))]


def _spell(deck: Deck, cards: Cards) -> str:
    return deck.format(cards).translate(TO_RLCARD) or RLCARD_PASS


@cache  # spelling takes longer than the agent thinks
def _spell_play(table: PlayTable, play: int) -> str:
    return _spell(table.deck, int(table.cards[play]))


def _row(view: View, text: str) -> int | None:
    """The inverse of `_spell` for plays."""
    return PASS if text == RLCARD_PASS else view.game.table.find(view.game.deck.parse(text.translate(FROM_RLCARD)))


@contextmanager
def _numpy_seeded(seed: int) -> Iterator[None]:
    """The agent draws from numpy's global generator, which is put back as it was."""
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
