"""The oracle: one game at a time in plain Python over the table. Values in, values out; agents are never called.

state = deal(game, seed=7)
while not state.over:
    state = step(state, legal(state)[0])
state.scores
"""

from collections import Counter
from dataclasses import dataclass, replace
from typing import NamedTuple

from shangyou.engines.errors import Why
from shangyou.games import NOBODY, PASS, Cards, Deal, Ending, Game, IllegalPlay, Rows
from shangyou.games.game import PLAYS_COUNTED, Phase
from shangyou.games.parse_play import check_follows, check_holds, legal_row

REDEAL = 1 << 40  # redeals of a deal take indices this far on, out of the way of the deals of a batch


class Turn(NamedTuple):
    """What a seat did on its turn."""

    seat: int
    play: int  # row of the table
    cards: Cards  # what it put down; none for a pass


@dataclass(frozen=True, slots=True)
class State:
    """A point in a game, all cards known. S seats."""

    game: Game
    start: Deal
    seed: int  # what this deal was made from, and what a redeal goes on from
    index: int
    hands: tuple[Cards, ...]  # [S]
    played: tuple[Cards, ...]  # [S] all cards each seat has put down
    turn: int  # the seat to act
    landlord: int = NOBODY
    bids: tuple[int, ...] = ()  # all that was said before the first play: bids for landlord, then who doubles
    last: int = PASS  # the play to beat; PASS: the seat to act leads
    last_by: int = NOBODY
    passed: frozenset[int] = frozenset()  # seats that are done with this round
    out: tuple[int, ...] = ()  # seats without cards, in order
    history: tuple[Turn, ...] = ()

    @property
    def phase(self) -> Phase:
        """What is due: a bid for landlord, whether a seat doubles, or a play."""
        return self.game.phase(self.bids)

    @property
    def bidding(self) -> bool:
        """Whether a seat is to say something, to bid or whether it doubles, before anybody plays."""
        return self.phase != "play"

    @property
    def doubled(self) -> frozenset[int]:
        """The seats that have doubled."""
        made = len(self.game.auction(self.bids))
        seats = self.game.bidders(self.start.first, self.bids)
        return frozenset(seat for seat, points in zip(seats[made:], self.bids[made:], strict=True) if points)

    @property
    def over(self) -> bool:
        return self.game.is_over(self.out, self.landlord)

    @property
    def bombs(self) -> int:
        return sum(turn.play in self.game.table.bombs for turn in self.history)

    @property
    def winners(self) -> tuple[int, ...]:
        return self.game.winners(self.out, self.landlord) if self.over else ()

    @property
    def places(self) -> tuple[int, ...]:
        """The place of each seat, 1 for first out, `[S]`: 0 for those that hold cards, unless one alone does, which is last."""
        places = [self.out.index(seat) + 1 if seat in self.out else 0 for seat in range(self.game.seats)]
        if len(self.out) == self.game.seats - 1:
            places[places.index(0)] = self.game.seats
        return tuple(places)

    @property
    def scores(self) -> tuple[int, ...]:
        """Points of each seat; zeros while the game goes on. `[S]`"""
        return self.game.scores(self.ending(self.out)) if self.over else (0,) * self.game.seats

    def ending(self, out: tuple[int, ...]) -> Ending:
        """What the scores would depend on if the game ended now, with the seats `out` out of cards in that order."""
        made = Counter(turn.seat for turn in self.history if turn.play != PASS)
        plays = tuple(min(made[seat], PLAYS_COUNTED) for seat in range(self.game.seats))
        highest = max(self.game.auction(self.bids), default=0)
        return Ending(out, self.bombs, plays, self.landlord, highest, self.doubled)


def deal(game: Game, seed: int, index: int = 0) -> State:
    """The start of deal number `index` of `seed`."""
    return start(game, game.deal(seed, index), seed, index)


def start(game: Game, dealt: Deal, seed: int = 0, index: int = 0) -> State:
    """The start of a game from given cards."""
    state = State(game, dealt, seed, index, dealt.hands, (0,) * game.seats, dealt.first)
    landlord = game.first_landlord()
    return state if landlord == NOBODY else _seat_landlord(state, landlord)


def _seat_landlord(state: State, landlord: int) -> State:
    """The landlord takes the public cards and leads; where there is doubling, the next seat first says whether it doubles."""
    hands = tuple(hand + state.start.public * (seat == landlord) for seat, hand in enumerate(state.hands))
    turn = (landlord + state.bidding) % state.game.seats
    return replace(state, hands=hands, landlord=landlord, turn=turn)


def legal_bids(state: State) -> tuple[int, ...]:
    """0 (no) and every bid above the highest so far, or 0 and 1 (doubles); nothing when a play is due."""
    return state.game.allowed_bids(state.bids)


def bid(state: State, points: int) -> State:
    """The seat to act bids, or says whether it doubles.

    The highest bidder becomes landlord; if nobody wants to, cards are dealt again.
    """
    allowed = legal_bids(state)
    if points not in allowed:
        if state.phase == "double":
            raise IllegalPlay(Why.double(points=points, seat=state.turn))
        raise IllegalPlay(Why.bid(points=points, seat=state.turn, options=allowed or Why.none_now()))
    state = replace(state, bids=(*state.bids, points), turn=(state.turn + 1) % state.game.seats)
    landlord = state.game.landlord(state.start.first, state.bids)
    if state.landlord == NOBODY != landlord:
        return _seat_landlord(state, landlord)
    if state.bidding:
        return state
    return deal(state.game, state.seed, state.index + REDEAL) if landlord == NOBODY else replace(state, turn=landlord)


