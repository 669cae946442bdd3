"""Turns on a GPU: the seats to act in the games of all lanes make their plays."""

import triton
import triton.language as tl

from shangyou.engines.kernels import layout
from shangyou.engines.kernels.gpu_bits import LANDLORD, LAST, LAST_BY, ONES, OUTS, SCALARS, TURN, TURNS, held_ranks
from shangyou.engines.kernels.gpu_legal import BOMB, MIXED, PLAY

PLAY_SUIT, PASSED, BOMBS = tl.constexpr(layout.PLAY_SUIT), tl.constexpr(layout.PASSED), tl.constexpr(layout.BOMBS)
MEMORY, SIDE_OUT = tl.constexpr(layout.MEMORY), tl.constexpr(layout.SIDE_OUT)


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
    cards, scalars, b, B, live, play, held, twice, plays, play_cards, mates,
    SEATS: tl.constexpr, WORDS: tl.constexpr, SUITED: tl.constexpr, OUTS_TO_END: tl.constexpr, ENDS_WITH_SIDE: tl.constexpr,
    PARTNER_LEADS: tl.constexpr, PASS_IS_FINAL: tl.constexpr, RUN_RANKS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The seats to act, who hold `held` and `twice`, make these plays. Whether each game goes on."""
    seat = tl.load(scalars + TURN * B + b, mask=live, other=0)
    passed = tl.load(scalars + PASSED * B + b, mask=live, other=0)
    outs = tl.load(scalars + OUTS * B + b, mask=live, other=0)
    last_by = tl.load(scalars + LAST_BY * B + b, mask=live, other=-1)
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
    if SUITED:
        tl.store(cards + (2 * SEATS * WORDS) * B + b, once, mask=puts)
    if WORDS == 2:
        tl.store(cards + (2 * SEATS * WORDS + 1) * B + b, again, mask=puts)
    passed = tl.where(puts, passed if PASS_IS_FINAL else 0, passed | (1 << seat))
    last_by = tl.where(puts, seat, last_by)
    went_out = puts & (left == 0)
    outs += went_out.to(tl.int32)
    count_puts = scalars + (seat + (SCALARS + SEATS)).to(tl.int64) * B + b
    tl.store(count_puts, tl.load(count_puts, mask=puts, other=0) + 1, mask=puts)
    bombs = tl.load(scalars + BOMBS * B + b, mask=puts, other=0)
    is_bomb = tl.load(plays + play * PLAY + BOMB, mask=puts, other=0) > 0
    tl.store(scalars + BOMBS * B + b, bombs + 1, mask=is_bomb)
    tl.store(scalars + (seat + SCALARS).to(tl.int64) * B + b, outs, mask=went_out)
    last_but_one = went_out & (outs == SEATS - 1)
    for other in tl.static_range(SEATS):
        place = tl.load(scalars + (SCALARS + other) * B + b, mask=last_but_one, other=1)
        still_in = last_but_one & (place == 0) & (seat != other)
        tl.store(scalars + (SCALARS + other) * B + b, tl.zeros((BLOCK,), tl.int32) + SEATS, mask=still_in)
    if ENDS_WITH_SIDE:
        side = load_mates(scalars, b, B, mates, seat, went_out, SEATS)
        side_out = went_out
        for other in tl.static_range(SEATS):
            asked = went_out & (((side >> other) & 1) == 1) & (seat != other)
            side_out = side_out & (tl.load(cards + (other * WORDS) * B + b, mask=asked, other=0) == 0)
        outs = tl.where(side_out, outs + SIDE_OUT, outs)
    goes_on = live & (outs < OUTS_TO_END)

    # Whose turn it is now: the next seat with cards that has not passed; else the round is over, and its winner leads.
    turn = tl.zeros((BLOCK,), tl.int32) - 1
    leader = tl.zeros((BLOCK,), tl.int32) - 1
    if PARTNER_LEADS:
        partner = tl.zeros((BLOCK,), tl.int32) - 1
        winning_side = load_mates(scalars, b, B, mates, last_by, goes_on & (last_by >= 0), SEATS)
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
        if PARTNER_LEADS:
            is_partner = (cards_from != 0) & (((winning_side >> from_winner) & 1) == 1)
            partner = tl.where((partner < 0) & is_partner, from_winner, partner)
    if PARTNER_LEADS:
        leader = tl.where(partner >= 0, partner, leader)
    over = turn < 0
    last = tl.load(scalars + LAST * B + b, mask=live, other=0)
    last = tl.where(puts, play, last)
    tl.store(scalars + TURN * B + b, tl.where(over, leader, turn), mask=goes_on)
    tl.store(scalars + LAST * B + b, tl.where(over & goes_on, 0, last), mask=live)
    tl.store(scalars + LAST_BY * B + b, tl.where(over & goes_on, -1, last_by), mask=live)
    tl.store(scalars + PASSED * B + b, tl.where(over & goes_on, 0, passed), mask=live)
    tl.store(scalars + OUTS * B + b, outs, mask=live)
    turns = tl.load(scalars + TURNS * B + b, mask=live, other=0)
    tl.store(scalars + (turns % MEMORY + (SCALARS + 3 * SEATS)).to(tl.int64) * B + b, play * SEATS + seat, mask=live)
    tl.store(scalars + TURNS * B + b, turns + 1, mask=live)
    return goes_on


@triton.jit
def load_mates(scalars, b, B, mates, seat, mask, SEATS: tl.constexpr):
    """The seats on a seat's side, a bit each."""
    landlord = tl.load(scalars + LANDLORD * B + b, mask=mask, other=-1)
    return tl.load(mates + (landlord + 1) * SEATS + seat, mask=mask, other=0)
