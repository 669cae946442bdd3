"""The batch engine's work on a GPU, in Triton: what cpu.py does, a lane a game.

A program is one warp of 32 games that go through the same code together; where games differ, lanes wait for each other. So
legal plays are found by walking nodes in order, with no bit tricks per start, and a game's plays are counted, then placed.
"""
# Triton reads these functions as its own language: types of arguments mean nothing to it, and branches on lanes are `where`.
# mypy: ignore-errors

from __future__ import annotations

import triton
import triton.language as tl

from shangyou.engines.forest import ONES as ONES_INT
from shangyou.engines.kernels import tables
from shangyou.games import shuffle
from shangyou.games.table import MIXED as MIXED_INT

ONES = tl.constexpr(ONES_INT)
GUARD = tl.constexpr(ONES_INT << 3)
EVEN = tl.constexpr(0x0F0F0F0F0F0F0F0F)
EVEN_GUARD = tl.constexpr(0x1010101010101010)
FIVES, THREES = tl.constexpr(0x555555555555555), tl.constexpr(0x333333333333333)
GOLDEN = tl.constexpr(shuffle.GOLDEN)
MIX_1, MIX_2 = tl.constexpr(shuffle.MIX_1), tl.constexpr(shuffle.MIX_2)
HAND_KEY, TWICE_KEY = tl.constexpr(shuffle.HAND_KEY), tl.constexpr(shuffle.TWICE_KEY)
MIXED = tl.constexpr(MIXED_INT)

COUNT, RUN, SUIT, OFFSET, ROOTS = (tl.constexpr(getattr(tables, name)) for name in ("COUNT", "RUN", "SUIT", "OFFSET", "ROOTS"))
SEGMENT = tl.constexpr(tables.ROOTS + 16)  # columns of a segment
FOLLOWS, FOLLOWS_END = tl.constexpr(tables.FOLLOWS), tl.constexpr(tables.FOLLOWS_END)
STRENGTH, BOMB, PLAY_SUIT = tl.constexpr(tables.STRENGTH), tl.constexpr(tables.BOMB), tl.constexpr(tables.PLAY_SUIT)
PLAY = tl.constexpr(5)  # columns of a play
TURN, LAST, LAST_BY, PASSED = (tl.constexpr(getattr(tables, name)) for name in ("TURN", "LAST", "LAST_BY", "PASSED"))
OUTS, BOMBS, TURNS = tl.constexpr(tables.OUTS), tl.constexpr(tables.BOMBS), tl.constexpr(tables.TURNS)
LANDLORD, FIRST, MARKS = tl.constexpr(tables.LANDLORD), tl.constexpr(tables.FIRST), tl.constexpr(tables.MARKS)

COUNTING, WRITING, CHOOSING = tl.constexpr(0), tl.constexpr(1), tl.constexpr(2)


# -- drawing ---------------------------------------------------------------------------------------------------------


@triton.jit
def mix(x):
    x = (x ^ (x >> 30)) * MIX_1
    x = (x ^ (x >> 27)) * MIX_2
    return x ^ (x >> 31)


@triton.jit
def scaled(x, n):
    """64 random bits as a number below n."""
    return (((x >> 32) * n.to(tl.uint64)) >> 32).to(tl.int32)


