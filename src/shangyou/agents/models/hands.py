"""Hidden hands drawn as a model infers them, with numpy and onnxruntime alone.

    hands, log_weights = sample_hands(view, HandModel(path), 512, np.random.default_rng(1))

Every hand drawn is one that the View allows: sizes, unseen cards and the landlord's unplayed public cards are right. Ranks are
drawn by the model (`nets/splits.py`), suits evenly.

n hands drawn, S seats, W words a set of cards, J splits, R ranks, K = 1 + copies of a rank, C kinds of cards.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from shangyou.agents.errors import Why
from shangyou.agents.models.net_agent import Arrays, Model, arrays_of
from shangyou.engines.reference import View
from shangyou.games import BadInput, Game
from shangyou.games.cards import RANKS
from shangyou.nets import splits
from shangyou.nets.spec import WIN
from shangyou.nets.splits import Hidden

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class HandModel:
    """An ONNX model that infers hands; `shangyou train GAME --algorithm hands` makes them."""

    def __init__(self, path: Path) -> None:
        self.model = Model(path, kind="hands")

    def scores(self, views: Sequence[View]) -> Floats:
        """[n, J, R, K] of n positions."""
        for game in {view.game for view in views}:
            self.model.check_plays(game)
        return self.model.run(self.inputs(views))[0].astype(np.float64)

    def inputs(self, views: Sequence[View]) -> Arrays:
        return arrays_of(views, self.model.info.turns) | {"objective": np.full(len(views), WIN)}


def sample_hands(
    view: View, model: HandModel | None, n: int, rng: np.random.Generator, evenly: bool = False
) -> tuple[Ints, Floats]:
    """Hands [n, S, W], the own one first, and their log weights [n]: log P by the model less log P of even splits.

    Hands are drawn by the model, or evenly; without a model they are drawn evenly and the weights are 0. The mean of a function
    of the hands, as the model expects it, is its plain mean over hands drawn by the model, and its mean weighted by
    exp(log weight) over hands drawn evenly.
    """
    hidden, scores, even = _asked(view, model)
    game = view.game
    noise = rng.random((n, *scores.shape[1:3]))
    taken = splits.draw_all(even if evenly else scores, hidden, noise, game.largest_hand, np)
    weights = _log_likelihood(scores, hidden, taken, game) - _log_likelihood(even, hidden, taken, game)
    return _deal(view, _all_counts(view, hidden, taken), rng), weights


def log_likelihood(view: View, hands: Ints, model: HandModel | None) -> Floats:
    """[n] log P of the ranks of hands [n, S, W]; -inf where the View does not allow them. Without a model, of even splits."""
    hidden, scores, _ = _asked(view, model)
    others = np.array([[view.game.deck.counts(view.game.deck.from_words(hand)) for hand in one[1:]] for one in hands.tolist()])
    taken = others - hidden.known
    fits = (taken >= 0).all((1, 2)) & (taken.sum(2) == hidden.sizes).all(1) & (taken.sum(1) <= hidden.free).all(1)
    found = _log_likelihood(scores, hidden, np.where(fits[:, None, None], taken, 0)[:, : scores.shape[1]], view.game)
    return np.where(fits, found, -np.inf)


def _log_likelihood(scores: Floats, hidden: Hidden, taken: Ints, game: Game) -> Floats:
    found: Floats = splits.log_likelihood(scores, hidden, taken, game.largest_hand, np)
    return found


def _asked(view: View, model: HandModel | None) -> tuple[Hidden, Floats, Floats]:
    """What is known of the hidden cards, the scores of the model and those of even splits, of one position."""
    even = np.zeros((1, splits.splits_of(view.game), len(RANKS), 4 * view.game.deck.packs + 1))
    return hidden_cards(view), even if model is None else model.scores([view]), even


def hidden_cards(view: View) -> Hidden:
    """What is known of the cards that a seat does not see, as arrays of one position."""
    deck = view.game.deck
    spare = deck.size(view.unseen) - sum(view.left[1:])
    if spare and splits.splits_of(view.game) < view.game.seats - 1:
        raise BadInput(Why.hidden_cards(game=view.game.name, n=spare))
    unseen, public = (np.array([deck.counts(cards)]) for cards in (view.unseen, view.public))
    played = np.array([[deck.counts(cards) for cards in view.played]])
    return splits.hidden_cards(unseen, public, played, np.array([view.landlord]), np.array([view.left]), np)


def _all_counts(view: View, hidden: Hidden, taken: Ints) -> Ints:
    """[n, S - 1, R] cards of each rank of the other seats, from what the first J of them have of the free cards."""
    rest = hidden.free - taken.sum(1)
    missing = view.game.seats - 1 - taken.shape[1]  # the last seat, if it has what is left
    counts: Ints = np.concatenate([taken, *[rest[:, None]] * missing], 1) + hidden.known
    return counts


def _deal(view: View, counts: Ints, rng: np.random.Generator) -> Ints:
    """[n, S, W] hands of these ranks [n, S - 1, R], cards of a rank in random order; the own one first."""
    deck, n = view.game.deck, len(counts)
    kinds = np.array(list(deck.kinds))  # [C, 2]
    copies = [deck.copies(view.unseen, *kind) for kind in deck.kinds]
    cards = np.repeat(np.arange(len(kinds)), copies)  # [unseen] kinds, rank by rank
    ranks = kinds[cards, 0]
    order = np.argsort(ranks + rng.random((n, len(cards))), 1)  # [n, unseen] a shuffle inside every rank
    place = np.arange(len(cards)) - np.searchsorted(ranks, ranks)  # of a card among those of its rank
    ends = counts.cumsum(1)[:, :, ranks]  # [n, S - 1, unseen] where the cards of a seat end there
    holder = (place >= ends).sum(1)  # [n, unseen] 0 is the next seat, S - 1 nobody
    held = np.zeros((n, view.game.seats, len(kinds)), np.int64)
    np.add.at(held, (np.arange(n)[:, None], holder, cards[order]), 1)
    hands = _words(held[:, :-1], kinds, deck.packs if deck.suited else 0)
    own = np.array(deck.words(view.hand), np.int64)
    return np.concatenate([np.broadcast_to(own, (n, 1, len(own))), hands], 1)


def _words(held: Ints, kinds: Ints, packs: int) -> Ints:
    """[..., W] packed cards, as `Deck.words` has them, from copies of each kind [..., C]; packs 0: suits do not matter."""
    bits = 1 << 4 * kinds[:, 0] + kinds[:, 1]
    if not packs:
        return np.asarray((held * bits).sum(-1)[..., None])
    return np.stack([((held > word) * bits).sum(-1) for word in range(packs)], -1)
