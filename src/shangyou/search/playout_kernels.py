"""What playouts compute, compiled by Numba: games to their end by a small net, and how likely it would make a play.

The sums of the net's first layer are kept for every seat and updated as cards are played; what a play adds is looked up. `k`
are the GameConstants, `t` the Tables and `net` the NetTables of a game; the state comes as cards [B, C] and scalars [B, M].

B games, S seats, n hands, H units of the first layers, E of the last, R ranks, K = 1 + copies of a rank.
"""

from typing import Any

import numpy as np

from shangyou.engines.kernels import layout
from shangyou.engines.kernels.cpu_bits import lowest_bit, suits_in_lanes
from shangyou.engines.kernels.cpu_cache import fast_kernel, fast_part
from shangyou.engines.kernels.cpu_legal import hand_of, legal_one
from shangyou.engines.kernels.cpu_turns import step_one
from shangyou.games import PASS
from shangyou.search.beliefs import BLUNDERS
from shangyou.search.playout_net import HAND, PLAYED, UNSEEN


@fast_part
def counts_of(k: Any, once: int, twice: int) -> int:
    """Four bits a rank."""
    return suits_in_lanes(once) + suits_in_lanes(twice) if k.suited else once


@fast_part
def change_set(k: Any, sums: Any, sets: Any, suits: Any, old: int, old_twice: int, new: int, new_twice: int) -> None:
    """The sums [H] of a seat after one of the sets of cards that it sees, with rows sets [R, K, H], has changed."""
    before, after = counts_of(k, old, old_twice), counts_of(k, new, new_twice)
    changed = before ^ after
    while changed:
        rank = lowest_bit(changed) >> 2
        changed &= ~(np.int64(15) << (4 * rank))
        had, has = (before >> (4 * rank)) & 15, (after >> (4 * rank)) & 15
        for i in range(len(sums)):
            sums[i] += sets[rank, has, i] - sets[rank, had, i]
    for word in range(k.words if k.suited else 0):
        now = new if word == 0 else new_twice
        bits = now ^ (old if word == 0 else old_twice)
        while bits:
            place: int = lowest_bit(bits)
            bits &= bits - 1
            sign = np.float32(1 if (now >> place) & 1 else -1)
            for i in range(len(sums)):
                sums[i] += sign * suits[word, place, i]


@fast_part
def unseen_of(k: Any, full: int, cards: Any, b: int, seat: int) -> tuple[int, int]:
    """What a seat has not seen: neither in its hand nor played."""
    held, twice = cards[b, seat * k.words], np.int64(0)
    if k.words == 1:
        for other in range(k.seats):
            held += cards[b, k.seats + other]
        return full - held, twice
    twice = cards[b, seat * k.words + 1]
    for other in range(k.seats):
        row = (k.seats + other) * k.words
        twice |= cards[b, row + 1] | (held & cards[b, row])
        held |= cards[b, row]
    return full & ~twice, full & ~held


@fast_part
def first_sums(k: Any, sets: Any, suits: Any, full: int, cards: Any, b: int, sums: Any, unseen: Any) -> None:
    """Adds to the sums [S, H] of every seat what it sees of game b; unseen [S, 2] becomes what it does not."""
    for seat in range(k.seats):
        once, twice = hand_of(k, cards, b, seat)
        change_set(k, sums[seat], sets[HAND], suits[HAND], 0, 0, once, twice)
        unseen[seat, 0], unseen[seat, 1] = unseen_of(k, full, cards, b, seat)
        change_set(k, sums[seat], sets[UNSEEN], suits[UNSEEN], 0, 0, unseen[seat, 0], unseen[seat, 1])
        for other in range(k.seats):
            once, twice = hand_of(k, cards, b, k.seats + (seat + other) % k.seats)
            change_set(k, sums[seat], sets[PLAYED + other], suits[PLAYED + other], 0, 0, once, twice)


