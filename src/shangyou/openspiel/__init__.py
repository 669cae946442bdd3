"""The games for OpenSpiel's users: after `import shangyou.openspiel` they load by name, rules as parameters.

    pyspiel.load_game("shangyou_doudizhu(bidding=True)")
    pyspiel.load_game("shangyou_zsy2(cards_each=2,pack=334455)")

docs/openspiel.md describes them. This module has no rules of its own; it translates the reference engine.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import Any, ClassVar, Self

import numpy as np

from shangyou import games
from shangyou.engines import reference
from shangyou.games import NOBODY, BadInput, Cards, Deal, Ending, Game
from shangyou.games.doudizhu import HIGHEST_BID
from shangyou.games.game import PLAYS_COUNTED
from shangyou.openspiel.dealing import Dealing, Outcomes
from shangyou.spaces import act, action_name, legal_actions, number_of_actions

try:
    import pyspiel
except ImportError as error:
    raise ImportError("shangyou.openspiel needs OpenSpiel: pip install 'shangyou[openspiel]'") from error

from shangyou.openspiel.observer import Observer, most_turns

MOST_DEALS = 8
"""A game has an end: where nobody bids so many times in a row, all score 0. OpenSpiel asks for a longest game."""

PREFIX = "shangyou_"
PACK = "pack"  # the parameter that is not a rule


class ClimbingGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel is untyped
    """One of the games under given rules; `pack` are the cards that chance deals from, all unless given."""

    kind: ClassVar[Any]  # its pyspiel.GameType

    def __init__(self, params: dict[str, Any]) -> None:
        rules = {name: value for name, value in params.items() if name != PACK}
        self.game = games.load(self.kind.short_name.removeprefix(PREFIX), **rules)
        pack = self.game.deck.parse(params.get(PACK, "")) or self.game.deck.full
        self.start = Point(Dealing.start(self.game, pack))
        super().__init__(self.kind, _info(self.game), params)

    def new_initial_state(self) -> ClimbingState:
        return ClimbingState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        return Observer(self.game, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


@dataclass(frozen=True)
class Point:
    """Where a game is: cards are dealt, or seats act."""

    dealing: Dealing
    state: reference.State | None = None  # once all cards are dealt
    deals: int = 1

    def __deepcopy__(self, memo: Any) -> Self:
        return self  # nothing in it changes; OpenSpiel copies a state with all it holds

    def after_chance(self, outcome: int) -> Point:
        dealing = self.dealing.after(outcome)
        return replace(self, dealing=dealing, state=reference.start(dealing.game, dealing.deal) if dealing.deal else None)

    def after_action(self, before: reference.State, action: int) -> Point:
        after = act(before, action)
        if after.index == before.index:
            return replace(self, state=after)
        return Point(Dealing.start(before.game, self.dealing.pack), deals=self.deals + 1)  # nobody bid: cards are dealt again


class ClimbingState(pyspiel.State):  # type: ignore[misc]
    """A point in a game. Chance deals the cards (`openspiel/dealing.py`), then the engine goes on."""

    def __init__(self, game: ClimbingGame) -> None:
        super().__init__(game)
        self.point = game.start

    @property
    def engine_state(self) -> reference.State | None:
        """The state of the reference engine; None while cards are dealt."""
        return self.point.state

    def current_player(self) -> int:
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if self.point.state is None else self.point.state.turn

    def is_terminal(self) -> bool:
        return self.point.deals > MOST_DEALS or (self.point.state is not None and self.point.state.over)

    def returns(self) -> list[float]:
        state = self.point.state
        return [0.0] * self.num_players() if state is None else list(map(float, state.scores))

    def chance_outcomes(self) -> Outcomes:
        return self.point.dealing.outcomes()

    def _legal_actions(self, player: int) -> list[int]:
        return legal_actions(self._dealt())

    def _apply_action(self, action: int) -> None:
        chance = self.is_chance_node()
        self.point = self.point.after_chance(action) if chance else self.point.after_action(self._dealt(), action)

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.point.dealing.game
        if player != pyspiel.PlayerId.CHANCE:
            return action_name(game, action)
        kinds, point = list(game.deck.kinds), self.point.dealing
        if point.served is None or len(point.dealt) > len(point.sizes):
            return f"seat {action}"
        return f"deal {game.deck.format(game.deck.card(*kinds[action]))}"

    def __str__(self) -> str:
        """All cards and turns; for people."""
        game, state = self.point.dealing.game, self.point.state
        if state is None:
            return f"dealing {self.point.deals}: {self.point.dealing.dealt}"
        hands = " / ".join(game.deck.format(hand) or "out" for hand in state.hands)
        return f"{hands}; {' '.join(f'{turn.seat}:{game.table.labels[turn.play]}' for turn in state.history)}"

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> ClimbingState:
        """The same game with the cards that this seat does not see dealt anew, all such deals equally likely."""
        state, game, history = self._dealt(), self.get_game(), self.history()
        deal = dealt_anew(state, player, self.point.dealing.pack, np.random.default_rng(int(sampler() * 2**53)))
        said = len(history) - len(state.bids) - len(state.history)
        before = history[: said - len(game.start.dealing.path(state.start))]  # earlier deals, in which nobody bid
        resampled: ClimbingState = game.new_initial_state()
        for action in (*before, *game.start.dealing.path(deal), *history[said:]):
            resampled.apply_action(action)
        return resampled

    def _dealt(self) -> reference.State:
        if self.point.state is None:
            raise BadInput("the cards are not dealt yet: apply a chance outcome")
        return self.point.state


def dealt_anew(state: reference.State, player: int, pack: Cards, rng: np.random.Generator) -> Deal:
    """A deal of `pack` that looks to a seat as this one does.

    All are equally likely where each play is what its cards say. With suits it is not: of equal ranks the engine picks, and
    what it picked says something about the rest of a hand.
    """
    game, deck = state.game, state.game.deck
    if deck.suited:
        raise BadInput(f"{game.name}: hidden cards are dealt anew only where suits do not matter")
    public = state.start.public if state.landlord != NOBODY else 0
    held = [deck.missing(state.played[seat], public) if seat == state.landlord else 0 for seat in range(game.seats)]
    held[player] = state.hands[player]
    pile = list(deck.split(pack - sum(state.played) - sum(held)))
    rng.shuffle(pile)
    for seat in range(game.seats):
        room = deck.size(state.hands[seat]) - deck.size(held[seat])
        held[seat], pile = held[seat] + sum(pile[:room]), pile[room:]
    if state.landlord == NOBODY:
        public, pile = sum(pile[: game.public_size]), pile[game.public_size :]
    hands = [cards + down for cards, down in zip(held, state.played, strict=True)]
    if state.landlord != NOBODY:
        hands[state.landlord] -= public
    return Deal(tuple(hands), state.start.first, public, sum(pile))


# -- what OpenSpiel asks of a game ------------------------------------------------------------------------------------


def _type(name: str) -> Any:
    rules = {field.name: field.default for field in dataclasses.fields(games.rules_of(name))}
    seats = games.load(name).seats
    return pyspiel.GameType(
        short_name=f"{PREFIX}{name}",
        long_name=f"shangyou: {name}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=seats,
        min_num_players=seats,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification=rules | {PACK: ""},
    )


def _info(game: Game) -> Any:
    deals, dealt = MOST_DEALS if game.has_bidding else 1, sum(game.hand_sizes(0)) + game.public_size
    decisions = most_turns(game) + 2 * game.seats * deals
    points = float(_most_points(game))
    return pyspiel.GameInfo(
        num_distinct_actions=number_of_actions(game),
        max_chance_outcomes=max(len(game.deck.kinds), game.seats),
        num_players=game.seats,
        min_utility=-points,
        max_utility=points,
        utility_sum=0.0,
        max_game_length=max(decisions, (dealt + 2) * deals),  # the most chance nodes, too, as OpenSpiel takes it
    )


def _most_points(game: Game) -> int:
    """What a seat can win or lose at most: all bombs played, the highest bid, everybody doubles."""
    orders = permutations(range(game.seats), game.outs_to_end)
    plays = product(range(PLAYS_COUNTED + 1), repeat=game.seats)
    everybody = frozenset(range(game.seats))
    endings = (Ending(out, len(game.table.bombs), n, 0, HIGHEST_BID, everybody) for out, n in product(orders, plays))
    return max(abs(points) for ending in endings for points in game.scores(ending))


class Zsy2Game(ClimbingGame):
    kind = _type("zsy2")


class Zsy4Game(ClimbingGame):
    kind = _type("zsy4")


class DoudizhuGame(ClimbingGame):
    kind = _type("doudizhu")


for _made in (Zsy2Game, Zsy4Game, DoudizhuGame):
    pyspiel.register_game(_made.kind, _made)