@triton.jit(do_not_specialize=["n", "B", "seed_key"])
def deal_games(
    cards, marks, games, index, n, B, seed_key, scratch, pile, sizes,
    SEATS: tl.constexpr, WORDS: tl.constexpr, PUBLIC: tl.constexpr, FIRST_BY: tl.constexpr, LANDLORD_SEAT: tl.constexpr,
    ODD: tl.constexpr, CARDS: tl.constexpr, LARGEST: tl.constexpr, MARK_ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = lane < n
    b = tl.load(games + lane, mask=live, other=0)
    state = mix(seed_key.to(tl.uint64) + tl.load(index + lane, mask=live, other=0).to(tl.uint64) * GOLDEN)
    served = tl.zeros((BLOCK,), tl.int32)
    if ODD:
        state += GOLDEN
        served = scaled(mix(state), served + SEATS)
    for i in range(CARDS):
        tl.store(scratch + i * n + lane, tl.zeros((BLOCK,), tl.int8) + i, mask=live)
    at = tl.zeros((BLOCK,), tl.int32)
    public = tl.zeros((BLOCK,), tl.int64)
    for part in tl.static_range(SEATS + 1):  # seats 1, 2, ..., then the public cards, then seat 0
        if part == SEATS - 1:
            number = tl.zeros((BLOCK,), tl.int32) + PUBLIC
        else:
            number = tl.load(sizes + served * SEATS + (part + 1) % (SEATS + 1))
        drawn = at + number < CARDS  # what is left in the pile needs no draw
        once = tl.zeros((BLOCK,), tl.int64)
        twice = tl.zeros((BLOCK,), tl.int64)
        for step in range(LARGEST):
            on = live & (step < number)
            card_at = at + step
            state = tl.where(on & drawn, state + GOLDEN, state)
            j = tl.where(drawn, card_at + scaled(mix(state), CARDS - card_at), card_at)
            mine = tl.load(scratch + card_at * n + lane, mask=on, other=0)
            other = tl.load(scratch + j * n + lane, mask=on, other=0)
            tl.store(scratch + j * n + lane, mine, mask=on)
            tl.store(scratch + card_at * n + lane, other, mask=on)
            card = tl.load(pile + other.to(tl.int32), mask=on, other=0)
            if WORDS == 2:
                again = (once & card) != 0
                twice += tl.where(again, card, 0)
                once += tl.where(again, 0, card)
            else:
                once += card
        if part == SEATS - 1:
            public = once
        else:
            if (part + 1) % (SEATS + 1) == LANDLORD_SEAT:
                once += public
            hand = cards + ((part + 1) % (SEATS + 1) * WORDS) * B + b
            tl.store(hand, once, mask=live)
            if WORDS == 2:
                tl.store(hand + B, twice, mask=live)
        at += number
    none = tl.zeros((BLOCK,), tl.int64)
    for row in range(SEATS * WORDS, 2 * SEATS * WORDS):
        tl.store(cards + row * B + b, none, mask=live)
    tl.store(cards + (2 * SEATS * WORDS) * B + b, public, mask=live)
    first = first_seats(cards, b, B, live, state + GOLDEN, SEATS, WORDS, FIRST_BY, BLOCK)
    nothing = tl.zeros((BLOCK,), tl.int32)
    for row in range(MARK_ROWS):
        tl.store(marks + row * B + b, nothing, mask=live)
    tl.store(marks + FIRST * B + b, first, mask=live)
    tl.store(marks + TURN * B + b, (nothing + LANDLORD_SEAT) if LANDLORD_SEAT >= 0 else first, mask=live)
    tl.store(marks + LAST_BY * B + b, nothing - 1, mask=live)
    tl.store(marks + LANDLORD * B + b, nothing + LANDLORD_SEAT, mask=live)
    for seat in range(SEATS):
        tl.store(marks + (MARKS + 2 * SEATS + seat) * B + b, nothing - 1, mask=live)  # no bid yet


@triton.jit
def first_seats(
    cards, b, B, live, state, SEATS: tl.constexpr, WORDS: tl.constexpr, FIRST_BY: tl.constexpr, BLOCK: tl.constexpr
):
    first = tl.zeros((BLOCK,), tl.int32)
    if FIRST_BY != 0:
        able = tl.zeros((BLOCK,), tl.int32)
        for seat in tl.static_range(SEATS):
            able += may_be_first(cards, b, B, live, seat, WORDS, FIRST_BY, BLOCK)
        choice = tl.where(able > 1, scaled(mix(state), able), 0)
        for seat in tl.static_range(SEATS):
            here = may_be_first(cards, b, B, live, seat, WORDS, FIRST_BY, BLOCK)
            first = tl.where((here == 1) & (choice == 0), seat, first)
            choice -= here
    return first


@triton.jit
def may_be_first(cards, b, B, live, seat, WORDS: tl.constexpr, FIRST_BY: tl.constexpr, BLOCK: tl.constexpr):
    if FIRST_BY == 1:
        return tl.zeros((BLOCK,), tl.int32) + 1
    return (tl.load(cards + (seat * WORDS) * B + b, mask=live, other=0) & 1).to(tl.int32)


# -- legal plays -----------------------------------------------------------------------------------------------------


@triton.jit
def at_least(counts, n):
    """A bit for every rank of which there are n or more."""
    return ((counts + (8 - n).to(tl.int64) * ONES) >> 3) & ONES


@triton.jit
def held_ranks(need):
    return ((need + 7 * ONES) >> 3) & ONES


@triton.jit
def suits_in_lanes(word):
    pairs = (word & FIVES) + ((word >> 1) & FIVES)
    return (pairs & THREES) + ((pairs >> 2) & THREES)


@triton.jit
def fits(counts, need, WORDS: tl.constexpr):
    if WORDS == 2:  # counts up to 8 leave no bit for a guard: every second rank at a time
        low = (((counts & EVEN) | EVEN_GUARD) - (need & EVEN)) & EVEN_GUARD
        high = ((((counts >> 4) & EVEN) | EVEN_GUARD) - ((need >> 4) & EVEN)) & EVEN_GUARD
        return (low & high) == EVEN_GUARD
    return (((counts | GUARD) - need) & GUARD) == GUARD


@triton.jit
def can_mix(held, need):
    """Whether the cards held of the ranks needed are of more than one suit."""
    cards = held & (held_ranks(need) * 15)
    mixed = (cards & ~ONES) != 0
    mixed &= (cards & ~(ONES << 1)) != 0
    mixed &= (cards & ~(ONES << 2)) != 0
    return mixed & ((cards & ~(ONES << 3)) != 0)


@triton.jit
def legal_lanes(
    nodes, segments, walks, plays, held, twice, last, live, out, n, choice, MODE: tl.constexpr,
    WORDS: tl.constexpr, SUITED: tl.constexpr, LEADS: tl.constexpr, BOMB_SEGMENTS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Legal plays of every lane: counted, written to out[n:], or the one numbered `choice` picked. The count, and the pick."""
    counts = held
    if SUITED:
        counts = suits_in_lanes(held) + suits_in_lanes(twice)
    lead = last == 0
    pending = live & (lead == 0)  # lanes that still have the bombs to go through
    if MODE == WRITING:
        tl.store(out + n, tl.zeros((BLOCK,), tl.int32), mask=pending)
    picked = tl.zeros((BLOCK,), tl.int32)
    n += pending.to(n.dtype)
    about = plays + last * PLAY
    tier = tl.load(about + BOMB, mask=live, other=0)
    above = tl.load(about + STRENGTH, mask=live, other=0)
    i = tl.where(lead, 0, tl.load(about + FOLLOWS, mask=live, other=0))
    stop = tl.where(lead, LEADS, tl.load(about + FOLLOWS_END, mask=live, other=0))
    stop = tl.where((lead == 0) & (tier > 0), i, stop)  # only bombs beat a bomb
    while tl.sum((live & ((i < stop) | pending)).to(tl.int32)) > 0:
        to_bombs = pending & (i >= stop)
        i = tl.where(to_bombs, LEADS, i)
        stop = tl.where(to_bombs, LEADS + BOMB_SEGMENTS, stop)
        above = tl.where(to_bombs, tier, above)
        pending = pending & (to_bombs == 0)
        has = live & (i < stop)
        about_segment = segments + tl.load(walks + i, mask=has, other=0) * SEGMENT
        lowest = above - tl.load(about_segment + OFFSET, mask=has, other=0) + 1
        lowest = tl.where(lead | (lowest < 0), 0, lowest)
        has = has & (lowest < 15)
        own = counts
        suit = tl.zeros((BLOCK,), tl.int32)
        if SUITED:
            suit = tl.load(about_segment + SUIT, mask=has, other=0)
            by = tl.where(suit > 0, suit, 0).to(tl.int64)
            own = tl.where(suit >= 0, ((held >> by) & ONES) + ((twice >> by) & ONES), counts)
        reach = at_least(own, tl.load(about_segment + COUNT, mask=has, other=1))
        run = tl.load(about_segment + RUN, mask=has, other=1)
        starts = reach & tl.where(run > 1, reach >> 4, reach) & tl.where(run > 2, reach >> 8, reach)
        has = has & ((starts >> (4 * lowest).to(tl.int64)) != 0)
        node = tl.load(about_segment + ROOTS + lowest, mask=has, other=0)
        end = tl.load(about_segment + ROOTS + 15, mask=has, other=0)
        while tl.sum((node < end).to(tl.int32)) > 0:
            on = node < end
            need = tl.load(nodes + 2 * node, mask=on, other=0)
            link = tl.load(nodes + 2 * node + 1, mask=on, other=0)
            fit = on & fits(own, need, WORDS)
            row = (link & 0xFFFFFFFF).to(tl.int32) - 1
            hit = fit & (row >= 0)
            if SUITED:
                hit = hit & ((suit != MIXED) | can_mix(held, need))
            if MODE == WRITING:
                tl.store(out + n, row, mask=hit)
            if MODE == CHOOSING:
                picked = tl.where(hit & (n == choice), row, picked)
            n += hit.to(n.dtype)
            node = tl.where(fit, node + 1, tl.where(on, (link >> 32).to(tl.int32), node))
        i += 1
    return n, picked


@triton.jit
def load_hand(cards, seat, b, B, live, WORDS: tl.constexpr, BLOCK: tl.constexpr):
    row = (seat * WORDS).to(tl.int64)
    held = tl.load(cards + row * B + b, mask=live, other=0)
    if WORDS == 2:
        return held, tl.load(cards + (row + 1) * B + b, mask=live, other=0)
    return held, tl.zeros((BLOCK,), tl.int64)


@triton.jit(do_not_specialize=["n", "B"])
def legal_games(
    cards, marks, games, n, B, nodes, segments, walks, plays, starts, out, MODE: tl.constexpr,
    WORDS: tl.constexpr, SUITED: tl.constexpr, LEADS: tl.constexpr, BOMB_SEGMENTS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Counting: how many plays each game has, into `starts`. Writing: the plays themselves, from `starts` on."""
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = lane < n
    b = tl.load(games + lane, mask=live, other=0)
    held, twice = load_hand(cards, tl.load(marks + TURN * B + b, mask=live, other=0), b, B, live, WORDS, BLOCK)
    last = tl.load(marks + LAST * B + b, mask=live, other=0)
    first = tl.zeros((BLOCK,), tl.int64)
    if MODE == WRITING:
        first = tl.load(starts + lane, mask=live, other=0)
    count, _ = legal_lanes(
        nodes, segments, walks, plays, held, twice, last, live, out, first, 0, MODE, WORDS, SUITED, LEADS, BOMB_SEGMENTS, BLOCK
    )
    if MODE == COUNTING:
        tl.store(starts + lane, count, mask=live)


# -- turns -----------------------------------------------------------------------------------------------------------


@triton.jit
def pick_suits(need, suit, held, twice, RUN_RANKS: tl.constexpr, BLOCK: tl.constexpr):
    """The cards plays take where suits matter, once and twice: see games/suits.py, whose rule this is."""
    threes = held & (held >> 4) & (held >> 8) & ((1 << (4 * (RUN_RANKS - 2))) - 1)
    kept = threes | (threes << 4) | (threes << 8)  # one copy of these is in a flush run
    spare = (held & ~kept) | (twice & kept)
    spare_twice = twice & ~kept
    once = tl.zeros((BLOCK,), tl.int64)
    again = tl.zeros((BLOCK,), tl.int64)
    one = tl.zeros((BLOCK,), tl.int64) + 1
    for rank in range(15):
        wanted = (need >> (4 * rank)) & 15
        for place in tl.static_range(8):
            bit = one << (4 * rank + (place % 4))
            if place < 4:
                copies = ((spare & bit) != 0).to(tl.int64) + ((spare_twice & bit) != 0).to(tl.int64)
            else:
                copies = ((kept & bit) != 0).to(tl.int64)
            take = tl.minimum(wanted, copies)
            again = tl.where(take > 0, again | (once & bit), again)
            once = tl.where(take > 0, once | bit, once)
            again = tl.where(take > 1, again | bit, again)
            wanted -= take
    to_mix = suit == MIXED
    for colour in tl.static_range(4):
        alone = to_mix & ((once & ~(ONES << colour)) == 0)
        for rank in range(15):
            others = (held >> (4 * rank)) & 15 & ~(1 << colour)
            here = alone & (((need >> (4 * rank)) & 15) > 0) & (others > 0)
            rather = others & (spare >> (4 * rank))
            other = tl.where(rather > 0, rather, others)
            mine = one << (4 * rank + colour)
            has_two = (again & mine) != 0
            once = tl.where(here & (has_two == 0), once & ~mine, once)
            again = tl.where(here & has_two, again & ~mine, again)
            once = tl.where(here, once | ((other & -other) << (4 * rank)), once)
            alone = alone & (here == 0)
            to_mix = to_mix & (here == 0)
    flush = tl.where(suit > 0, suit, 0).to(tl.int64)
    twos = ((need + 6 * ONES) >> 3) & ONES
    once = tl.where(suit >= 0, held_ranks(need) << flush, once)
    again = tl.where(suit >= 0, twos << flush, again)
    return once, again


@triton.jit
def step_lanes(
    cards, marks, b, B, live, play, held, twice, plays, play_cards,
    SEATS: tl.constexpr, WORDS: tl.constexpr, SUITED: tl.constexpr, OUTS_TO_END: tl.constexpr,
    PASS_IS_FINAL: tl.constexpr, RUN_RANKS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The seats to act, who hold `held` and `twice`, make these plays. Whether each game goes on."""
    seat = tl.load(marks + TURN * B + b, mask=live, other=0)
    passed = tl.load(marks + PASSED * B + b, mask=live, other=0)
    outs = tl.load(marks + OUTS * B + b, mask=live, other=0)
    last_by = tl.load(marks + LAST_BY * B + b, mask=live, other=-1)
    puts = live & (play != 0)
    need = tl.load(play_cards + play, mask=puts, other=0)
    once, again = need, tl.zeros((BLOCK,), tl.int64)
    if SUITED:
        once, again = pick_suits(
            need, tl.load(plays + play * PLAY + PLAY_SUIT, mask=puts, other=-1), held, twice, RUN_RANKS, BLOCK
        )
    hand_row = (seat * WORDS).to(tl.int64)
    played_row = hand_row + SEATS * WORDS
    played = tl.load(cards + played_row * B + b, mask=puts, other=0)
    if WORDS == 2:
        played_twice = tl.load(cards + (played_row + 1) * B + b, mask=puts, other=0)
        tl.store(cards + (played_row + 1) * B + b, played_twice | again | (played & once), mask=puts)
        tl.store(cards + played_row * B + b, played | once, mask=puts)
        left = (held & ~once) | (twice & once & ~again)
        tl.store(cards + (hand_row + 1) * B + b, twice & ~once, mask=puts)
    else:
        tl.store(cards + played_row * B + b, played + once, mask=puts)
        left = held - once
    tl.store(cards + hand_row * B + b, left, mask=puts)
    passed = tl.where(puts, passed if PASS_IS_FINAL else 0, passed | (1 << seat))
    last_by = tl.where(puts, seat, last_by)
    went_out = puts & (left == 0)
    outs += went_out.to(tl.int32)
    count_puts = marks + (seat + (MARKS + SEATS)).to(tl.int64) * B + b
    tl.store(count_puts, tl.load(count_puts, mask=puts, other=0) + 1, mask=puts)
    bombs = tl.load(marks + BOMBS * B + b, mask=puts, other=0)
    is_bomb = tl.load(plays + play * PLAY + BOMB, mask=puts, other=0) > 0
    tl.store(marks + BOMBS * B + b, bombs + 1, mask=is_bomb)
    tl.store(marks + (seat + MARKS).to(tl.int64) * B + b, outs, mask=went_out)
    last_but_one = went_out & (outs == SEATS - 1)
    for other in tl.static_range(SEATS):
        place = tl.load(marks + (MARKS + other) * B + b, mask=last_but_one, other=1)
        still_in = last_but_one & (place == 0) & (seat != other)
        tl.store(marks + (MARKS + other) * B + b, tl.zeros((BLOCK,), tl.int32) + SEATS, mask=still_in)
    goes_on = live & (outs < OUTS_TO_END)

    # Whose turn it is now: the next seat with cards that has not passed; else the round is over, and its winner leads.
    turn = tl.zeros((BLOCK,), tl.int32) - 1
    leader = tl.zeros((BLOCK,), tl.int32) - 1
    for i in tl.static_range(SEATS):
        after = (seat + 1 + i) % SEATS
        cards_after = tl.load(cards + (after * WORDS).to(tl.int64) * B + b, mask=goes_on, other=0)
        cards_after = tl.where(after == seat, tl.where(puts, left, held), cards_after)
        waits = (cards_after != 0) & (((passed >> after) & 1) == 0) & (after != last_by)
        turn = tl.where((turn < 0) & waits, after, turn)
        from_winner = (last_by + i) % SEATS
        cards_from = tl.load(cards + (from_winner * WORDS).to(tl.int64) * B + b, mask=goes_on & (last_by >= 0), other=0)
        cards_from = tl.where(from_winner == seat, tl.where(puts, left, held), cards_from)
        leader = tl.where((leader < 0) & (cards_from != 0), from_winner, leader)
    over = turn < 0
    last = tl.load(marks + LAST * B + b, mask=live, other=0)
    last = tl.where(puts, play, last)
    tl.store(marks + TURN * B + b, tl.where(over, leader, turn), mask=goes_on)
    tl.store(marks + LAST * B + b, tl.where(over & goes_on, 0, last), mask=live)
    tl.store(marks + LAST_BY * B + b, tl.where(over & goes_on, -1, last_by), mask=live)
    tl.store(marks + PASSED * B + b, tl.where(over & goes_on, 0, passed), mask=live)
    tl.store(marks + OUTS * B + b, outs, mask=live)
    turns = tl.load(marks + TURNS * B + b, mask=live, other=0)
    tl.store(marks + TURNS * B + b, turns + 1, mask=live)
    return goes_on


@triton.jit(do_not_specialize=["n", "B"])
def step_games(
    cards, marks, games, chosen, n, B, plays, play_cards,
    SEATS: tl.constexpr, WORDS: tl.constexpr, SUITED: tl.constexpr, OUTS_TO_END: tl.constexpr,
    PASS_IS_FINAL: tl.constexpr, RUN_RANKS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = lane < n
    b = tl.load(games + lane, mask=live, other=0)
    play = tl.load(chosen + lane, mask=live, other=0)
    held, twice = load_hand(cards, tl.load(marks + TURN * B + b, mask=live, other=0), b, B, live, WORDS, BLOCK)
    step_lanes(
        cards, marks, b, B, live, play, held, twice, plays, play_cards,
        SEATS, WORDS, SUITED, OUTS_TO_END, PASS_IS_FINAL, RUN_RANKS, BLOCK,
    )  # fmt: skip


@triton.jit(do_not_specialize=["B"])
def random_games(
    cards, marks, B, nodes, segments, walks, plays, play_cards, keys,
    SEATS: tl.constexpr, WORDS: tl.constexpr, SUITED: tl.constexpr, OUTS_TO_END: tl.constexpr, PASS_IS_FINAL: tl.constexpr,
    RUN_RANKS: tl.constexpr, LEADS: tl.constexpr, BOMB_SEGMENTS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Every game from where it stands to its end, by lot, without coming back to the host."""
    b = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)
    live = b < B
    live = live & (tl.load(marks + OUTS * B + b, mask=live, other=0) < OUTS_TO_END)
    while tl.sum(live.to(tl.int32)) > 0:
        seat = tl.load(marks + TURN * B + b, mask=live, other=0)
        last = tl.load(marks + LAST * B + b, mask=live, other=0)
        turns = tl.load(marks + TURNS * B + b, mask=live, other=0)
        held, twice = load_hand(cards, seat, b, B, live, WORDS, BLOCK)
        zero = tl.zeros((BLOCK,), tl.int32)
        count, _ = legal_lanes(
            nodes, segments, walks, plays, held, twice, last, live, marks, zero, zero,
            COUNTING, WORDS, SUITED, LEADS, BOMB_SEGMENTS, BLOCK,
        )  # fmt: skip
        x = tl.load(keys + seat, mask=live, other=0).to(tl.uint64) + turns.to(tl.uint64) * GOLDEN
        x = x + held.to(tl.uint64) * HAND_KEY + twice.to(tl.uint64) * TWICE_KEY
        choice = tl.where(count > 1, scaled(mix(x), count), 0)
        undecided = live & ((count > 1) | (last == 0))  # else there is nothing but to pass
        _, play = legal_lanes(
            nodes, segments, walks, plays, held, twice, last, undecided, marks, zero, choice,
            CHOOSING, WORDS, SUITED, LEADS, BOMB_SEGMENTS, BLOCK,
        )  # fmt: skip
        live = step_lanes(
            cards, marks, b, B, live, play, held, twice, plays, play_cards,
            SEATS, WORDS, SUITED, OUTS_TO_END, PASS_IS_FINAL, RUN_RANKS, BLOCK,
        )  # fmt: skip
