"""How the unseen cards may be split between the hidden hands: probabilities of all splits, normalised exactly.

Of f_r cards of rank r that are nowhere known to be, a seat takes k_r, and as many in all as it has room for:

    P(k) = prod_r C(f_r, k_r) exp(s[r, k_r]) / Z

where Z is the sum over all k with that total, by dynamic programming over the ranks. With scores s = 0 that is the
hypergeometric distribution: all splits of the cards are equally likely. Three hidden hands are two splits: the next seat
against the others, then, of what is left, the second against the third.

Everything here is written once for numpy, which plays, and for torch, which learns: `xp` is one of the two. Sums are in float64
and not of logarithms, which is exact enough since scores are at most BOUND.

n positions, or one for n draws, R ranks, K = 1 + copies of a rank, J splits, S seats, T the most cards a hand can have.
"""

from typing import Any, NamedTuple

from shangyou.games import Game

BOUND = 10.0
"""Scores are between -BOUND and BOUND: no hand that a View allows is ruled out, and Z is within the range of float64."""

Array = Any  # of numpy or torch


class Hidden(NamedTuple):
    """What is known of the cards that one seat does not see."""

    free: Array  # [n, R] unseen cards that nobody is known to hold
    known: Array  # [n, S - 1, R] cards that seats 1, 2, ... are known to hold: the landlord's unplayed public cards
    sizes: Array  # [n, S - 1] cards of `free` that these seats have


def splits_of(game: Game) -> int:
    """J: the last of the other seats has what is left, unless some cards are dealt to nobody."""
    dealt = sum(game.hand_sizes(0)) + game.public_size
    return game.seats - (2 if dealt == len(game.deck.cards) else 1)


def hidden_cards(unseen: Array, public: Array, played: Array, landlord: Array, left: Array, xp: Any) -> Hidden:
    """From the fields of views as counts of ranks: unseen and public [n, R], played [n, S, R], landlord [n], left [n, S]."""
    others = range(1, left.shape[1])
    known = xp.stack([(public - played[:, seat]).clip(0) * (landlord == seat)[:, None] for seat in others], 1)
    return Hidden(unseen - known.sum(1), known, left[:, 1:] - known.sum(-1))


def weights_of(scores: Array, free: Array, xp: Any) -> Array:
    """[n, R, K] C(f_r, k) exp(s[r, k]) from scores [n, R, K] and free cards [n, R]; 0 where there are not k cards."""
    ways = [free * 0.0 + 1.0]
    for k in range(scores.shape[-1] - 1):
        ways.append(ways[-1] * (free - k) / (k + 1))
    return xp.stack(ways, -1) * xp.exp(scores)


def suffix_sums(weights: Array, most: int, xp: Any) -> list[Array]:
    """[R + 1] of [n, T + 1]: the summed weights of all ways to take so many cards from rank r on."""
    ranks, copies = weights.shape[1], weights.shape[2] - 1
    nothing = weights[:, 0, :1] * 0.0  # [n, 1]
    sums = [xp.concatenate([nothing + 1.0, *[nothing] * most], -1)]
    for rank in reversed(range(ranks)):
        later = xp.concatenate([*[nothing] * copies, sums[-1]], -1)
        terms = [weights[:, rank, k, None] * later[:, copies - k : copies - k + most + 1] for k in range(copies + 1)]
        sums.append(sum(terms[1:], terms[0]))
    return sums[::-1]


def picked(values: Array, at: Array, xp: Any) -> Array:
    """[...] the values [..., K] at these places [...]; 0 at a place that does not exist."""
    places = xp.ones_like(values[:1]).cumsum(-1) - 1
    return (values * (places == at[..., None])).sum(-1)


def log_probability(weights: Array, size: Array, taken: Array, most: int, xp: Any) -> Array:
    """[n] log P of taking taken [n, R], which are size [n] cards in all."""
    total = picked(suffix_sums(weights, most, xp)[0], size, xp)
    return xp.log(picked(weights, taken, xp)).sum(-1) - xp.log(total)


def draw(weights: Array, size: Array, uniform: Array, most: int, xp: Any) -> Array:
    """[n, R] counts with exactly these probabilities, size [n] cards in all, from noise between 0 and 1 [n, R]."""
    sums, taken = suffix_sums(weights, most, xp), []
    for rank in range(weights.shape[1]):
        chances = [weights[:, rank, k] * picked(sums[rank + 1], size - k, xp) for k in range(weights.shape[2])]
        edges = xp.stack(chances, -1).cumsum(-1)
        taken.append((uniform[:, rank, None] * edges[:, -1:] >= edges[:, :-1]).sum(-1))
        size = size - taken[-1]
    return xp.stack(taken, -1)


def log_likelihood(scores: Array, hidden: Hidden, taken: Array, most: int, xp: Any) -> Array:
    """[n] log P of all hidden hands: scores [n, J, R, K], and what each of the first J other seats has of `free` [n, J, R]."""
    free, total = hidden.free, hidden.free[:, 0] * 0.0
    for j in range(scores.shape[1]):
        weights = weights_of(scores[:, j], free, xp)
        total = total + log_probability(weights, hidden.sizes[:, j], taken[:, j], most, xp)
        free = free - taken[:, j]
    return total


def draw_all(scores: Array, hidden: Hidden, uniform: Array, most: int, xp: Any) -> Array:
    """[n, J, R] what each of the first J other seats has of `free`, drawn; noise between 0 and 1 [n, J, R]."""
    free, taken = hidden.free, []
    for j in range(scores.shape[1]):
        taken.append(draw(weights_of(scores[:, j], free, xp), hidden.sizes[:, j], uniform[:, j], most, xp))
        free = free - taken[-1]
    return xp.stack(taken, 1)