@fast_part
def next_sums(
    k: Any, sets: Any, suits: Any, full: int, cards: Any, b: int, seat: int, before: Any, sums: Any, unseen: Any
) -> None:
    """The sums of every seat after a seat has put cards down: `before` are the words of its hand and of its played cards."""
    once, twice = hand_of(k, cards, b, seat)
    change_set(k, sums[seat], sets[HAND], suits[HAND], before[0], before[1], once, twice)
    once, twice = hand_of(k, cards, b, k.seats + seat)
    for viewer in range(k.seats):
        of = PLAYED + (seat - viewer + k.seats) % k.seats
        change_set(k, sums[viewer], sets[of], suits[of], before[2], before[3], once, twice)
        if viewer != seat:
            now, now_twice = unseen_of(k, full, cards, b, viewer)
            change_set(k, sums[viewer], sets[UNSEEN], suits[UNSEEN], unseen[viewer, 0], unseen[viewer, 1], now, now_twice)
            unseen[viewer, 0], unseen[viewer, 1] = now, now_twice


@fast_part
def add_table_part(k: Any, net: Any, scalars: Any, lefts: Any, b: int, seat: int, x: Any) -> None:
    """Adds to x [H] what lies on the table of game b: the play to beat, cards left, who passed."""
    last = scalars[b, layout.LAST]
    bombs = min(scalars[b, layout.BOMBS], net.bombs.shape[0] - 1)
    of_last = net.kinds[last]
    for i in range(len(x)):
        x[i] += net.last_kind[of_last, i] + net.bombs[bombs, i]
    for g in range(net.group_starts[last], net.group_starts[last + 1]):
        for i in range(len(x)):
            x[i] += net.last[net.groups[g, 0], net.groups[g, 1], i]
    for other in range(k.seats):
        of = (seat + other) % k.seats
        for i in range(len(x)):
            x[i] += net.left[other, lefts[b, of], i]
        if scalars[b, layout.PASSED] >> of & 1:
            for i in range(len(x)):
                x[i] += net.passed[other, i]
        if scalars[b, layout.LAST_BY] == of:
            for i in range(len(x)):
                x[i] += net.last_by[other, i]


@fast_part
def position_part(net: Any, counts: int, x: Any, y: Any, position: Any) -> None:
    """The trunk: x [H] are the sums of the first layer, y [H] is room; with the hand, the answer is position [E]."""
    for i in range(len(x)):
        x[i] = max(x[i], np.float32(0))
    for layer in range(net.trunk.shape[0]):
        for j in range(len(y)):
            y[j] = net.trunk_bias[layer, j]
        for i in range(len(x)):
            if x[i] != 0:  # units that do not fire cost nothing
                for j in range(len(y)):
                    y[j] += x[i] * net.trunk[layer, i, j]
        for i in range(len(x)):
            x[i] += max(y[i], np.float32(0))
    for j in range(len(position)):
        position[j] = net.head_bias[j]
    for i in range(len(x)):
        if x[i] != 0:
            for j in range(len(position)):
                position[j] += x[i] * net.to_head[i, j]
    for rank in range(15):
        held = (counts >> (4 * rank)) & 15
        if held:
            for j in range(len(position)):
                position[j] += net.rest[rank, held, j]


@fast_part
def values_of_plays(net: Any, counts: int, legal: Any, n: int, position: Any, z: Any, values: Any) -> None:
    """The logits of winning with the first n of the legal plays, into values. z [E] is room."""
    for p in range(n):
        play = legal[p]
        of_kind = net.kinds[play]
        for j in range(len(z)):
            z[j] = position[j] + net.kind[of_kind, j]
        for g in range(net.group_starts[play], net.group_starts[play + 1]):
            rank, put = net.groups[g, 0], net.groups[g, 1]
            held = (counts >> (4 * rank)) & 15
            for j in range(len(z)):
                z[j] += net.group[rank, held, put, j]
        total = net.answer_bias[0]
        for j in range(len(z)):
            total += max(z[j], np.float32(0)) * net.answer[j]
        values[p] = total


@fast_part
def legal_plays(k: Any, t: Any, held: int, twice: int, last: int, out: Any) -> int:
    return legal_one(k, t.nodes, t.fans, t.segments, t.walks, t.plays, held, twice, last, out, 0)


