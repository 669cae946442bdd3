"""Whether a side can force a worth: proof-number search (df-pn) over positions with all cards known, compiled by Numba.

A position is a row of the batch engine's state, one a ply, and what may be played and what follows is the engine's own.
A position's two numbers say how much is still to be shown to prove that the side reaches the worth (`pn`), or that it does not
(`dn`); 0 is done. Where the side moves one child is enough, so pn is the least of the children's and dn their sum; where the
others move it is the other way round. The search goes down to the child that is the least work until its numbers pass what
makes another one better, and a table of positions keeps what was found.

Positions are the same when nothing that can follow differs: the hands, whose turn it is and whose play stands, who is done
with the round, what the outcome still depends on, and of the play to beat only what somebody could put on it.
"""

from typing import Any

import numpy as np
from numba import njit

from shangyou.engines.forest import OFFSET, ONES
from shangyou.engines.kernels.cpu_bits import at_least, lowest_bit, mix, number_of_bits, suits_in_lanes
from shangyou.engines.kernels.cpu_cache import kernel
from shangyou.engines.kernels.cpu_legal import legal_one, starts_in
from shangyou.engines.kernels.cpu_turns import put_one
from shangyou.engines.kernels.layout import (
    BOMB,
    BOMBS,
    FOLLOWS,
    FOLLOWS_END,
    LAST,
    LAST_BY,
    PASSED,
    PLAY_SUIT,
    SCALARS,
    STRENGTH,
    TURN,
)  # fmt: skip
from shangyou.games.table import MIXED, PASS
from shangyou.search.outcomes import OPEN, PLACE_BITS

INF = 1 << 29  # a number that is proven impossible
FAR = 1 << 20  # a strength above all
PLIES, MOVES = 256, 1 << 17  # room: turns ahead, and moves of all positions on the way down
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
NOBODY_CAN = -2


@njit
def cards_in(counts: int) -> int:
    """Cards of a word of counts."""
    pairs = (counts & 0x0F0F0F0F0F0F0F0F) + ((counts >> 4) & 0x0F0F0F0F0F0F0F0F)
    return ((pairs * 0x0101010101010101) >> 56) & 255


@njit
def least_answers(k: Any, segments: Any, walks: Any, plays: Any, play_cards: Any, held: int, last: int) -> tuple[int, int]:
    """The least strength in the pattern of `last`, and the least tier of a bomb, that a hand may answer it with.

    Kickers and mixed suits are not looked at, so there may be none after all; below these there is none for certain.
    """
    counts = held if not k.suited else suits_in_lanes(held)
    tier, strength, bomb = plays[last, BOMB], FAR, FAR
    if tier == 0 and cards_in(counts) >= cards_in(play_cards[last]):
        for i in range(plays[last, FOLLOWS], plays[last, FOLLOWS_END]):
            offset = segments[walks[i], OFFSET]
            starts = starts_in(segments, held, 0, counts, walks[i], max(0, plays[last, STRENGTH] - offset + 1))[2]
            if starts:
                strength = min(strength, (lowest_bit(starts) >> 2) + offset)
    if at_least(counts, k.bomb_cards) or (counts >> 56 and counts >> 52 & 15):
        for i in range(k.leads, k.leads + k.bombs):
            offset = segments[walks[i], OFFSET]
            starts = starts_in(segments, held, 0, counts, walks[i], max(0, tier - offset + 1))[2]
            if starts:
                bomb = min(bomb, (lowest_bit(starts) >> 2) + offset)
    return strength, bomb


@njit
def settle(k: Any, t: Any, cards: Any, scalars: Any, b: int) -> int:
    """Seats that can only pass do so; what the play to beat asks for is returned: -1 for a lead."""
    while scalars[b, LAST] != PASS:
        last, seat, last_by = scalars[b, LAST], scalars[b, TURN], scalars[b, LAST_BY]
        strength, bomb, mine = FAR, FAR, True
        for i in range(k.seats):
            other = (seat + i) % k.seats
            if other == last_by:
                break
            held = cards[b, other]
            if held and not scalars[b, PASSED] >> other & 1:
                one, two = least_answers(k, t.segments, t.walks, t.plays, t.play_cards, held, last)
                strength, bomb = min(strength, one), min(bomb, two)
            if i == 0 and strength == FAR and bomb == FAR:
                mine = False
                break
        if mine:
            return ((t.plays[last, FOLLOWS] + 1) << 24) + strength if strength < FAR else bomb
        put_one(k, t.plays, t.mates, cards, scalars, b, PASS, 0, 0)
    return -1


