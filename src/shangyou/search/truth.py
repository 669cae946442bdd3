"""What was true of a game with all hands known: who could force what at each turn, and which plays gave it away.

    found = truth(list(states(record)))
    found.forced_from, [one for one in found.turns if one.gave_away]

Turns are asked about from the last one backwards: positions near the end are the easiest, and what is found of one bounds the
one before it, since no play can force more than the position did, for whichever side makes it. A turn after which its side
still wins costs nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from shangyou.engines import reference
from shangyou.engines.reference import State, Turn
from shangyou.search.outcomes import read_objective
from shangyou.search.solver import Search, check_rules

GAME_NODES, TURN_NODES = 1_500_000, 500_000  # positions looked at for a game, and for one turn of it
MOST_UNKNOWN = 3  # turns in a row; those before them are harder


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A turn with several legal plays, all hands known. Values are those of `solver.Answer`: 1 or 0 for win, or a place."""

    turn: int  # its number among the plays and passes, from 0
    seat: int
    value: int  # what the seat could force before its play
    after: int | None  # and after it; None: unknown
    better: Turn | None  # a play that would have kept it, where the one made did not

    @property
    def gave_away(self) -> bool:
        return self.after not in (None, self.value)


@dataclass(frozen=True, slots=True)
class Truth:
    objective: str
    turns: tuple[OpenTurn, ...]  # those whose value is known
    proven_from: int | None  # from this turn to the end all is known; None: of no turn
    forced_from: int | None  # from it on the winners won by force; None: unknown, unfinished, or more than two sides
    nodes: int  # positions looked at


def truth(states: Sequence[State], nodes: int = GAME_NODES, turn_nodes: int = TURN_NODES) -> Truth:
    """Of a game in all its states, finished or not; before the first play nothing is asked."""
    game = states[0].game
    check_rules(game)
    objective = read_objective(game, None)
    plays = [state for state in states if not state.bidding]
    choices = [number for number, state in enumerate(plays[:-1]) if len(reference.legal(state)) > 1]
    sides = _sides(plays, choices, objective, nodes)
    found: list[OpenTurn] = []
    left, unknown, proven_from = nodes, 0, 0
    for number in reversed(choices):
        side = sides[plays[number].turn]
        one, seen = side.look_at(number, min(turn_nodes, left))
        left = max(left - seen, 0)
        if one is None or one.after is None:
            proven_from = max(proven_from, number + 1)
        if one is not None:
            found.insert(0, one)
            unknown = 0
        elif (unknown := unknown + 1) == MOST_UNKNOWN:
            break
    proven = any(one.turn >= proven_from for one in found)
    forced = proven and plays[-1].over and len({*game.sides(plays[-1].landlord)}) == 2
    last_error = max((one.turn for one in found if one.gave_away), default=-1)
    return Truth(
        objective,
        tuple(found),
        proven_from if proven else None,
        max(proven_from, last_error + 1) if forced else None,
        sum(side.search.nodes for side in {*sides.values()}),
    )


def _sides(plays: Sequence[State], choices: Sequence[int], objective: str, nodes: int) -> dict[int, "_Side"]:
    """For each seat that chose, what to ask: one search serves both of two sides, and of more every seat has its own."""
    first: dict[int, State] = {}
    for number in choices:
        first.setdefault(plays[number].turn, plays[number])
    if not first:
        return {}
    game, landlord = plays[0].game, plays[0].landlord
    if len({*game.sides(landlord)}) == 2:
        both = _Side(Search(plays[0], objective, nodes), plays, choices)
        return dict.fromkeys(first, both)
    return {seat: _Side(Search(state, objective, nodes), plays, choices) for seat, state in first.items()}


class _Side:
    """What the side of a search can force, in one position after another from the last one backwards."""

    def __init__(self, search: Search, plays: Sequence[State], choices: Sequence[int]) -> None:
        self.search, self.plays, self.choices = search, plays, {*choices}
        self.at, self.low, self.high = len(plays) - 1, 0, len(search.worths) - 1  # what is known of the position `at`
        self.asked = plays[-1].over
        if plays[-1].over:
            self.low = self.high = search.worths.index(search.worth_at_the_end(plays[-1]))

    def look_at(self, number: int, nodes: int) -> tuple[OpenTurn | None, int]:
        """A turn before those looked at so far, None if its value stays unknown; and how many positions that took."""
        search, state, began = self.search, self.plays[number], self.search.nodes
        search.budget = began + nodes
        others_chose = not self.choices.isdisjoint(range(number + 1, self.at))
        if others_chose or not self.asked:
            self._ask(number + 1, 0, self.high)
        after = self._value_to(state.turn)
        own = search.mine >> state.turn & 1
        self._ask(number, *((self.low, len(search.worths) - 1) if own else (0, self.high)))
        value = self._value_to(state.turn)
        lost = None not in (value, after) and value != after
        better = search.best(state, search.worths[self.low]) if lost else None
        one = None if value is None else OpenTurn(number, state.turn, value, after, better)
        return one, search.nodes - began

    def _ask(self, number: int, low: int, high: int) -> None:
        """What the side can force in a position, known to lie between these places in the worths."""
        self.at, self.asked = number, True
        self.low, self.high = self.search.narrow(self.plays[number], low, high)

    def _value_to(self, seat: int) -> int | None:
        """The worth found last, as the seat to act counts it; the other of two sides wins if this one does not."""
        if self.low != self.high:
            return None
        worth = self.search.worths[self.low]
        return abs(worth) if self.search.mine >> seat & 1 else 1 - worth