@fast_part
def make_play(k: Any, t: Any, cards: Any, scalars: Any, b: int, play: int) -> None:
    step_one(k, t.plays, t.play_cards, t.mates, cards, scalars, b, play)


@fast_kernel
def play_out(k: Any, t: Any, net: Any, fixed: Any, full: int, cards: Any, scalars: Any, lefts: Any, chosen: Any) -> int:
    """Every game, after a play that is chosen [B], until a seat is out of cards; how many decisions with a choice that took.

    fixed [S, H] are the sums that stay the same, lefts [B, S] the cards of the seats.
    """
    made, most, units, head = 0, len(t.play_cards), fixed.shape[1], len(net.head_bias)
    legal, values = np.empty(most, np.int32), np.empty(most, np.float32)
    sums, unseen = np.empty((k.seats, units), np.float32), np.empty((k.seats, 2), np.int64)
    before = np.empty(4, np.int64)  # words of the hand and of the cards played, before a play
    x, y, position, z = (
        np.empty(units, np.float32),
        np.empty(units, np.float32),
        np.empty(head, np.float32),
        np.empty(head, np.float32),
    )
    for b in range(len(cards)):
        lefts[b, scalars[b, layout.TURN]] -= net.sizes[chosen[b]]
        make_play(k, t, cards, scalars, b, chosen[b])
        sums[:] = fixed
        first_sums(k, net.sets, net.suits, full, cards, b, sums, unseen)
        while scalars[b, layout.OUTS] == 0:
            seat, choice = scalars[b, layout.TURN], 0
            before[0], before[1] = hand_of(k, cards, b, seat)
            n = legal_plays(k, t, before[0], before[1], scalars[b, layout.LAST], legal)
            if n > 1:
                made += 1
                x[:] = sums[seat]
                add_table_part(k, net, scalars, lefts, b, seat, x)
                counts = counts_of(k, before[0], before[1])
                position_part(net, counts, x, y, position)
                values_of_plays(net, counts, legal, n, position, z, values)
                choice = values[:n].argmax()
            before[2], before[3] = hand_of(k, cards, b, k.seats + seat)
            make_play(k, t, cards, scalars, b, legal[choice])
            if legal[choice] != PASS:
                lefts[b, seat] -= net.sizes[legal[choice]]
                next_sums(k, net.sets, net.suits, full, cards, b, seat, before, sums, unseen)
    return made


@fast_kernel
def chances_of(
    k: Any, t: Any, net: Any, public: Any, hands: Any, unseen: Any, last: int, play: int, temperature: float, out: Any
) -> None:
    """log P [n] that a seat with hands [n, 2] makes a play, by the softmax of its win chances; unseen [n, 2]."""
    most, units, head = len(t.play_cards), len(public), len(net.head_bias)
    legal, values = np.empty(most, np.int32), np.empty(most, np.float32)
    x, y, position, z = (
        np.empty(units, np.float32),
        np.empty(units, np.float32),
        np.empty(head, np.float32),
        np.empty(head, np.float32),
    )
    for b in range(len(hands)):
        n = legal_plays(k, t, hands[b, 0], hands[b, 1], last, legal)
        out[b] = 0
        if n > 1:
            x[:] = public
            change_set(k, x, net.sets[HAND], net.suits[HAND], 0, 0, hands[b, 0], hands[b, 1])
            change_set(k, x, net.sets[UNSEEN], net.suits[UNSEEN], 0, 0, unseen[b, 0], unseen[b, 1])
            counts = counts_of(k, hands[b, 0], hands[b, 1])
            position_part(net, counts, x, y, position)
            values_of_plays(net, counts, legal, n, position, z, values)
            for i in range(n):
                values[i] = 1 / (1 + np.exp(-values[i]))
            best, total, chosen = values[:n].max(), 0.0, 0.0
            for i in range(n):
                share = np.exp((values[i] - best) / temperature)
                total += share
                if legal[i] == play:
                    chosen = share
            out[b] = np.log((1 - BLUNDERS) * chosen / total + BLUNDERS / n)