@njit
def worth_of(k: Any, o: Any, scalars: Any, b: int) -> tuple[int, int]:
    """What a position is worth, or OPEN; and a code of all that its worth will depend on, besides the cards."""
    code = 0
    for seat in range(k.seats):
        code |= scalars[b, SCALARS + seat] << (PLACE_BITS * seat)
    node, plays = np.int64(o.node[code]), 0
    for seat in range(k.seats):
        plays += min(scalars[b, SCALARS + k.seats + seat], o.caps[seat]) * o.strides[seat]
    bombs = min(scalars[b, BOMBS], o.worth.shape[1] - 1)
    return o.worth[node, bombs, plays], (node * o.worth.shape[1] + bombs) * o.worth.shape[2] + plays


@njit
def key_of(k: Any, cards: Any, scalars: Any, b: int, to_beat: int, about: int, goal: int) -> Any:
    x = mix(np.uint64(goal) * GOLDEN + np.uint64(about))
    for seat in range(k.seats):
        x = mix(x + np.uint64(cards[b, seat]) * GOLDEN)
    passed = scalars[b, PASSED] if k.pass_is_final else 0
    turns = (scalars[b, TURN] << 8) + ((scalars[b, LAST_BY] + 1) << 16) + passed
    x = mix(x + np.uint64(to_beat) * GOLDEN + np.uint64(turns))
    return x | np.uint64(1)  # 0 is an empty place


@njit
def turns_left(k: Any, held: int) -> int:
    """About how many plays a hand needs."""
    counts = held if not k.suited else suits_in_lanes(held)
    ranks = number_of_bits(at_least(counts, 1))
    trios = number_of_bits(at_least(counts, 3))
    runs = at_least(counts, 1) & ((np.int64(1) << 48) - 1)
    runs5 = runs & (runs >> 4) & (runs >> 8)
    if not k.suited:
        runs5 &= (runs >> 12) & (runs >> 16)
    longest = 0
    if runs5:
        longest = number_of_bits(runs5) + (1 if k.suited else 3)
    return max(1, ranks - min(trios, ranks - trios) - longest)


@njit
def guess(k: Any, cards: Any, scalars: Any, b: int, mine: int, ahead: int) -> tuple[int, int]:
    """First numbers of a position nobody has looked at: the plays until one of us is out, and until `ahead` others are."""
    good, bad, taken = FAR, FAR, 0
    for _ in range(ahead):
        bad, who = FAR, 0
        for seat in range(k.seats):
            if mine >> seat & 1 or taken >> seat & 1:
                continue
            n = half_turns(k, cards, scalars, b, seat)
            if n < bad:
                bad, who = n, seat
        taken |= 1 << who
    for seat in range(k.seats):
        if mine >> seat & 1:
            good = min(good, half_turns(k, cards, scalars, b, seat))
    return 1 + good, 1 + bad


@njit
def half_turns(k: Any, cards: Any, scalars: Any, b: int, seat: int) -> int:
    return 2 * turns_left(k, cards[b, seat]) - (scalars[b, TURN] == seat) if cards[b, seat] else 0


@njit
def copy_row(k: Any, cards: Any, scalars: Any, a: int, b: int) -> None:
    for i in range(cards.shape[1]):
        cards[b, i] = cards[a, i]
    for i in range(SCALARS + 3 * k.seats):
        scalars[b, i] = scalars[a, i]


@njit
def look_up(keys: Any, key: Any) -> int:
    """The place of a position in the table, or -1."""
    place = np.int64(key >> np.uint64(1)) & (len(keys) - 1)
    for i in range(4):
        if keys[place ^ i] == key:
            return place ^ i
    return -1


@njit
def store(keys: Any, numbers: Any, key: Any, pn: int, dn: int) -> None:
    place = np.int64(key >> np.uint64(1)) & (len(keys) - 1)
    best, least = place, np.int64(1) << 62
    for i in range(4):
        here = place ^ i
        if keys[here] == key or keys[here] == 0:
            best = here
            break
        size = min(np.int64(numbers[here, 0]), np.int64(numbers[here, 1]))
        if size == 0:
            size = INF  # what is decided stays
        if size < least:
            best, least = here, size
    keys[best] = key
    numbers[best, 0], numbers[best, 1] = pn, dn


