"""A position as a person writes it, turned into the View that agents get.

    seen = position(games.load("zsy2"), "3 55 8", played=["66 77 88 99 TT JJ QQ", "33 44 9"], last="9")

Seats are relative to the person: 0 is me, 1 the next. A position that no game can reach is an error with the reason.

The text does not say everything about the start of the game: who got the odd card, who led. Every possible opening is tried
and dropped where it contradicts the text; exactly one position must remain.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from shangyou.engines import reference
from shangyou.engines.errors import Why
from shangyou.engines.reference import State, Turn, View
from shangyou.games import NOBODY, PASS, BadInput, Cards, Deal, Game, IllegalPlay, Rows
from shangyou.games.parse_play import PASS_WORDS, legal_row, read_hand, read_last, read_play

ROLES = ("landlord", "after", "before")
"""Names of `View.role`: the landlord, the peasant that acts after it, the peasant that acts before it."""


def roles(game: Game) -> tuple[str, ...]:
    """The role of each seat where the deal names a landlord, and () in other games."""
    landlord = game.first_landlord()
    return () if landlord == NOBODY else tuple(ROLES[(seat - landlord) % game.seats] for seat in range(game.seats))


Candidate = TypeVar("Candidate")
Result = TypeVar("Result")


def position(
    game: Game,
    hand: str,
    *,
    played: Sequence[str] = (),
    last: str = "",
    last_by: int | None = None,
    left: Sequence[int] = (),
    role: str = "",
    public: str = "",
    history: str = "",
    first: int | None = None,
) -> View:
    """What a person sees who is to act with this hand.

    `played` has the cards each seat has put down, me first; nothing: nobody has played yet. `last` is the play to beat, which
    `last_by` (the seat before me) made; none: I lead. `left`, the cards that each other seat holds, follows from `played`
    unless hands are dealt in different sizes. `role` and `public` are for games with a landlord.

    `history` has every turn from the first on, passes too: `334455 pass pass 66`. All but the hand and the public cards
    follow from it; what is given besides must agree. `first` is who began, where that is still open.
    """
    cards, has_history = read_hand(game, hand), bool(history.strip())
    _check_seat(game, "last_by", last_by, 1)
    _check_seat(game, "first", first, 0)
    openings = _openings(game, _landlords(game, role, has_history), first, _read_public(game, public))
    if has_history:
        words = history.replace(",", " ").replace(";", " ").split()
        turns = [(word, 0 if word.lower() in PASS_WORDS else game.deck.parse(word)) for word in words]
        ends = _accepted(openings, lambda opening: _replay(game, opening, turns))
        views = _accepted(_accepted(ends, _check_turn), lambda end: _seen_with(end, cards))
        views = _accepted(views, lambda seen: _check_agrees(seen, _read_played(game, played), last, last_by))
    else:
        down = _read_played(game, played) or (0,) * game.seats
        turn = _read_last(game, cards, last, last_by, down)
        views = _accepted(openings, lambda opening: _from_cards(game, cards, down, turn, opening))
    views = _accepted(_with_left(views, tuple(left)), _check_public)
    views = _accepted(views, lambda seen: _check_began(seen, seen.history[0].seat if has_history else first))
    return _only_one(views)


def legal(view: View) -> Rows:
    """The plays that the seat with this view may make, ascending."""
    return view.game.table.held(view.hand, view.game.table.answers(view.last))


def _accepted(candidates: Iterable[Candidate], check: Callable[[Candidate], Result]) -> list[Result]:
    """The results of `check` for the candidates it accepts; if it accepts none, its first error."""
    results, errors = [], []
    for candidate in candidates:
        try:
            results.append(check(candidate))
        except BadInput as error:
            errors.append(error)
    if not results:
        raise errors[0]
    return results


def _with_left(views: list[View], left: tuple[int, ...]) -> list[View]:
    """The views in which the other seats hold `left` cards, if these are given."""
    fitting = [view for view in views if left in ((), view.left[1:])]
    if not fitting:
        raise BadInput(Why.left_wrong(left=" ".join(map(str, left)), options=_lefts(views)))
    return fitting


def _lefts(views: list[View]) -> list[str]:
    return list(dict.fromkeys(" ".join(map(str, view.left[1:])) for view in views))


def _only_one(views: list[View]) -> View:
    views = list(dict.fromkeys(views))
    if len({view.left for view in views}) > 1:
        raise BadInput(Why.left_needed(options=_lefts(views)))
    if len(views) > 1:
        raise BadInput(Why.first_needed(options=[view.history[0].seat for view in views]))
    return views[0]


# -- reading ----------------------------------------------------------------------------------------------------------


def _check_seat(game: Game, name: str, seat: int | None, lowest: int) -> None:
    if seat is not None and not lowest <= seat < game.seats:
        raise BadInput(Why.no_such_seat(name=name, seat=seat, lowest=lowest, highest=game.seats - 1, game=game.name))


def _landlords(game: Game, role: str, has_history: bool) -> Sequence[int]:
    """The seats that may be the landlord."""
    if not game.public_size:
        if role:
            raise BadInput(Why.no_landlord(role=role, game=game.name))
        return (NOBODY,)
    if not role and has_history:
        return range(game.seats)
    if role not in ROLES:
        raise BadInput(Why.no_role(role=role, game=game.name))
    return (-ROLES.index(role) % game.seats,)


def _read_public(game: Game, text: str) -> Cards:
    cards = game.deck.parse(text)
    if game.deck.size(cards) != game.public_size:
        if not game.public_size:
            raise BadInput(Why.public_none(cards=text, game=game.name))
        raise BadInput(Why.public_number(cards=text, game=game.name, n=game.public_size))
    return cards


def _read_played(game: Game, played: Sequence[str]) -> tuple[Cards, ...]:
    """[S] the cards each seat has put down; empty if none are given."""
    if played and len(played) != game.seats:
        raise BadInput(Why.played_seats(played=" / ".join(played), n=len(played), game=game.name, seats=game.seats))
    return tuple(map(game.deck.parse, played))


def _read_last(game: Game, hand: Cards, text: str, by: int | None, played: tuple[Cards, ...]) -> Turn | None:
    """The turn to be beaten, out of the cards that its seat, the one before me unless given, has put down; none: I lead."""
    if read_last(game, hand, text) == PASS:
        if by is not None:
            raise BadInput(Why.no_last(seat=by))
        return None
    by = game.seats - 1 if by is None else by
    try:
        cards = read_play(game, played[by], PASS, text)
    except IllegalPlay as error:
        down = game.deck.format(played[by]) or Why.nothing()
        raise BadInput(Why.last_not_played(cards=text, seat=by, played=down)) from error
    return Turn(by, legal_row(game, played[by], PASS, cards), cards)


# -- how it may have begun --------------------------------------------------------------------------------------------


class _Opening(NamedTuple):
    sizes: tuple[int, ...]  # [S] cards each seat starts with
    landlord: int
    first: int
    public: Cards


def _openings(game: Game, landlords: Sequence[int], first: int | None, public: Cards) -> list[_Opening]:
    openings = [
        _Opening(sizes, landlord, seat, public)
        for landlord in landlords
        for sizes in _sizes(game, landlord)
        for seat in (range(game.seats) if landlord == NOBODY else (landlord,))
        if first in (None, seat)
    ]
    if not openings:
        raise BadInput(Why.first_landlord(seat=first, landlord=landlords[0]))
    return openings


def _sizes(game: Game, landlord: int) -> list[tuple[int, ...]]:
    """[S] cards each seat starts with, in every way they may be served."""
    served = dict.fromkeys(game.hand_sizes(first) for first in range(game.seats))
    return [tuple(n + game.public_size * (seat == landlord) for seat, n in enumerate(sizes)) for sizes in served]


# -- from the cards on the table --------------------------------------------------------------------------------------


def _from_cards(game: Game, hand: Cards, played: tuple[Cards, ...], last: Turn | None, opening: _Opening) -> View:
    """Of the turns only the last play and the passes on it are known."""
    unseen, held = _unseen(game, hand, played), _cards_held(game, hand, played, opening)
    lead = View(game, hand, unseen, played, held, landlord=opening.landlord, public=opening.public)
    if last is None:
        return lead
    if game.pass_is_final:
        raise BadInput(Why.history_needed())
    passed = [seat for seat in range(last.seat + 1, game.seats) if held[seat]]
    history = last, *(Turn(seat, PASS, 0) for seat in passed)
    return replace(lead, last=last.play, last_by=last.seat, passed=frozenset(passed), history=history)


def _unseen(game: Game, hand: Cards, played: tuple[Cards, ...]) -> Cards:
    """The cards that are neither in the hand nor played."""
    deck, rest = game.deck, game.deck.full
    for what, cards in [(Why.my_hand(), hand), *((Why.by_seat(seat=seat), cards) for seat, cards in enumerate(played))]:
        if not deck.holds(rest, cards):
            over = deck.format(deck.missing(rest, cards))
            raise BadInput(Why.seen_too_many(what=what, cards=deck.format(cards), over=over))
        rest -= cards
    return rest


def _cards_held(game: Game, hand: Cards, played: tuple[Cards, ...], opening: _Opening) -> tuple[int, ...]:
    """[S] the cards each seat still has."""
    mine, down = game.deck.size(hand), [game.deck.size(cards) for cards in played]
    if mine + down[0] != opening.sizes[0]:
        dealt = sorted({sizes[0] for sizes in _sizes(game, opening.landlord)})
        raise BadInput(Why.my_cards(hand=mine, played=down[0], sum=mine + down[0], options=dealt))
    held = tuple(size - gone for size, gone in zip(opening.sizes, down, strict=True))
    for seat, number in enumerate(held):
        if number < 0:
            raise BadInput(Why.played_too_many(seat=seat, n=down[seat], dealt=opening.sizes[seat]))
    if game.is_over(tuple(seat for seat, number in enumerate(held) if number == 0), opening.landlord):
        raise BadInput(Why.seat_out(seat=held.index(0)))
    return held


# -- from all turns ---------------------------------------------------------------------------------------------------


def _replay(game: Game, opening: _Opening, turns: list[tuple[str, Cards]]) -> State:
    """The engine plays the turns. Hands and bids are unknown: others stand in for them, which the View will not show."""
    hands = tuple(sum(game.deck.cards[:size]) for size in opening.sizes)
    deal = Deal(hands, opening.first, opening.public)
    state = State(game, deal, 0, 0, hands, (0,) * game.seats, opening.first, opening.landlord, some_bids(game))
    for number, (text, cards) in enumerate(turns, 1):
        try:
            state = reference.put(_lend(state, cards), cards)
        except IllegalPlay as error:
            raise BadInput(Why.in_history(number=number, cards=text, seat=state.turn, error=error.reason)) from error
    return state


def some_bids(game: Game) -> tuple[int, ...]:
    """All that may have been said before the first play, by which the first to bid is landlord."""
    bids: tuple[int, ...] = ()
    while allowed := game.allowed_bids(bids):
        bids = (*bids, max(allowed))
    return bids


def _lend(state: State, cards: Cards) -> State:
    """The seat to act gets these cards for some of its stand-ins, if it is still to act."""
    if state.over:
        return state
    deck, hands = state.game.deck, list(state.hands)
    rest = deck.size(hands[state.turn]) - deck.size(cards)
    if rest < 0:
        raise IllegalPlay(Why.holds_fewer(n=deck.size(hands[state.turn])))
    hands[state.turn] = cards + sum(deck.split(deck.full - cards)[:rest])
    return replace(state, hands=tuple(hands))


def _check_turn(end: State) -> State:
    if end.over:
        raise BadInput(Why.history_over())
    if end.turn != 0:
        raise BadInput(Why.history_turn(seat=end.turn))
    return end


def _seen_with(end: State, hand: Cards) -> View:
    """The view from my seat, whose hand is no stand-in."""
    size, should = end.game.deck.size(hand), end.game.deck.size(end.hands[0])
    if size != should:
        raise BadInput(Why.history_hand(n=size, wanted=should))
    _unseen(end.game, hand, end.played)
    return replace(reference.view(replace(end, hands=(hand, *end.hands[1:])), 0), bids=())


# -- does it hold together --------------------------------------------------------------------------------------------


def _check_agrees(seen: View, played: tuple[Cards, ...], last: str, last_by: int | None) -> View:
    """What was given besides the history must be what follows from it."""
    game, text = seen.game, seen.game.deck.format
    for seat, cards in enumerate(played):
        if cards != seen.played[seat]:
            given, replayed = text(cards) or Why.nothing(), text(seen.played[seat]) or Why.nothing()
            raise BadInput(Why.played_contradicts(seat=seat, said=given, found=replayed))
    by = last_by if last_by is not None or seen.last == PASS else seen.last_by
    turn = _read_last(game, seen.hand, last, by, seen.played) if last.strip() else None
    if by not in (None, seen.last_by) or (turn and turn.play != seen.last):
        to_beat = Why.beat_of_seat(cards=game.table.labels[seen.last], seat=seen.last_by)
        raise BadInput(Why.last_contradicts(cards=last, found=to_beat if seen.last else Why.you_lead()))
    return seen


def _check_public(seen: View) -> View:
    """The landlord has had the public cards, and has those it did not play."""
    deck = seen.game.deck
    rest = deck.missing(seen.played[seen.landlord], seen.public)  # nobody's public cards are none
    where = seen.hand if seen.landlord == 0 else seen.unseen
    if not deck.holds(where, rest) or deck.size(rest) > seen.left[seen.landlord]:
        gone = deck.format(deck.missing(where, rest) or rest)
        raise BadInput(Why.public_gone(cards=deck.format(seen.public), missing=gone))
    return seen


def _check_began(seen: View, first: int | None) -> View:
    """A seat that may lead first has played; or it is mine, and nobody has played."""
    game, started = seen.game, any(seen.played)
    who, able = Why.whoever(), tuple(range(game.seats))
    if seen.landlord != NOBODY:
        who, able = Why.the_landlord(), (seen.landlord,)
    elif game.first_by == "spade3":
        who = Why.spade3_holder()
        able = game.may_act_first((seen.hand + seen.played[0], *(cards + seen.unseen for cards in seen.played[1:])))
    began = [seat for seat in able if first in (None, seat)]
    if not any(seen.played[seat] if started else seat == 0 for seat in began):
        raise BadInput(Why.began_played(who=who) if started else Why.began_me(who=who))
    return seen
