"""Whether a side can force a worth: proof-number search (df-pn) over positions with all cards known, compiled by Numba.

A position is a row of the batch engine's state, one a ply, and what may be played and what follows is the engine's own.
A position's two numbers say how much is still to be shown to prove that the side reaches the worth (`pn`), or that it does not
(`dn`); 0 is done. Where the side moves one child is enough, so pn is the least of the children's and dn their sum; where the
others move it is the other way round. The search goes down to the child that is the least work until its numbers pass what
makes another one better, and a table of positions keeps what was found.

Positions are the same when nothing that can follow differs: the hands, whose turn it is and whose play stands, who is done
with the round, what the outcome still depends on, and of the play to beat only what somebody could put on it.
"""

from typing import Any, NamedTuple

import numpy as np

from shangyou.engines.forest import OFFSET
from shangyou.engines.kernels.cpu_bits import at_least, lowest_bit, mix, number_of_bits, suits_in_lanes
from shangyou.engines.kernels.cpu_cache import kernel, part
from shangyou.engines.kernels.cpu_legal import starts_in
from shangyou.engines.kernels.cpu_turns import put_one
from shangyou.engines.kernels.layout import (
    BOMB,
    BOMBS,
    FOLLOWS,
    FOLLOWS_END,
    LAST,
    LAST_BY,
    PASSED,
    SCALARS,
    STRENGTH,
    TURN,
)  # fmt: skip
from shangyou.games.table import PASS
from shangyou.search.outcomes import OPEN, PLACE_BITS
from shangyou.search.proof_moves import Moves, moves_of, only

INF = 1 << 29  # a number that is proven impossible
FAR = 1 << 20  # a strength above all
PLIES, MOVES = 256, 1 << 17  # room: turns ahead, and moves of all positions on the way down
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class Known(NamedTuple):
    """What was found of positions; 0 is an empty place."""

    keys: Any  # [size] uint64
    numbers: Any  # [size, 2] int32: pn, dn


class Way(NamedTuple):
    """The way down, a place a ply: where its moves begin and end, which is looked at, what its numbers must not reach."""

    begins: Any
    ends: Any
    at: Any
    limit_pn: Any
    limit_dn: Any
    key: Any


class Room(NamedTuple):
    """The arrays of a search, made once: the kernel makes none."""

    known: Known
    moves: Moves
    way: Way
    turns: Any  # [S] plays that each hand needs, about


def room(size: int, table: int, seats: int) -> Room:
    """For a table of plays of so many rows, and so many positions that are kept."""
    moves = (
        np.empty(size + 1, np.int32),
        np.empty(MOVES, np.int32),
        *(np.empty(MOVES, kind) for kind in (np.int64, np.uint64, np.int64, np.int64)),
    )
    way = *(np.zeros(PLIES + 1, np.int64) for _ in range(5)), np.zeros(PLIES + 1, np.uint64)
    return Room(
        Known(np.zeros(table, np.uint64), np.zeros((table, 2), np.int32)), Moves(*moves), Way(*way), np.zeros(seats, np.int64)
    )


@part
def cards_in(counts: int) -> int:
    """Cards of a word of counts."""
    pairs = (counts & 0x0F0F0F0F0F0F0F0F) + ((counts >> 4) & 0x0F0F0F0F0F0F0F0F)
    return ((pairs * 0x0101010101010101) >> 56) & 255


@part
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


@part
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


@part
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


@part
def key_of(k: Any, cards: Any, scalars: Any, b: int, to_beat: int, about: int, goal: int) -> Any:
    x = mix(np.uint64(goal) * GOLDEN + np.uint64(about))
    for seat in range(k.seats):
        x = mix(x + np.uint64(cards[b, seat]) * GOLDEN)
    passed = scalars[b, PASSED] if k.pass_is_final else 0
    turns = (scalars[b, TURN] << 8) + ((scalars[b, LAST_BY] + 1) << 16) + passed
    x = mix(x + np.uint64(to_beat) * GOLDEN + np.uint64(turns))
    return x | np.uint64(1)  # 0 is an empty place


@part
def turns_left(k: Any, held: int) -> int:
    """About how many plays a hand needs."""
    if held == 0:
        return 0
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


@part
def guess(k: Any, turn: int, turns: Any, mine: int, ahead: int) -> tuple[int, int]:
    """First numbers of a position nobody has looked at: the plays until one of us is out, and until `ahead` others are."""
    good, bad, taken = FAR, FAR, 0
    for _ in range(ahead):
        bad, who = FAR, 0
        for seat in range(k.seats):
            if mine >> seat & 1 or taken >> seat & 1:
                continue
            n = half_turns(turn, turns, seat)
            if n < bad:
                bad, who = n, seat
        taken |= 1 << who
    for seat in range(k.seats):
        if mine >> seat & 1:
            good = min(good, half_turns(turn, turns, seat))
    return 1 + good, 1 + bad


@part
def half_turns(turn: int, turns: Any, seat: int) -> int:
    return 2 * turns[seat] - (turn == seat) if turns[seat] else 0


