"""doudizhu: China Competitive Poker, one landlord against two peasants, the game of the DeepRocket paper."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations, combinations_with_replacement
from typing import ClassVar

from shangyou.games.cards import BIG_JOKER, SMALL_JOKER, SUITED_RANKS, Deck
from shangyou.games.game import NOBODY, Ending, Game, Phase
from shangyou.games.rules import Rules, choice, switch
from shangyou.games.table import Groups, Play, PlayTable, bombs, equals, runs

HIGHEST_BID = 3
RUN_END = 12  # chains run over 3..A


@dataclass(frozen=True)
class DoudizhuRules(Rules):
    game: ClassVar[str] = "doudizhu"
    standard: ClassVar[tuple[str, ...]] = ("", "bidding=true")
    team_rules: ClassVar[str | None] = "base=3"  # as in the DeepRocket paper

    bidding: bool = switch(False, "seats bid 0..3 for landlord; off: the first seat is landlord")
    base: int = choice(1, "points a peasant wins or loses without bombs; with bidding the bid counts instead", range(1, 1001))
    doubling: bool = switch(False, "before the first play each seat may double what it and the other side pay each other")
    spring: bool = switch(False, "doubled if the losers never played (the landlord: never after the first play)")
    pass_is_final: bool = switch(False, "a seat that passed waits until the round is over")
    joker_kickers: bool = switch(False, "both jokers may be kickers of one four or plane")


class Doudizhu(Game):
    name = "doudizhu"
    seats = 3
    outs_to_end = 1
    public_size = 3
    side_names = ("landlord", "peasants")
    deck = Deck()

    def __init__(self, rules: DoudizhuRules) -> None:
        self.rules: DoudizhuRules = rules
        self.table = build_table(rules.joker_kickers)
        self.has_bidding, self.has_doubling = rules.bidding, rules.doubling
        self.pass_is_final = rules.pass_is_final
        self.first_by = "random" if rules.bidding else "seat0"

    def hand_sizes(self, first: int) -> tuple[int, ...]:
        return (17, 17, 17)

    def first_landlord(self) -> int:
        return NOBODY if self.rules.bidding else 0

    def sides(self, landlord: int = NOBODY) -> tuple[int, ...]:
        """The landlord against the two others; each seat alone as long as nobody is landlord."""
        return super().sides() if landlord == NOBODY else tuple(int(seat != landlord) for seat in range(3))

    def allowed_bids(self, bids: tuple[int, ...]) -> tuple[int, ...]:
        match self.phase(bids):
            case "bid":
                return (0, *range(max(bids, default=0) + 1, HIGHEST_BID + 1))
            case "double":
                return (0, 1)
            case "play":
                return ()

    def auction(self, bids: tuple[int, ...]) -> tuple[int, ...]:
        """Each seat bids once; the highest bid ends it."""
        if not self.rules.bidding:
            return ()
        return bids[: bids.index(HIGHEST_BID) + 1 if HIGHEST_BID in bids else self.seats]

    def phase(self, bids: tuple[int, ...]) -> Phase:
        """Doubling follows the auction, unless nobody bid and cards are dealt again; the landlord comes last."""
        made = self.auction(bids)
        if self.rules.bidding and len(made) < self.seats and HIGHEST_BID not in made:
            return "bid"
        has_landlord, doubles = any(made) or not self.rules.bidding, len(bids) - len(made)
        return "double" if self.rules.doubling and has_landlord and doubles < self.seats else "play"

    def scores(self, ending: Ending) -> tuple[int, ...]:
        """Each peasant and the landlord pay each other, twice as much for each of the two that doubled."""
        landlord, times = ending.landlord, [len(ending.doubled & {seat, ending.landlord}) for seat in range(3)]
        points = [self.stake(ending.bid, ending.bombs, n) << self._is_spring(ending) for n in times]
        points[landlord] -= sum(points)  # as much as both peasants, the other way
        return tuple(-n if ending.out[0] == landlord else n for n in points)

    def multiplier(self, bombs: int) -> int:
        return 1 << bombs

    def stake(self, bid: int, bombs: int, doublings: int = 0) -> int:
        return (bid if self.rules.bidding else self.rules.base) * super().stake(bid, bombs, doublings)

    def _is_spring(self, ending: Ending) -> bool:
        if not self.rules.spring:
            return False
        landlord = ending.plays[ending.landlord]
        peasants = sum(ending.plays) - landlord
        return peasants == 0 if ending.out[0] == ending.landlord else landlord == 1


@cache
def build_table(joker_kickers: bool = False) -> PlayTable:
    solo_kickers = partial(_solo_kickers, both_jokers=joker_kickers)
    plays = [*equals("solo", 1, 15), *equals("pair", 2, 13), *equals("trio", 3, 13)]
    plays += _with_kickers("trio+solo", 3, range(1, 2), solo_kickers, 1)
    plays += _with_kickers("trio+pair", 3, range(1, 2), _pair_kickers, 1)
    plays += _runs("solo-chain", 1, range(5, 13))
    plays += _runs("pair-chain", 2, range(3, 11))
    plays += _runs("plane", 3, range(2, 7))
    plays += _with_kickers("plane+solos", 3, range(2, 6), solo_kickers, 1)
    plays += _with_kickers("plane+pairs", 3, range(2, 5), _pair_kickers, 1)
    plays += _with_kickers("four+solos", 4, range(1, 2), solo_kickers, 2)
    plays += _with_kickers("four+pairs", 4, range(1, 2), _pair_kickers, 2)
    plays += bombs(4)
    plays.append(Play("rocket", "rocket", ((SMALL_JOKER, 1), (BIG_JOKER, 1)), bomb=1000))
    return PlayTable(Deck(), plays)


def _runs(name: str, count: int, lengths: range) -> Iterator[Play]:
    for main in runs(count, lengths, RUN_END):
        yield Play(name, f"{name} x{len(main)}", main, strength=main[0][0])


def _with_kickers(
    name: str, count: int, lengths: range, kickers: Callable[[Groups, int], Iterator[Groups]], each: int
) -> Iterator[Play]:
    """Main groups with `each` kickers to every group of the run."""
    alone = lengths.stop == 2  # a group on its own may also be of 2s
    for main in runs(count, lengths, 13 if alone else RUN_END):
        pattern = name if alone else f"{name} x{len(main)}"
        for kicker in kickers(main, each * len(main)):
            yield Play(name, pattern, main + kicker, strength=main[0][0])


def _solo_kickers(main: Groups, number: int, both_jokers: bool) -> Iterator[Groups]:
    """Single cards beside the main group; a rank may repeat, at most three times."""
    ranks = {rank for rank, _ in main}
    for cards in combinations_with_replacement([rank for rank in range(15) if rank not in ranks], number):
        counts = Counter(cards)
        if all(n <= (3 if rank < SMALL_JOKER else 1) for rank, n in counts.items()) and _is_kicker(main, counts, both_jokers):
            yield tuple(sorted(counts.items()))


def _is_kicker(main: Groups, counts: Counter[int], both_jokers: bool) -> bool:
    """Both jokers where the rules say so; no trio that would make the plane longer."""
    if counts[SMALL_JOKER] and counts[BIG_JOKER] and not both_jokers:
        return False
    ends = main[0][0] - 1, main[-1][0] + 1
    return not any(n == 3 and rank < RUN_END and rank in ends for rank, n in counts.items())


def _pair_kickers(main: Groups, number: int) -> Iterator[Groups]:
    ranks = {rank for rank, _ in main}
    for pairs in combinations([rank for rank in SUITED_RANKS if rank not in ranks], number):
        yield tuple((rank, 2) for rank in pairs)
