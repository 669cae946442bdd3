"""The positions that the DeepRocket paper discusses, and what an agent makes of them.

for position in positions():
    suggestions = suggest(position.view, agent)  # the agent's plays, best first, with its values
    prefers(position, agent)  # whether the first of them is the paper's
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice

import numpy as np
import numpy.typing as npt

from shangyou.agents import Agent, suggest
from shangyou.engines import reference
from shangyou.engines.reference import State, View
from shangyou.games import PASS
from shangyou.games.cards import RANKS
from shangyou.lab.deeprocket_match import load_game, read_records
from shangyou.records import Record, states

THREE, KING = RANKS.index("3"), RANKS.index("K")
LEAD, ANSWER = THREE + 1, KING + 1  # their rows: single cards come first in the table, after the pass
COOPERATION, INFERENCE = 20, 21  # places of the examples of Section 5.4 among the records


@dataclass(frozen=True)
class Position:
    name: str
    state: State  # with all hands, for whoever explains the position
    paper: str  # what the paper says
    play: str = ""  # the play it praises, if any

    @property
    def view(self) -> View:
        """What the seat to act sees."""
        return reference.view(self.state)


def positions() -> list[Position]:
    records = read_records()
    return [
        Position(
            "Section 5.4, cooperation",
            _before_play(records[COOPERATION], 20),
            'The down peasant leads. "The DeepRocket played out 3 to help the partner won the game, also himself": the up '
            "peasant has one card left, a 5, and the landlord holds 448QB.",
            "3",
        ),
        Position(
            "Section 5.4, inference",
            _before_play(records[INFERENCE], 10),
            'The up peasant leads. "Despite Peasants lost at last, it is a good choice that the Up Peasant played out A": the '
            "landlord has one card left, and the up peasant five solo cards, 7, 8, J, A and S.",
            "A",
        ),
        Position(
            "Section 6, kings",
            _after_king(next(led for led in king_deals(0) if kings_held(led)[1] == 2)),
            'The landlord led 3 and has one K, the down peasant passed, the up peasant played K. "Human expert deduces the '
            'maximum probability of K distribution is Down Peasant has two K". The paper gives no cards; these are the first '
            "deal of seed 0 that fits.",
        ),
    ]


def _before_play(record: Record, number: int) -> State:
    """The state before the cards that were put down as the number-th, from 1."""
    plays = [state for state, (_, cards) in zip(states(record), record.turns, strict=False) if cards]
    return plays[number - 1]


def prefers(position: Position, agent: Agent) -> bool:
    """Whether the agent makes the play that the paper praises."""
    return suggest(position.view, agent)[0].label == position.play


# -- two kings --------------------------------------------------------------------------------------------------------


def king_deals(seed: int) -> Iterator[State]:
    """The deals of the seed, without end, in which the landlord has led 3 and has one K, and the up peasant could answer K."""
    game = load_game()
    for start in (reference.deal(game, seed, index) for index in count()):
        landlord, _, up_peasant = kings_held(start)
        if landlord == 1 and up_peasant and game.deck.copies(start.hands[0], THREE):
            yield reference.step(start, LEAD)


def kings_held(state: State) -> list[int]:
    """[S]"""
    return [state.game.deck.copies(hand, KING) for hand in state.hands]


def _after_king(led: State) -> State:
    return reference.step(reference.step(led, PASS), ANSWER)


@dataclass(frozen=True)
class KingDeduction:
    """Where the two K are that the landlord does not see: chances that the down peasant has 0, 1 or 2 of them."""

    by_cards: list[float]  # [3] by the cards alone
    by_plays: list[float]  # [3] if the agent passed as down peasant and answered K as up peasant
    effective_deals: float  # as many deals of equal weight would say as much as `by_plays`


def deduce_kings(agent: Agent, deals: int, temperature: float, seed: int = 0) -> KingDeduction:
    """What a pass and a K say of the other two K, by Bayes' rule over random deals. The agent is taken to make a play with
    a probability in proportion to exp(value / temperature)."""
    led = list(islice(king_deals(seed), deals))
    held = np.array([kings_held(state)[1] for state in led])
    made = [
        _probability(agent, state, PASS, temperature) * _probability(agent, reference.step(state, PASS), ANSWER, temperature)
        for state in led
    ]
    weights = np.array(made) / np.max(made)
    return KingDeduction(_shares(held, np.ones(deals)), _shares(held, weights), float(weights.sum() ** 2 / (weights**2).sum()))


def _probability(agent: Agent, state: State, play: int, temperature: float) -> float:
    legal = reference.legal(state)
    values = agent.values(reference.view(state), legal)
    odds = np.exp((values - values.max()) / temperature)
    return float(odds[legal == play].sum() / odds.sum())


def _shares(kings: npt.NDArray[np.int64], weights: npt.NDArray[np.float64]) -> list[float]:
    shares: list[float] = (np.bincount(kings, weights, minlength=3) / weights.sum()).tolist()
    return shares
