"""Who may hold what: worlds that a View allows, drawn evenly, and how likely the others' past plays make each of them.

    hands = even_worlds(view, 512, np.random.default_rng(1))
    log_weights = PolicyJudge(values_of(agent), temperature=0.02).log_weights(view, hands)

A world is a hand for every seat, seats relative to the one that sees the View. Even worlds are all ways to deal the unseen
cards that fit what everybody knows. To weigh them is policy-based inference (Rebstock et al. 2019, for Skat): a world is as
likely as a player of the given values, choosing by their softmax, would have made the others' plays and passes with these
hands, over the whole history.

D worlds, S seats, W words a set of cards, N legal plays, C kinds of cards, T temperatures.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate, pairwise
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from shangyou.engines import reference
from shangyou.engines.reference import View
from shangyou.games import NOBODY, BadInput, Cards, Deal, Game, Rows
from shangyou.games.cards import Deck
from shangyou.search.errors import Why

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

ValuesOf = Callable[[Sequence[View], Sequence[Rows]], Sequence[npt.NDArray[np.floating]]]
"""What a player thinks of the legal plays of many positions, [N] each, in win chances."""

BLUNDERS = 0.01
"""The share of decisions that are taken to be made at random: what a player would never do rules out no world by itself."""

OTHER_CARDS = 0.05
"""Where suits leave a choice of cards, how likely others than `Game.pick` takes are: people sometimes choose their own."""

MOST_DRAWS = 400  # times as many as worlds wanted, before a View is given up that almost no world fits


class Judge(Protocol):
    """Weighs worlds."""

    def log_weights(self, view: View, hands: Ints) -> Floats:
        """[D] log weights of hands [D, S, W] against even ones, up to a constant."""


# -- even worlds ------------------------------------------------------------------------------------------------------


def even_worlds(view: View, n: int, rng: np.random.Generator) -> Ints:
    """[n, S, W] hands that the View allows, the own one first; every deal of the physical cards is equally likely.

    The landlord keeps the public cards that it has not played. Whoever led first could lead with these cards: the holder of the
    3 of spades, where it leads.
    """
    kept, worlds, drawn = 0, list[Ints](), 0
    while kept < n:
        hands = _drawn(view, n, rng)
        drawn += n
        worlds.append(hands[_may_lead(view, hands)])
        kept += len(worlds[-1])
        if drawn > MOST_DRAWS * max(n, 64):
            raise BadInput(Why.no_world(game=view.game.name))
    return np.concatenate(worlds)[:n]


def _drawn(view: View, n: int, rng: np.random.Generator) -> Ints:
    deck, known = view.game.deck, known_cards(view)
    free = np.array([word for card in deck.split(view.unseen - sum(known)) for word in deck.words(card)], np.int64)
    free = free.reshape(-1, len(deck.words(0)))  # [F, W]
    sizes = [left - deck.size(own) for left, own in zip(view.left, known, strict=True)][1:]
    if sum(sizes) > len(free) or min(sizes) < 0:
        raise BadInput(Why.world_sizes(game=view.game.name, n=sum(view.left[1:]), unseen=deck.size(view.unseen)))
    order = np.argsort(rng.random((n, len(free))), 1)
    hands = [np.broadcast_to(np.array(deck.words(view.hand), np.int64), (n, free.shape[1]))]
    for own, (start, end) in zip(known[1:], pairwise(accumulate(sizes, initial=0)), strict=True):
        hands.append(_packed(deck, free[order[:, start:end]]) + np.array(deck.words(own), np.int64))
    return np.stack(hands, 1)


def _packed(deck: Deck, cards: Ints) -> Ints:
    """[n, W] sets of cards from single cards [n, k, W]."""
    if deck.suited and deck.packs > 1:  # a card comes with its first word set; held twice, it is in both
        bits = (cards[:, :, :1] >> np.arange(60) & 1).sum(1)  # [n, 60]
        return np.stack([((bits > word) << np.arange(60)).sum(1) for word in range(deck.packs)], 1)
    total: Ints = cards.sum(1)
    return total


def known_cards(view: View) -> list[Cards]:
    """[S] cards that everybody knows a seat to hold: the landlord's public cards that it has not played."""
    deck, known = view.game.deck, [0] * view.game.seats
    if view.landlord > 0:
        played = view.played[view.landlord]
        copies = {kind: deck.copies(view.public, *kind) - deck.copies(played, *kind) for kind in deck.kinds}
        known[view.landlord] = sum(n * deck.card(*kind) for kind, n in copies.items() if n > 0)
    return known


