"""A game as a few arrays and numbers: all that a kernel needs to know of it, and how it lays out the state of many games."""

from functools import cache
from typing import NamedTuple

import numpy as np

from shangyou.engines.forest import Ints, Longs, build_forest
from shangyou.engines.supported import MOST_OF_A_RANK, check_supported
from shangyou.games import NOBODY, Game, PlayTable
from shangyou.games.cards import BIG_JOKER, SMALL_JOKER

FIRST_BY = ("seat0", "random", "spade3")
ROCKET = 1 << 4 * SMALL_JOKER | 1 << 4 * BIG_JOKER

# Columns of Tables.plays.
FOLLOWS, FOLLOWS_END, STRENGTH, BOMB, PLAY_SUIT = range(5)

# The state of B games is two arrays: cards [C, B] int64 and scalars [M, B] int32.
# Rows of cards: the hands, seat by seat and word by word, then the cards played the same way, then, with suits, the cards
# of the latest play, then the public cards.
# Rows of scalars: those below, then for each seat its place, how often it put cards down, and its bid in order of bidding;
# last a ring of the latest turns, the one numbered t as play * seats + seat in its row t % MEMORY. Bids are no turns.
TURN, LAST, LAST_BY, PASSED, OUTS, BOMBS, TURNS, LANDLORD, FIRST, BID, SCALARS = range(11)
PLACES, PUTS, BIDS = range(3)  # the blocks of a row a seat
MEMORY = 18  # turns remembered: the last six rounds of three seats, which DeepRocket sees; DouZero sees 15
SIDE_OUT = 64  # added to OUTS when the deal ends because a side is out: more than seats


class Tables(NamedTuple):
    """The forest and the table of plays. Few arrays, since each costs a kernel a pointer to carry along."""

    nodes: Longs  # these four as in Forest
    fans: Longs
    segments: Ints
    walks: Ints
    plays: Ints  # [P, 5]
    play_cards: Longs  # [P] counts of ranks
    pile: Longs  # [cards] every card alone, as the first word of a set
    sizes: Ints  # [S, S] hand sizes, by the seat served first
    mates: Ints  # [S + 1, S] the seats on a seat's side, a bit each; by the landlord, NOBODY first


class GameConstants(NamedTuple):
    """The rules as whole numbers: constants of every kernel."""

    seats: int
    words: int  # int64 words of a set of cards: one a pack where suits matter
    suited: int
    public: int  # cards that go to the landlord
    outs_to_end: int
    ends_with_side: int
    partner_leads: int
    pass_is_final: int
    first_by: int  # index into FIRST_BY
    landlord: int  # who plays alone from the start, or -1
    run_ranks: int  # ranks straights run over, for the choice of suits
    odd_hands: int  # 1 where it matters who is served first
    leads: int  # segments a leader walks: the first of `walks`
    bombs: int  # segments of bombs: the next
    bomb_cards: int  # equal cards of one rank that every bomb has, other than the rocket

    @property
    def card_rows(self) -> int:
        return (2 * self.seats + self.suited) * self.words + 1

    @property
    def last_cards(self) -> slice:
        """The rows of the latest play's cards, where suits matter."""
        return slice(2 * self.seats * self.words, (2 * self.seats + 1) * self.words)

    @property
    def scalar_rows(self) -> int:
        return SCALARS + 3 * self.seats + MEMORY

    def rows_by_seat(self, block: int) -> slice:
        """The rows of scalars that hold PLACES, PUTS or BIDS."""
        return slice(SCALARS + block * self.seats, SCALARS + (block + 1) * self.seats)


@cache
def tables_of(game: Game) -> Tables:
    table, forest = game.table, build_forest(game.table)
    at = forest.follows_at
    columns = at[table.pattern], at[table.pattern + 1], table.strength, table.bomb, table.suit
    return Tables(
        *forest[:4],
        plays=np.column_stack(columns).astype(np.int32),
        play_cards=table.cards,
        pile=np.array([game.deck.words(card)[0] for card in game.deck.cards], np.int64),
        sizes=np.array([game.hand_sizes(first) for first in range(game.seats)], np.int32),
        mates=np.array([_mates(game.sides(landlord)) for landlord in range(NOBODY, game.seats)], np.int32),
    )


def _mates(sides: tuple[int, ...]) -> list[int]:
    return [sum(1 << seat for seat, side in enumerate(sides) if side == mine) for mine in sides]


def _bomb_cards(table: PlayTable) -> int:
    most = table.need.max(axis=0)[(table.bomb > 0) & (table.cards != ROCKET)]
    return int(most.min(initial=MOST_OF_A_RANK))


@cache
def game_constants(game: Game) -> GameConstants:
    check_supported(game)
    forest = build_forest(game.table)
    return GameConstants(
        seats=game.seats,
        words=game.deck.packs if game.deck.suited else 1,
        suited=int(game.deck.suited),
        public=game.public_size,
        outs_to_end=game.outs_to_end,
        ends_with_side=int(game.ends_with_side),
        partner_leads=int(game.lead_passes_to == "partner"),
        pass_is_final=int(game.pass_is_final),
        first_by=FIRST_BY.index(game.first_by),
        landlord=game.first_landlord(),
        run_ranks=max(2, game.run_ranks),  # fewer hold no flush run, just as two
        odd_hands=int(len(set(game.hand_sizes(0))) > 1),
        leads=forest.leads,
        bombs=forest.bombs,
        bomb_cards=_bomb_cards(game.table),
    )
