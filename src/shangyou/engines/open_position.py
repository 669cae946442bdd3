"""A position with all cards known, as a person writes it, turned into a State.

    state = open_position(games.load("zsy2"), ["45S", "46K"], turn=0)

What was played before is not known: the game is taken to begin here, so that bombs and plays count from here, and the seats
between the play to beat and the seat to act have passed.
"""

from collections.abc import Sequence
from dataclasses import replace

from shangyou.engines.errors import Why
from shangyou.engines.position import some_bids
from shangyou.engines.reference import State, Turn
from shangyou.games import NOBODY, PASS, BadInput, Cards, Deal, Game
from shangyou.games.parse_play import read_last, read_play


def open_position(
    game: Game, hands: Sequence[str], *, turn: int = 0, last: str = "", last_by: int | None = None, landlord: int | None = None
) -> State:
    """The state in which seat `turn` is to act; an empty hand is that of a seat that is out.

    `last` is the play to beat, which `last_by` (the seat before `turn`) made; none: `turn` leads. `landlord` is seat 0
    unless given, in games that have one.
    """
    held, rest = _read_hands(game, hands)
    out = tuple(seat for seat, hand in enumerate(held) if not hand)
    landlord = _check_landlord(game, landlord)
    if game.is_over(out, landlord):
        raise BadInput(Why.open_over(hands=[text.strip() or Why.empty_hand() for text in hands]))
    _check_seat("turn", game, turn)
    if turn in out:
        raise BadInput(Why.open_turn(seat=turn))
    state = State(
        game, Deal(held, max(landlord, 0)), 0, 0, held, (0,) * game.seats, turn, landlord, some_bids(game), out=out
    )  # fmt: skip
    play = read_last(game, game.deck.full - rest, last)
    if play == PASS:
        if last_by is not None:
            raise BadInput(Why.no_last(seat=last_by))
        return state
    by = (turn - 1) % game.seats if last_by is None else last_by
    _check_seat("last_by", game, by)
    if by == turn:
        raise BadInput(Why.open_last_by(seat=by))
    cards = read_play(game, rest, PASS, last)
    between = [(by + i) % game.seats for i in range(1, (turn - by) % game.seats)]
    played = tuple(cards if seat == by else 0 for seat in range(game.seats))
    passed = frozenset(seat for seat in between if held[seat])
    return replace(state, last=play, last_by=by, played=played, passed=passed, history=(Turn(by, play, cards),))


def _read_hands(game: Game, hands: Sequence[str]) -> tuple[tuple[Cards, ...], Cards]:
    """The hands, and the cards of the deck that are in none."""
    if len(hands) != game.seats:
        raise BadInput(Why.open_hands(game=game.name, seats=game.seats, n=len(hands)))
    hands = [text.strip() for text in hands]  # errors quote them
    held, rest, deck = tuple(map(game.deck.parse, hands)), game.deck.full, game.deck
    for seat, hand in enumerate(held):
        if deck.size(hand) > game.largest_hand:
            raise BadInput(Why.open_size(seat=seat, cards=hands[seat], n=deck.size(hand), most=game.largest_hand))
        if not deck.holds(rest, hand):
            over = deck.format(deck.missing(rest, hand))
            raise BadInput(Why.open_too_many(seat=seat, cards=hands[seat], over=over))
        rest -= hand
    return held, rest


def _check_landlord(game: Game, landlord: int | None) -> int:
    if not game.public_size:
        if landlord is not None:
            raise BadInput(Why.open_no_landlord(seat=landlord, game=game.name))
        return NOBODY
    _check_seat("landlord", game, landlord or 0)
    return landlord or 0


def _check_seat(name: str, game: Game, seat: int) -> None:
    if not 0 <= seat < game.seats:
        raise BadInput(Why.open_seat(name=name, seat=seat, game=game.name, highest=game.seats - 1))
