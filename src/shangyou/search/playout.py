"""Games to their end by a small net, and worlds weighed by it, with Numba and without torch.

    player = PlayoutPlayer(game)
    won = player.win(view, hands, candidates)  # [k, D] whether the seat to act wins after each of its plays, in each world

A kernel (`playout_kernels.py`) runs in the thread that calls it, and lets others run.

k candidates, D worlds, S seats, W words a set of cards.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from shangyou.engines import reference
from shangyou.engines.kernels import layout
from shangyou.engines.reference import View
from shangyou.games import Game, Rows, load, names
from shangyou.search.beliefs import OTHER_CARDS, Floats, Ints, PastTurn, even_worlds, log_prior, past_turns
from shangyou.search.playout_kernels import chances_of, play_out
from shangyou.search.playout_net import PlayoutNet, find_playout_net, load_playout_net
from shangyou.search.solver import warm_up

T = TypeVar("T")


class PlayoutPlayer:
    """The small net of a game: it plays games to their end, and weighs worlds (a `Judge`)."""

    def __init__(self, game: Game, temperature: float = 0.03, net: PlayoutNet | None = None, threads: int = 1) -> None:
        self.game, self.temperature, self.net, self.threads = game, temperature, net or load_playout_net(game), threads
        self.rules = layout.game_constants(game), layout.tables_of(game)
        self.full = game.deck.words(game.deck.full)[0]
        self.decisions = 0  # with a choice, made in playouts so far

    def win(self, view: View, hands: Ints, candidates: Rows) -> npt.NDArray[np.bool_]:
        """[k, D] whether the side of the seat to act wins after each candidate, in each world [D, S, W]."""
        cards, scalars, lefts = (np.tile(array, (len(candidates), 1)) for array in self._start(view, hands))
        chosen, fixed = np.repeat(candidates, len(hands)).astype(np.int32), self.net.fixed_part(view)

        def play_part(part: slice) -> int:
            games = cards[part], scalars[part], lefts[part], chosen[part]
            return int(play_out(*self.rules, self.net.tables, fixed, self.full, *games))

        self.decisions += sum(self._in_parts(play_part, len(chosen)))
        first_out = (scalars[:, self.rules[0].rows_by_seat(layout.PLACES)] == 1).argmax(1)
        wins = np.array([0 in self.game.winners((seat,), view.landlord) for seat in range(self.game.seats)])
        won: npt.NDArray[np.bool_] = wins[first_out].reshape(len(candidates), len(hands))
        return won

    def _in_parts(self, work: Callable[[slice], T], n: int) -> list[T]:
        """What `work` gives for parts of 0..n - 1, one for each thread."""
        edges = np.linspace(0, n, self.threads + 1).astype(int).tolist()
        parts = [slice(*ends) for ends in pairwise(edges)]
        if self.threads == 1 or n < 4 * self.threads:
            return [work(slice(0, n))]
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(work, parts))

    def _start(self, view: View, hands: Ints) -> tuple[Any, Any, Any]:
        """The position in each world, as the kernels have it: cards, scalars, and cards left [D, S]."""
        k, worlds = self.rules[0], len(hands)
        cards = np.zeros((worlds, k.card_rows), np.int64)
        cards[:, : k.seats * k.words] = hands.reshape(worlds, -1)
        played = [word for cards_of in view.played for word in self.game.deck.words(cards_of)]
        cards[:, k.seats * k.words : 2 * k.seats * k.words] = played
        scalars = np.zeros((worlds, k.scalar_rows), np.int32)
        scalars[:, [layout.LAST, layout.LAST_BY, layout.LANDLORD]] = view.last, view.last_by, view.landlord
        scalars[:, layout.PASSED] = sum(1 << seat for seat in view.passed)
        scalars[:, layout.BOMBS] = sum(turn.play in self.game.table.bombs for turn in view.history)
        return cards, scalars, np.tile(np.array(view.left, np.int32), (worlds, 1))

    def log_weights(self, view: View, hands: Ints) -> Floats:
        """[D] as `Judge` says."""
        return log_prior(view, hands) + self.log_likelihood(view, hands)

    def log_likelihood(self, view: View, hands: Ints) -> Floats:
        """[D] log P of all that the other seats did, were these hands theirs."""
        total = np.zeros(len(hands))
        for past in past_turns(view, hands[0].tolist()) if len(hands) else []:
            words, which = np.unique(hands[:, past.seat], axis=0, return_inverse=True)
            total += self._of_turn(past, words)[which.ravel()]
        return total

    def _of_turn(self, past: PastTurn, words: Ints) -> Floats:
        """[n] log P of one turn, by hands [n, W] that are held now."""
        hands, unseen = self._then(past, words)
        out, public = np.zeros(len(words)), self.net.public_part(past.view)

        def judge_part(part: slice) -> None:
            facts = int(past.view.last), int(past.play), self.temperature, out[part]  # kernels are compiled for one type
            chances_of(*self.rules, self.net.tables, public, hands[part], unseen[part], *facts)

        self._in_parts(judge_part, len(words))
        if self.game.deck.suited and past.cards:
            pick, whole = self.game.pick, [self.game.deck.from_words(hand) for hand in hands[:, : words.shape[1]].tolist()]
            out += [0.0 if pick(hand, past.play) == past.cards else np.log(OTHER_CARDS) for hand in whole]
        return out

    def _then(self, past: PastTurn, words: Ints) -> tuple[Ints, Ints]:
        """[n, 2] each: the hands of a past turn and what was unseen, from hands [n, W] that are held now."""
        deck, seen = self.game.deck, past.view.hand + past.view.unseen
        if words.shape[1] == 2:
            held = [deck.from_words(hand) + past.later for hand in words.tolist()]
            then = [[deck.words(hand) for hand in held], [deck.words(seen - hand) for hand in held]]
            return np.array(then[0], np.int64), np.array(then[1], np.int64)
        hands, nothing = words + past.later, np.zeros_like(words)
        return np.concatenate([hands, nothing], 1), np.concatenate([seen - hands, nothing], 1)

    def warm(self) -> None:
        """Compile the kernels, or load what was compiled, before the first question."""
        state = reference.deal(self.game, 0)
        while state.bidding:
            state = reference.bid(state, max(reference.legal_bids(state)))
        state = reference.step(state, int(reference.legal(state)[0]))
        view, rng = reference.view(state), np.random.default_rng(0)
        worlds = even_worlds(view, 2, rng)
        self.log_weights(view, worlds)
        self.win(view, worlds, reference.legal(state)[:2])
        self.decisions = 0


def compile_kernels() -> None:
    """Those of the solver and of all games' playouts, for whoever asks next: they lie on disk then. A minute or two, once."""
    warm_up()
    for game in map(load, names()):
        if find_playout_net(game) is not None:
            PlayoutPlayer(game).warm()
