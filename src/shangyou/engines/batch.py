"""Thousands of games at once, in lockstep, on a CPU or a GPU: the same four verbs on tensors.

    engine = BatchEngine(games.load("doudizhu"), "cuda")
    state = engine.deal(4096, seed=7)
    while len(state.running):
        legal = engine.legal(state)
        state = engine.step(state, legal.plays[legal.starts[:-1]])  # everybody plays the lowest legal play
    engine.scores(state)

B games, n of them running, S seats, W words a set of cards, N legal plays. A set of cards is W int64 words with four bits a
rank: counts where suits do not matter, else the suits held (word 0) and, with two packs, those held twice (word 1).
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property

import torch
from torch import Tensor

from shangyou.engines.kernels import Kernels, layout, load_kernels
from shangyou.engines.reference import REDEAL
from shangyou.games import NOBODY, PASS, BadInput, Ending, Game, IllegalPlay
from shangyou.games.game import PLAYS_COUNTED, check_seed

NO_BID = -1  # of a seat that has not bid yet
MOST_GAMES = 1 << 24  # far above what fits a GPU; a typing error should not ask for all memory


@dataclass(frozen=True)
class State:
    """Points in B games. `step` reuses the tensors: keep a `copy` of a state you want to come back to."""

    cards: Tensor  # [C, B] int64: hands, cards played, public cards
    scalars: Tensor  # [M, B] int32: whose turn it is, the play to beat, ...
    index: Tensor  # [B] int64 the number of each game's deal
    seed: int
    running: Tensor  # [n] int64 the games that go on, ascending

    def copy(self) -> State:
        return replace(self, cards=self.cards.clone(), scalars=self.scalars.clone())

    @property
    def games(self) -> int:
        return self.index.shape[0]


@dataclass(frozen=True)
class Legal:
    """The legal plays of the running games, one after the other, ascending in each."""

    rows: Tensor  # [N] int64 which of the running games, 0..n-1
    plays: Tensor  # [N] int32
    starts: Tensor  # [n + 1] int64 where a game's plays begin

    @classmethod
    def of(cls, counts: Tensor, plays: Tensor) -> Legal:
        """Plays [N] of games that have so many each [n]."""
        return cls(torch.repeat_interleave(counts), plays, torch.cat([counts.new_zeros(1), counts.cumsum(0)]))

    @property
    def counts(self) -> Tensor:
        """[n] how many plays each game has; a decision with one needs no thought."""
        return self.starts[1:] - self.starts[:-1]


@dataclass(frozen=True)
class View:
    """What the seats to act in the running games may know, relative to each: me = 0, next = 1. NOBODY is -1."""

    hand: Tensor  # [n, W] int64
    unseen: Tensor  # [n, W] int64
    played: Tensor  # [n, S, W] int64
    left: Tensor  # [n, S] int32 cards each seat has
    last: Tensor  # [n] int32 the play to beat; PASS: to lead
    last_by: Tensor  # [n] int32
    last_cards: Tensor  # [n, W] int64 the very cards of the play to beat
    landlord: Tensor  # [n] int32
    public: Tensor  # [n] int64 known once there is a landlord
    passed: Tensor  # [n, S] bool
    bids: Tensor  # [n, S] int32 what each seat bid, -1 if it has not
    bombs: Tensor  # [n] int32 bombs played
    turns: Tensor  # [n] int32 decisions so far
    history: Tensor  # [n, MEMORY] int32 the last plays, the latest first; PASS where there was none
    history_by: Tensor  # [n, MEMORY] int32 who made them; NOBODY where there was none

    def at(self, rows: Tensor | slice) -> View:
        return View(*(getattr(self, field.name)[rows] for field in fields(self)))


class BatchEngine:
    """One game's rules on one device."""

    def __init__(self, game: Game, device: str | torch.device = "cpu") -> None:
        self.game = game
        self.device = check_device(device)
        self.constants = layout.game_constants(game)
        self.kernels: Kernels = load_kernels(game, self.device)

    # -- the four verbs -------------------------------------------------------------------------------------------

    def deal(self, games: int, seed: int, first_index: int = 0) -> State:
        """Deals first_index, first_index + 1, ... of `seed`: those of the reference engine."""
        if isinstance(games, bool) or not isinstance(games, int) or not 0 <= games <= MOST_GAMES:
            raise BadInput(f"games {games!r} is not a whole number from 0 to {MOST_GAMES}")
        return self.deal_these(torch.arange(games, device=self.device) + first_index, seed)

    def deal_these(self, index: Tensor, seed: int) -> State:
        """Deals of `seed` by their numbers [B], in any order and as often as they come."""
        check_seed(seed)
        index = index.long().contiguous()  # kernels step through it, and are compiled for one type of it
        cards = self._empty(self.constants.card_rows, len(index), torch.int64)
        scalars = self._empty(self.constants.scalar_rows, len(index), torch.int32)
        everybody = torch.arange(len(index), device=self.device)
        self.kernels.deal(cards, scalars, everybody, seed, index)
        return State(cards, scalars, index, seed, everybody)

    def deal_again(self, state: State, games: Tensor, index: Tensor) -> State:
        """Some games [n], finished or not, begin anew with deals [n] of the same seed; the others stay as they are."""
        self.kernels.deal(state.cards, state.scalars, games, state.seed, index)
        running = torch.zeros_like(state.index, dtype=torch.bool)
        running[state.running] = running[games] = True
        return replace(state, index=state.index.index_copy(0, games, index), running=torch.nonzero(running)[:, 0])

    def start(self, hands: Tensor, public: Tensor, first: Tensor) -> State:
        """The starts of games from given cards, hands [B, S, W] and public cards [B], where seats first [B] act first."""
        k, everybody = self.constants, torch.arange(len(first), device=self.device)
        cards = self._empty(k.card_rows, len(first), torch.int64).zero_()
        scalars = self._empty(k.scalar_rows, len(first), torch.int32).zero_()
        cards[: k.seats * k.words], cards[-1] = hands.flatten(1).T, public
        scalars[layout.TURN] = scalars[layout.FIRST] = first
        scalars[layout.LAST_BY], scalars[layout.LANDLORD] = NOBODY, k.landlord
        scalars[k.rows_by_seat(layout.BIDS)] = NO_BID
        if k.landlord != NOBODY:
            cards[k.landlord * k.words] += public
            scalars[layout.TURN] = k.landlord
        return State(cards, scalars, everybody, 0, everybody)

    def legal(self, state: State) -> Legal:
        counts = self.kernels.count(state.cards, state.scalars, state.running)
        starts = torch.zeros(len(counts) + 1, dtype=torch.int64, device=self.device)
        torch.cumsum(counts, 0, out=starts[1:])
        plays = torch.empty(int(starts[-1]), dtype=torch.int32, device=self.device)
        self.kernels.write(state.cards, state.scalars, state.running, starts, plays)
        rows = torch.repeat_interleave(counts, output_size=len(plays))
        return Legal(rows, plays, starts)

    def step(self, state: State, plays: Tensor) -> State:
        """Each running game goes on by one play, a legal one: `check` looks whether it is, this hot path does not."""
        if plays.shape != state.running.shape:
            raise BadInput(f"{tuple(plays.shape)} plays for {len(state.running)} running games")
        self.kernels.step(state.cards, state.scalars, state.running, plays.to(torch.int32))
        return self._drop_finished(state)

    def check(self, legal: Legal, plays: Tensor) -> None:
        """An error that names the first of these plays, one a running game, that is not in its game's list."""
        allowed = torch.zeros(len(plays), dtype=torch.bool, device=self.device)
        allowed[legal.rows[legal.plays == plays[legal.rows]]] = True
        if not bool(allowed.all()):
            place = int(torch.nonzero(~allowed)[0])
            play = int(plays[place])
            label = self.game.table.labels[play] if 0 <= play < len(self.game.table) else "no row of the table"
            raise IllegalPlay(f"play {play} ({label}) is not legal in running game {place}")

    def view(self, state: State) -> View:
        k, games = self.constants, state.running
        cards, scalars = state.cards[:, games], state.scalars[:, games]
        seats = (scalars[layout.TURN].long() + torch.arange(k.seats, device=self.device)[:, None]) % k.seats  # [S, n]
        hands, played = cards[: k.last_cards.start].reshape(2, k.seats, k.words, len(games))  # [S, W, n] each
        mine = _by_seat(hands, seats)[0]  # [W, n]
        seen = played[0]
        for other in (*played[1:], mine):
            seen = _add(seen, other)
        history, history_by = self._history(scalars)
        return View(
            hand=mine.T,
            unseen=_subtract(self.full, seen).T,
            played=_by_seat(played, seats).permute(2, 0, 1),
            left=torch.gather(_count_cards(hands, bool(k.suited)), 0, seats).T,
            last=scalars[layout.LAST],
            last_by=self._relative(scalars[layout.LAST_BY], scalars[layout.TURN]),
            last_cards=self._last_cards(cards, scalars[layout.LAST]).T,
            landlord=self._relative(scalars[layout.LANDLORD], scalars[layout.TURN]),
            public=torch.where(scalars[layout.LANDLORD] >= 0, cards[-1], 0),
            passed=(scalars[layout.PASSED] >> seats & 1).bool().T,
            bids=torch.gather(scalars[k.rows_by_seat(layout.BIDS)], 0, (seats - scalars[layout.FIRST]) % k.seats).T,
            bombs=scalars[layout.BOMBS],
            turns=scalars[layout.TURNS],
            history=history.T,
            history_by=history_by.T,
        )

    def play_randomly(self, state: State, seeds: list[int]) -> State:
        """Every game to its end in one kernel: what random agents with these seeds, one per seat, would play."""
        if len(seeds) != self.constants.seats:
            raise BadInput(f"{len(seeds)} seeds for {self.constants.seats} seats")
        if bool(self.bidding(state).any()):
            raise IllegalPlay("bids come before plays")
        for seed in seeds:
            check_seed(seed)
        self.kernels.random_games(state.cards, state.scalars, seeds)
        return self._drop_finished(state)

    def cards_of(self, hands: Tensor, plays: Tensor) -> Tensor:
        """[N, W] the very cards that plays [N] take from hands [N, W]."""
        return self.kernels.pick(hands, plays) if self.constants.suited else self.play_cards[plays][:, None]

    def legal_of(self, hands: Tensor, last: Tensor) -> Legal:
        """The legal plays of n hands [n, W], each with the play to beat [n]."""
        cards = self._empty(self.constants.card_rows, len(last), torch.int64)
        scalars = self._empty(self.constants.scalar_rows, len(last), torch.int32)
        cards[: self.constants.words], scalars[layout.TURN], scalars[layout.LAST] = hands.T, 0, last
        everybody = torch.arange(len(last), device=self.device)
        return self.legal(State(cards, scalars, everybody, 0, everybody))

    def turn(self, state: State) -> Tensor:
        """[n] the seat to act in each running game."""
        return state.scalars[layout.TURN, state.running]

    # -- bidding --------------------------------------------------------------------------------------------------

    def bidding(self, state: State) -> Tensor:
        """[n] whether a game is still being bid for."""
        if not self.game.has_bidding:
            return torch.zeros_like(state.running, dtype=torch.bool)
        return state.scalars[layout.LANDLORD, state.running] < 0

    def bids(self, state: State) -> Tensor:
        """[B, S] the bids of every game in the order they were made, -1 where there is none."""
        return state.scalars[self.constants.rows_by_seat(layout.BIDS)].T

    def highest_bid(self, state: State) -> Tensor:
        """[n] a seat may bid 0, or more than this."""
        return state.scalars[layout.BID, state.running]

    def bid(self, state: State, points: Tensor) -> State:
        """Each running game goes on by one bid. The highest bidder becomes landlord; if nobody bids, cards are dealt again."""
        k, games, scalars = self.constants, state.running, state.scalars
        if not bool(self.bidding(state).all()):
            raise IllegalPlay("bids are due in some of the running games only: take those out of `running`")
        before, most = self.highest_bid(state), max(self.game.allowed_bids(()))
        allowed = (points == 0) | ((points > before) & (points <= most))
        if not bool(allowed.all()):
            raise IllegalPlay(f"bid {int(points[~allowed][0])}: 0, or more than the highest so far")
        points = points.to(torch.int32)
        turn, highest = scalars[layout.TURN, games], torch.maximum(before, points)
        order = (turn - scalars[layout.FIRST, games]) % k.seats
        scalars[k.rows_by_seat(layout.BIDS)][order.long(), games] = points
        scalars[layout.BID, games] = highest
        scalars[layout.TURN, games] = (turn + 1) % k.seats
        closed = (order == k.seats - 1) | (points == most)
        self._seat_landlords(state, games[closed & (highest > 0)])
        return self._redeal(state, games[closed & (highest == 0)])

    def _seat_landlords(self, state: State, games: Tensor) -> None:
        k, scalars = self.constants, state.scalars
        place = scalars[k.rows_by_seat(layout.BIDS), games].argmax(0)
        landlord = (scalars[layout.FIRST, games] + place) % k.seats
        state.cards[landlord * k.words, games] += state.cards[-1, games]
        scalars[layout.LANDLORD, games] = landlord.to(torch.int32)
        scalars[layout.TURN, games] = landlord.to(torch.int32)

    def _redeal(self, state: State, games: Tensor) -> State:
        return self.deal_again(state, games, state.index[games] + REDEAL)

    # -- what came of it ------------------------------------------------------------------------------------------

    def places(self, state: State) -> Tensor:
        """[B, S] 1 for first out, 0 while a seat has cards."""
        return state.scalars[self.constants.rows_by_seat(layout.PLACES)].T

    def scores(self, state: State) -> Tensor:
        """[B, S] points; zeros where a game goes on."""
        return self.results(state)[0]

    def results(self, state: State) -> Tensor:
        """[2, B, S] points, and 1 for winners; zeros where a game goes on.

        By the game's own rules, asked once for every different ending.
        """
        k, scalars = self.constants, state.scalars
        puts = scalars[k.rows_by_seat(layout.PUTS)].clamp(max=PLAYS_COUNTED)
        others = scalars[layout.OUTS], scalars[layout.BOMBS], scalars[layout.LANDLORD], scalars[layout.BID]
        endings = torch.stack([*self.places(state).T, *puts, *others], 1)  # [B, 2S + 4]
        different, which = torch.unique(endings, dim=0, return_inverse=True)
        results = [self._result(ending) for ending in different.tolist()]
        table = torch.tensor(results, dtype=torch.int32, device=self.device).reshape(-1, 2, k.seats)
        return table[which].transpose(0, 1)

    def _result(self, ending: list[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        seats = self.constants.seats
        places, puts, (outs, bombs, landlord, bid) = ending[:seats], ending[seats : 2 * seats], ending[2 * seats :]
        in_order = sorted((seat for seat in range(seats) if places[seat]), key=lambda seat: places[seat])
        out = tuple(in_order[: outs % layout.SIDE_OUT])  # without the last of all, whose place is known too
        if not self.game.is_over(out, landlord):
            return (0,) * seats, (0,) * seats
        winners = self.game.winners(out, landlord)
        scores = self.game.scores(Ending(out, bombs, tuple(puts), landlord, bid))
        return scores, tuple(int(seat in winners) for seat in range(seats))

    # -- parts ----------------------------------------------------------------------------------------------------

    @cached_property
    def full(self) -> Tensor:
        """[W, 1] all cards of the deck."""
        deck = self.game.deck
        return torch.tensor(deck.words(deck.full), dtype=torch.int64, device=self.device)[:, None]

    @cached_property
    def play_cards(self) -> Tensor:
        """[P] the cards of each row of the table, counts of ranks."""
        return torch.as_tensor(self.game.table.cards, device=self.device)

    def _empty(self, rows: int, games: int, dtype: torch.dtype) -> Tensor:
        """[rows, games], with what belongs to a game side by side on a CPU, what belongs to a row on a GPU."""
        if self.device.type == "cpu":
            return torch.empty(games, rows, dtype=dtype).T
        return torch.empty(rows, games, dtype=dtype, device=self.device)

    def _drop_finished(self, state: State) -> State:
        going = state.scalars[layout.OUTS, state.running] < self.constants.outs_to_end
        return replace(state, running=state.running[going])

    def _last_cards(self, cards: Tensor, last: Tensor) -> Tensor:
        """[W, n] of the play to beat."""
        if not self.constants.suited:
            return self.play_cards[last][None]
        return torch.where(last == PASS, 0, cards[self.constants.last_cards])

    def _relative(self, seat: Tensor, me: Tensor) -> Tensor:
        return torch.where(seat >= 0, (seat - me) % self.constants.seats, NOBODY)

    def _history(self, scalars: Tensor) -> tuple[Tensor, Tensor]:
        """[MEMORY, n] the last plays, the latest first, and the seats that made them, relative."""
        k = self.constants
        turn = scalars[layout.TURNS] - torch.arange(1, layout.MEMORY + 1, device=self.device)[:, None]
        known = turn >= 0
        ring = torch.fmod(turn + layout.MEMORY, layout.MEMORY)
        entry = torch.gather(scalars[-layout.MEMORY :], 0, ring)  # play * seats + seat
        by = torch.fmod(entry + (k.seats - scalars[layout.TURN]), k.seats)  # not below 0, where fmod is % and much faster
        return torch.where(known, entry // k.seats, PASS), torch.where(known, by, NOBODY)


def _by_seat(values: Tensor, seats: Tensor) -> Tensor:
    """values [S, W, n] in the order of seats [S, n]."""
    return torch.gather(values, 0, seats[:, None, :].expand(-1, values.shape[1], -1))


def _count_cards(words: Tensor, suited: bool) -> Tensor:
    """[..., W, n] -> [..., n] int32 the number of cards."""
    if suited:  # bits to counts of four
        words = (words & 0x5555555555555555) + (words >> 1 & 0x5555555555555555)
        words = (words & 0x3333333333333333) + (words >> 2 & 0x3333333333333333)
    in_bytes = (words & 0x0F0F0F0F0F0F0F0F) + (words >> 4 & 0x0F0F0F0F0F0F0F0F)
    return (in_bytes * 0x0101010101010101 >> 56).sum(-2).to(torch.int32)


def _add(a: Tensor, b: Tensor) -> Tensor:
    """[W, n] two sets of cards together."""
    if a.shape[-2] == 1:
        return a + b
    return torch.stack([a[0] | b[0], a[1] | b[1] | (a[0] & b[0])])


def _subtract(a: Tensor, b: Tensor) -> Tensor:
    """[W, n] a set of cards without a part of it."""
    if b.shape[-2] == 1:
        return a - b
    return torch.stack([(a[0] & ~b[0]) | (a[1] & b[0] & ~b[1]), a[1] & ~b[0]])


def check_device(device: str | torch.device) -> torch.device:
    try:
        found = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise BadInput(f"device {device!r}: the engine runs on cpu and cuda") from error
    if found.type not in ("cpu", "cuda"):
        raise BadInput(f"device {device!r}: the engine runs on cpu and cuda")
    if found.type == "cuda" and (found.index or 0) >= torch.cuda.device_count():
        raise BadInput(f"device {device!r}: there are {torch.cuda.device_count()} CUDA devices here")
    return found