@njit
def flush_cards(held: int, run: int, ranks: int) -> int:
    """The cards of a hand that are in a run of one suit of `run` ranks, all below `ranks`; with `run` 0 none."""
    if run == 0:
        return 0
    below = held & ((np.int64(1) << (4 * ranks)) - 1)
    starts = below
    for i in range(1, run):
        starts &= below >> (4 * i)
    cards = starts
    for i in range(1, run):
        cards |= starts << (4 * i)
    return cards


@njit
def spread(held: int, need: int, mixed: int, special: int, out: Any, n: int) -> int:
    """All choices of cards for a play where suits matter, into out[n:]; cards that no flush can need are alike."""
    first = n
    out[n] = 0
    n += 1
    for rank in range(15):
        wanted = need >> (4 * rank) & 15
        if wanted == 0:
            continue
        lane = held >> (4 * rank) & 15
        flush = special >> (4 * rank) & 15
        end = n
        for choice in range(1, 16):
            if choice & ~lane or number_of_bits(choice) != wanted:
                continue
            plain = choice & ~flush
            others = lane & ~flush & ~plain
            if plain and others and lowest_bit(others) < highest_bit(plain):
                continue  # of cards that are alike the lowest go first
            for i in range(first, end):
                out[n] = out[i] | (choice << (4 * rank))
                n += 1
        for i in range(end, n):
            out[first + i - end] = out[i]
        n = first + n - end
    if mixed:
        end, n = n, first
        for i in range(first, end):
            one_suit = False
            for suit in range(4):
                one_suit |= out[i] & ~(ONES << suit) == 0
            if not one_suit:
                out[n] = out[i]
                n += 1
    return n


@njit
def highest_bit(x: int) -> int:
    """Of four bits."""
    return 3 if x & 8 else 2 if x & 4 else 1 if x & 2 else 0


@njit
def moves_of(
    k: Any, t: Any, cards: Any, scalars: Any, b: int, run: int, ranks: int, rows: Any, move_row: Any, move_cards: Any, n: int
) -> int:
    """Every move of the seat to act into move_row[n:] and move_cards[n:]; -1 if there is no room."""
    held = cards[b, scalars[b, TURN]]
    count = legal_one(k, t.nodes, t.fans, t.segments, t.walks, t.plays, held, 0, scalars[b, LAST], rows, 0)
    if n + count + 4096 > len(move_row):
        return -1
    if not k.suited:
        for i in range(count):
            move_row[n + i], move_cards[n + i] = rows[i], t.play_cards[rows[i]]
        return n + count
    special = flush_cards(held, run, ranks)
    for i in range(count):
        row, need = rows[i], t.play_cards[rows[i]]
        suit = t.plays[row, PLAY_SUIT]
        first = n
        if n + 4096 > len(move_row):
            return -1
        if row == PASS:
            move_cards[n] = 0
            n += 1
        elif suit >= 0:
            move_cards[n] = at_least(need, 1) << suit
            n += 1
        else:
            n = spread(held, need, suit == MIXED, special, move_cards, n)
        for j in range(first, n):
            move_row[j] = row
    return n