def legal(state: State) -> Rows:
    """The plays the seat to act may make, ascending; none when the game is over or bids are due."""
    table = state.game.table
    if state.over or state.bidding:
        return table.leads[:0]
    return table.held(state.hands[state.turn], table.answers(state.last))


def step(state: State, play: int) -> State:
    """The seat to act makes a play of the table; where suits leave a choice of cards, the game's rule picks them."""
    _check_playing(state)
    game, hand = state.game, state.hands[state.turn]
    if not 0 <= play < len(game.table):
        raise IllegalPlay(Why.no_row(play=play, game=game.name, last=len(game.table) - 1))
    check_holds(game, hand, play)
    check_follows(game, play, state.last)
    return _after(state, play, game.pick(hand, play))


def put(state: State, cards: Cards) -> State:
    """The seat to act puts down these very cards; none is a pass."""
    _check_playing(state)
    return _after(state, legal_row(state.game, state.hands[state.turn], state.last, cards), cards)


def _check_playing(state: State) -> None:
    if state.over:
        raise IllegalPlay(Why.over())
    if state.phase == "double":
        raise IllegalPlay(Why.double_first(seat=state.turn))
    if state.phase == "bid":
        raise IllegalPlay(Why.bid_first(seat=state.turn))


def _after(state: State, play: int, cards: Cards) -> State:
    seat = state.turn
    history = (*state.history, Turn(seat, play, cards))
    if play == PASS:
        return _next_turn(replace(state, history=history, passed=state.passed | {seat}))
    hands = _changed(state.hands, seat, -cards)
    return _next_turn(
        replace(
            state,
            history=history,
            hands=hands,
            played=_changed(state.played, seat, cards),
            last=play,
            last_by=seat,
            passed=state.passed if state.game.pass_is_final else frozenset(),
            out=state.out if hands[seat] else (*state.out, seat),
        )
    )


def _changed(cards: tuple[Cards, ...], seat: int, change: Cards) -> tuple[Cards, ...]:
    return (*cards[:seat], cards[seat] + change, *cards[seat + 1 :])


def _next_turn(state: State) -> State:
    """Whose turn it is after a play or a pass; a round that nobody can go on with ends."""
    if state.over:
        return state
    seats = state.game.seats
    after_me = [(state.turn + i) % seats for i in range(1, seats + 1)]
    waiting = [seat for seat in after_me if state.hands[seat] and seat not in state.passed and seat != state.last_by]
    if waiting:
        return replace(state, turn=waiting[0])
    leader = next(seat for seat in state.game.lead_order(state.last_by, state.landlord) if state.hands[seat])
    return replace(state, turn=leader, last=PASS, last_by=NOBODY, passed=frozenset())


@dataclass(frozen=True, slots=True)
class View:
    """What one seat may know, relative to it: seat 0 is itself, seat 1 the next. Hidden hands are not in the type."""

    game: Game
    hand: Cards
    unseen: Cards  # in the other hands, or dealt to nobody
    played: tuple[Cards, ...]  # [S]
    left: tuple[int, ...]  # [S] cards each seat still has
    last: int = PASS  # the play to beat; PASS: to lead
    last_by: int = NOBODY
    landlord: int = NOBODY
    public: Cards = 0  # doudizhu's three cards, once the landlord has them
    bids: tuple[tuple[int, int], ...] = ()  # (seat, points), in order: for landlord, then 1 of who doubles, 0 of the others
    passed: frozenset[int] = frozenset()  # seats that passed since the play to beat; with pass_is_final, in this round
    history: tuple[Turn, ...] = ()

    @property
    def last_cards(self) -> Cards:
        """The very cards of the play to beat."""
        return next(turn.cards for turn in reversed(self.history) if turn.play != PASS) if self.last != PASS else 0

    @property
    def role(self) -> int:
        """0 landlord, 1 the peasant after it, 2 the one before it; 0 where all seats are alike."""
        return 0 if self.landlord == NOBODY else -self.landlord % self.game.seats

    @property
    def phase(self) -> Phase:
        """What is due: a bid for landlord, whether a seat doubles, or a play."""
        return self.game.phase(self._points)

    @property
    def auction(self) -> dict[int, int]:
        """What seats have bid for landlord."""
        return dict(self.bids[: len(self.game.auction(self._points))])

    @property
    def doubles(self) -> dict[int, bool]:
        """Whether seats double, as far as they have said so."""
        made = len(self.game.auction(self._points))
        return {seat: points > 0 for seat, points in self.bids[made:]}

    @property
    def _points(self) -> tuple[int, ...]:
        return tuple(points for _, points in self.bids)


def view(state: State, seat: int | None = None) -> View:
    """What `seat` (the seat to act, unless given) sees."""
    game, me = state.game, state.turn if seat is None else seat
    seats = [(me + i) % game.seats for i in range(game.seats)]
    seen = state.hands[me] + sum(state.played)
    known_landlord, bidders = state.landlord != NOBODY, game.bidders(state.start.first, state.bids)
    return View(
        game=game,
        hand=state.hands[me],
        unseen=game.deck.full - seen,
        played=tuple(state.played[s] for s in seats),
        left=tuple(game.deck.size(state.hands[s]) for s in seats),
        last=state.last,
        last_by=seats.index(state.last_by) if state.last_by != NOBODY else NOBODY,
        landlord=seats.index(state.landlord) if known_landlord else NOBODY,
        public=state.start.public if known_landlord else 0,
        bids=tuple((seats.index(seat), points) for seat, points in zip(bidders, state.bids, strict=True)),
        passed=frozenset(seats.index(s) for s in state.passed),
        history=tuple([Turn((turn.seat - me) % game.seats, turn.play, turn.cards) for turn in state.history]),
    )