def _may_lead(view: View, hands: Ints) -> npt.NDArray[np.bool_]:
    """[D] whether the seat that led first could have been given the first turn."""
    if not _depends_on_leader(view):
        return np.ones(len(hands), bool)
    return np.array([view.history[0].seat in leaders for leaders in _possible_leaders(view, hands)], bool)


def _depends_on_leader(view: View) -> bool:
    return view.game.first_by == "spade3" and knows_history(view) and view.history[0].seat != 0


def _possible_leaders(view: View, hands: Ints) -> list[tuple[int, ...]]:
    deck = view.game.deck
    return [
        view.game.may_act_first(tuple(map(sum, zip(map(deck.from_words, world), view.played, strict=True))))
        for world in hands.tolist()
    ]


def knows_history(view: View) -> bool:
    """Whether the View has all turns so far, as it does in a game; a position that was typed in may not."""
    return bool(view.history) and sum(turn.cards for turn in view.history) == sum(view.played)


# -- weights ----------------------------------------------------------------------------------------------------------


def log_prior(view: View, hands: Ints) -> Floats:
    """[D] what the deal itself says of worlds, beyond that they are drawn evenly.

    Worlds deal single cards, and those that were played are known one by one; but of k equal cards any q may be the ones
    played, so that each choice of them has a share (k - q)!/k! of the chance that the rank and the number were played.
    """
    if not knows_history(view):
        return np.zeros(len(hands))
    deck, game = view.game.deck, view.game
    held, known = _copies(deck, hands), known_cards(view)  # [D, S, C]
    log_factorial = np.cumsum([0.0, *np.log(np.arange(1, 4 * deck.packs + 1))])
    total = np.zeros(len(hands))
    for seat in range(1, game.seats):
        public = view.public if seat == view.landlord else 0
        played = np.array([max(0, deck.copies(view.played[seat], *kind) - deck.copies(public, *kind)) for kind in deck.kinds])
        drawn = held[:, seat] - [deck.copies(known[seat], *kind) for kind in deck.kinds]
        total += (log_factorial[drawn] - log_factorial[drawn + played]).sum(1)
    if _depends_on_leader(view):  # who of them leads was drawn
        total -= np.log([len(leaders) for leaders in _possible_leaders(view, hands)])
    return total


def _copies(deck: Deck, hands: Ints) -> Ints:
    """[..., C] copies of each kind in sets of cards [..., W]."""
    kinds = np.array(list(deck.kinds))
    places, mask = 4 * kinds[:, 0] + kinds[:, 1], 1 if deck.suited else 15
    copies: Ints = (hands[..., None] >> places & mask).sum(-2)
    return copies


class PastTurn(NamedTuple):
    """What another seat did, and what was known then."""

    view: View  # of the seat that acted; its hand and what it had not seen are those of some world
    seat: int  # relative to the seat that remembers
    play: int
    cards: Cards
    later: Cards  # what it has put down since, these cards among them


def past_turns(view: View, world: Sequence[Sequence[int]]) -> list[PastTurn]:
    """The turns of the other seats, from the whole history replayed with the hands of any world [S, W].

    An error if the history does not fit these hands: the reference engine checks every play.
    """
    if not knows_history(view):
        return []
    game, seats = view.game, view.game.seats
    hands = [game.deck.from_words(words) + played for words, played in zip(world, view.played, strict=True)]
    offset = (game.first_landlord() - view.landlord) % seats if game.first_landlord() != NOBODY else 0
    state, later, past = _begun(view, hands, offset), list(view.played), list[PastTurn]()
    for turn in view.history:
        if (state.turn - offset) % seats != turn.seat:
            raise BadInput(Why.turn_of_another(game=game.name, number=len(state.history) + 1))
        if turn.seat:
            past.append(PastTurn(reference.view(state), turn.seat, turn.play, turn.cards, later[turn.seat]))
        later[turn.seat] -= turn.cards
        state = reference.put(state, turn.cards)
    return past