@njit
def expand(
    k: Any,
    t: Any,
    o: Any,
    about: Any,
    cards: Any,
    scalars: Any,
    ply: int,
    keys: Any,
    numbers: Any,
    rows: Any,
    move_row: Any,
    move_cards: Any,
    move_key: Any,
    move_pn: Any,
    move_dn: Any,
    start: int,
) -> int:
    """The moves of the position at `ply`, each with the key and the numbers of what it leads to; where they end, or -1.

    Below the first position one that decides is enough; plays of many cards come late in the table and are tried first.
    """
    mine, goal, ahead = about[0], about[1], about[2]
    end = moves_of(k, t, cards, scalars, ply, about[3], about[4], rows, move_row, move_cards, start)
    ours = mine >> scalars[ply, TURN] & 1
    for i in range(end - 1, start - 1, -1):
        copy_row(k, cards, scalars, ply, ply + 1)
        put_one(k, t.plays, t.mates, cards, scalars, ply + 1, move_row[i], move_cards[i], 0)
        worth, rest = worth_of(k, o, scalars, ply + 1)
        if worth != OPEN:
            move_key[i] = 0
            move_pn[i], move_dn[i] = (0, INF) if worth >= goal else (INF, 0)
        else:
            to_beat = settle(k, t, cards, scalars, ply + 1)
            key = key_of(k, cards, scalars, ply + 1, to_beat, rest, goal)
            move_key[i] = key
            place = look_up(keys, key)
            if place >= 0:
                move_pn[i], move_dn[i] = numbers[place, 0], numbers[place, 1]
            else:
                move_pn[i], move_dn[i] = guess(k, cards, scalars, ply + 1, mine, ahead)
        if ply and (move_pn[i] if ours else move_dn[i]) == 0:
            move_row[start], move_cards[start], move_key[start] = move_row[i], move_cards[i], move_key[i]
            move_pn[start], move_dn[start] = move_pn[i], move_dn[i]
            return start + 1
    return end


def prove(
    k: Any,
    t: Any,
    o: Any,
    about: Any,
    cards: Any,
    scalars: Any,
    keys: Any,
    numbers: Any,
    rows: Any,
    move_row: Any,
    move_cards: Any,
    move_key: Any,
    move_pn: Any,
    move_dn: Any,
    nodes: int,
) -> tuple[int, int]:
    """The numbers of the position in row 0 are left in those of its moves. Where these end, and how many positions were seen.

    `about` says who is on our side, as bits, and what we want; how many others must be out for that to fail; and the shortest
    flush with the ranks it runs over, zeros where suits do not matter.
    """
    mine = about[0]
    begins, at = np.zeros(PLIES + 1, np.int64), np.zeros(PLIES, np.int64)
    limit_pn, limit_dn, key = np.zeros(PLIES, np.int64), np.zeros(PLIES, np.int64), np.zeros(PLIES, np.uint64)
    ends = np.zeros(PLIES, np.int64)
    limit_pn[0] = limit_dn[0] = INF
    ends[0] = expand(k, t, o, about, cards, scalars, 0, keys, numbers, rows, move_row, move_cards, move_key,
                     move_pn, move_dn, 0)  # fmt: skip
    ply, seen = 0, ends[0]
    stopped = ends[0] < 0
    while not stopped:
        ours = mine >> scalars[ply, TURN] & 1
        least, second, total, best = INF, INF, np.int64(0), begins[ply]
        for i in range(begins[ply], ends[ply]):
            one, other = (move_pn[i], move_dn[i]) if ours else (move_dn[i], move_pn[i])
            total += other
            if one < least:
                least, second, best = one, least, i
            elif one < second:
                second = one
        total = min(total, INF - 1) if least > 0 else INF
        pn, dn = (least, total) if ours else (total, least)
        if pn == 0 or dn == 0 or pn >= limit_pn[ply] or dn >= limit_dn[ply] or seen >= nodes:
            if ply == 0:
                break
            store(keys, numbers, key[ply], pn, dn)
            ply -= 1
            move_pn[at[ply]], move_dn[at[ply]] = pn, dn
            continue
        at[ply] = best
        mine_limit = limit_pn[ply] if ours else limit_dn[ply]
        sum_limit = limit_dn[ply] if ours else limit_pn[ply]
        other = move_dn[best] if ours else move_pn[best]
        down = min(mine_limit, second + 1 + (second >> 2)), min(INF, sum_limit - total + other)
        copy_row(k, cards, scalars, ply, ply + 1)
        put_one(k, t.plays, t.mates, cards, scalars, ply + 1, move_row[best], move_cards[best], 0)
        settle(k, t, cards, scalars, ply + 1)
        begins[ply + 1] = ends[ply]
        ply += 1
        limit_pn[ply], limit_dn[ply] = down if ours else (down[1], down[0])
        key[ply] = move_key[best]
        ends[ply] = expand(k, t, o, about, cards, scalars, ply, keys, numbers, rows, move_row, move_cards,
                           move_key, move_pn, move_dn, begins[ply])  # fmt: skip
        if ends[ply] < 0 or ply + 2 >= PLIES:
            stopped = True
            break
        seen += ends[ply] - begins[ply]
    return ends[0] if not stopped else -1, seen


prove = kernel(prove, parallel=False)