@part
def copy_row(k: Any, cards: Any, scalars: Any, a: int, b: int) -> None:
    for i in range(cards.shape[1]):
        cards[b, i] = cards[a, i]
    for i in range(SCALARS + 3 * k.seats):
        scalars[b, i] = scalars[a, i]


@part
def look_up(known: Known, key: Any) -> int:
    """The place of a position in the table, or -1."""
    keys = known.keys
    place = np.int64(key >> np.uint64(1)) & (len(keys) - 1)
    for i in range(4):
        if keys[place ^ i] == key:
            return place ^ i
    return -1


@part
def store(known: Known, key: Any, pn: int, dn: int) -> None:
    keys, numbers = known
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


@part
def expand(k: Any, t: Any, o: Any, about: Any, cards: Any, scalars: Any, ply: int, room: Room, start: int) -> int:
    """The moves of the position at `ply`, each with the key and the numbers of what it leads to; where they end, or -1.

    Below the first position one that decides is enough; plays of many cards come late in the table and are tried first.
    """
    mine, goal, ahead, moves, turns = about[0], about[1], about[2], room.moves, room.turns
    end = moves_of(k, t, cards, scalars, ply, about[3], about[4], moves, start)
    seat = scalars[ply, TURN]
    ours = mine >> seat & 1
    for other in range(k.seats):
        turns[other] = turns_left(k, cards[ply, other])
    for i in range(end - 1, start - 1, -1):
        copy_row(k, cards, scalars, ply, ply + 1)
        put_one(k, t.plays, t.mates, cards, scalars, ply + 1, moves.row[i], moves.cards[i], 0)
        worth, rest = worth_of(k, o, scalars, ply + 1)
        if worth != OPEN:
            moves.key[i] = 0
            moves.pn[i], moves.dn[i] = (0, INF) if worth >= goal else (INF, 0)
        else:
            to_beat = settle(k, t, cards, scalars, ply + 1)
            moves.key[i] = key_of(k, cards, scalars, ply + 1, to_beat, rest, goal)
            place = look_up(room.known, moves.key[i])
            if place >= 0:
                moves.pn[i], moves.dn[i] = room.known.numbers[place, 0], room.known.numbers[place, 1]
            else:
                turns[seat] = turns_left(k, cards[ply + 1, seat])
                moves.pn[i], moves.dn[i] = guess(k, scalars[ply + 1, TURN], turns, mine, ahead)
        if ply and (moves.pn[i] if ours else moves.dn[i]) == 0:
            return only(moves, start, i)
    return end


def prove(k: Any, t: Any, o: Any, about: Any, cards: Any, scalars: Any, room: Room, nodes: int) -> tuple[int, int]:
    """The numbers of the position in row 0 are left in those of its moves. Where these end, and how many positions were seen.

    `about` says who is on our side, as bits, and what we want; how many others must be out for that to fail; and the shortest
    flush with the ranks it runs over, zeros where suits do not matter.
    """
    mine, moves, way = about[0], room.moves, room.way
    way.begins[0], way.limit_pn[0], way.limit_dn[0] = 0, INF, INF
    way.ends[0] = expand(k, t, o, about, cards, scalars, 0, room, 0)
    ply, seen = 0, way.ends[0]
    stopped = way.ends[0] < 0
    while not stopped:
        ours = mine >> scalars[ply, TURN] & 1
        least, second, total, best = INF, INF, np.int64(0), way.begins[ply]
        for i in range(way.begins[ply], way.ends[ply]):
            one, other = (moves.pn[i], moves.dn[i]) if ours else (moves.dn[i], moves.pn[i])
            total += other
            if one < least:
                least, second, best = one, least, i
            elif one < second:
                second = one
        total = min(total, INF - 1) if least > 0 else INF
        pn, dn = (least, total) if ours else (total, least)
        if pn == 0 or dn == 0 or pn >= way.limit_pn[ply] or dn >= way.limit_dn[ply] or seen >= nodes:
            if ply == 0:
                break
            store(room.known, way.key[ply], pn, dn)
            ply -= 1
            moves.pn[way.at[ply]], moves.dn[way.at[ply]] = pn, dn
            continue
        way.at[ply] = best
        mine_limit = way.limit_pn[ply] if ours else way.limit_dn[ply]
        sum_limit = way.limit_dn[ply] if ours else way.limit_pn[ply]
        other = moves.dn[best] if ours else moves.pn[best]
        down = min(mine_limit, second + 1 + (second >> 2)), min(INF, sum_limit - total + other)
        copy_row(k, cards, scalars, ply, ply + 1)
        put_one(k, t.plays, t.mates, cards, scalars, ply + 1, moves.row[best], moves.cards[best], 0)
        settle(k, t, cards, scalars, ply + 1)
        way.begins[ply + 1] = way.ends[ply]
        ply += 1
        way.limit_pn[ply], way.limit_dn[ply] = down if ours else (down[1], down[0])
        way.key[ply] = moves.key[best]
        way.ends[ply] = expand(k, t, o, about, cards, scalars, ply, room, way.begins[ply])
        if way.ends[ply] < 0 or ply + 2 >= PLIES:
            stopped = True
            break
        seen += way.ends[ply] - way.begins[ply]
    return way.ends[0] if not stopped else -1, seen


prove = kernel(prove, parallel=False)