def _begun(view: View, hands: Sequence[Cards], offset: int) -> reference.State:
    """The game before its first play, with the seats moved by `offset`."""
    game, seats = view.game, view.game.seats
    first = view.bids[0][0] if view.bids else view.history[0].seat
    dealt = [hands[(seat - offset) % seats] for seat in range(seats)]
    if view.landlord != NOBODY:
        dealt[(view.landlord + offset) % seats] -= view.public
    state = reference.start(game, Deal(tuple(dealt), (first + offset) % seats, view.public))
    for _, points in view.bids:
        state = reference.bid(state, points)
    return state


class PolicyJudge:
    """Weighs worlds by how likely a player that chooses by the softmax of its values would have done what was done."""

    def __init__(self, values: ValuesOf, temperature: float) -> None:
        self.values, self.temperature = values, temperature

    def log_weights(self, view: View, hands: Ints) -> Floats:
        likelihood: Floats = self.log_likelihood(view, hands, [self.temperature])[0]
        return log_prior(view, hands) + likelihood

    def log_likelihood(self, view: View, hands: Ints, temperatures: Sequence[float]) -> Floats:
        """[T, D] log P of all that the other seats did, were these hands theirs."""
        total = np.zeros((len(temperatures), len(hands)))
        for past in past_turns(view, hands[0].tolist()) if len(hands) else []:
            words, which = np.unique(hands[:, past.seat], axis=0, return_inverse=True)
            total += self._of_turn(past, words, temperatures)[:, which.ravel()]
        return total

    def _of_turn(self, past: PastTurn, words: Ints, temperatures: Sequence[float]) -> Floats:
        """[T, n] log P of one turn, by hands [n, W] that are held now."""
        game = past.view.game
        seen = past.view.hand + past.view.unseen
        held = [game.deck.from_words(hand) + past.later for hand in words.tolist()]
        views = [replace(past.view, hand=hand, unseen=seen - hand) for hand in held]
        answers = game.table.answers(past.view.last)
        legals = [game.table.held(hand, answers) for hand in held]
        choice = [i for i, legal in enumerate(legals) if len(legal) > 1]
        found = np.zeros((len(temperatures), len(words)))
        values = self.values([views[i] for i in choice], [legals[i] for i in choice])
        for i, of_plays in zip(choice, values, strict=True):
            place = int(np.searchsorted(legals[i], past.play))
            for t, temperature in enumerate(temperatures):
                found[t, i] = log_chance(of_plays, place, temperature)
        if game.deck.suited and past.cards:
            found += [0.0 if game.pick(hand, past.play) == past.cards else np.log(OTHER_CARDS) for hand in held]
        return found


def log_chance(values: npt.NDArray[np.floating], place: int, temperature: float) -> float:
    """log P of one of these plays."""
    chances = np.exp((values - values.max()) / temperature)
    return float(np.log((1 - BLUNDERS) * chances[place] / chances.sum() + BLUNDERS / len(values)))


def normalised(log_weights: Floats) -> Floats:
    """[D] weights that add up to 1."""
    weights = np.exp(log_weights - log_weights.max())
    shares: Floats = weights / weights.sum()
    return shares


def effective(weights: Floats) -> float:
    """How many even worlds these weights make of worlds: D if all are equal, 1 if one has everything."""
    return float(weights.sum() ** 2 / (weights * weights).sum())


@cache
def temperature_of(game: Game) -> float:
    """The softmax temperature of a small net, fitted to games of the champion (docs/search.md), in win chances."""
    return TEMPERATURES.get(game.name, 0.05)


TEMPERATURES = {"doudizhu": 0.02}
