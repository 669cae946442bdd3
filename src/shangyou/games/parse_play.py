"""Reads a play a person wrote and says in words why the rules do not take it."""

import numpy as np

from shangyou.games.cards import SUIT_SIGNS, Cards, Deck
from shangyou.games.errors import BadInput, IllegalPlay, Why
from shangyou.games.game import Game
from shangyou.games.table import PASS

PASS_WORDS = ("pass", "p", "-", "过", "不要")


def legal_row(game: Game, hand: Cards, last: int, cards: Cards) -> int:
    """The row that `cards` are, if a seat with this hand may put them on play `last` (PASS: it leads)."""
    play, text = game.table.find(cards), game.deck.format
    if play is None:
        raise IllegalPlay(Why.no_play(cards=text(cards), game=game.name, patterns=_families(game)))
    if not game.deck.holds(hand, cards):
        missing = text(game.deck.missing(hand, cards))
        raise IllegalPlay(Why.lacks(cards=text(cards), hand=text(hand) or Why.empty(), missing=missing))
    check_follows(game, play, last)
    return play


def read_play(game: Game, hand: Cards, last: int, text: str) -> Cards:
    """The cards a person means, legal here; no cards for a pass. Where suits matter, ranks alone are enough."""
    if text.strip().lower() in PASS_WORDS:
        cards = 0
    elif game.deck.suited:
        cards = _read_suited(game, hand, last, text)
    else:
        cards = game.deck.parse(text)
        if cards == 0:
            raise BadInput(Why.no_cards())
    legal_row(game, hand, last, cards)
    return cards


def _read_suited(game: Game, hand: Cards, last: int, text: str) -> Cards:
    try:
        return game.deck.parse(text)
    except BadInput:
        rows = _rows_by_ranks(game, text)
    held = game.table.held(hand, np.array(rows, np.int32)).tolist()
    if not held:
        raise IllegalPlay(Why.not_held(cards=text, hand=game.deck.format(hand)))
    fitting = [row for row in held if game.table.may_follow(row, last)] or held
    if len(fitting) > 1 and game.table.suit[fitting[0]] >= 0:
        raise BadInput(Why.which_suits(cards=text, options=[game.table.labels[row] for row in fitting]))
    return game.pick(hand, fitting[0])


def _rows_by_ranks(game: Game, text: str) -> list[int]:
    """The rows that ranks without suits can mean, mixed before flush; a suit sign at the end asks for a flush: `345♠`."""
    ranks = text.strip().rstrip(SUIT_SIGNS)
    sign = text.strip()[len(ranks) :]
    rows = game.table.rows_with(Deck(game.deck.packs).parse(ranks))
    rows = [row for row in rows if not sign or game.table.suit[row] == SUIT_SIGNS.find(sign)]
    if not rows:
        raise IllegalPlay(Why.no_play(cards=text, game=game.name, patterns=_families(game)))
    return rows


def read_hand(game: Game, text: str) -> Cards:
    """A hand somebody could hold in this game."""
    hand = game.deck.parse(text)
    size = game.deck.size(hand)
    if not 1 <= size <= game.largest_hand:
        raise BadInput(Why.hand_size(cards=text, n=size, game=game.name, most=game.largest_hand))
    return hand


def read_last(game: Game, hand: Cards, text: str) -> int:
    """The row of the play to beat, made of cards that are not in the hand; no text or a pass: to lead."""
    if not text.strip() or text.strip().lower() in PASS_WORDS:
        return PASS
    try:
        cards = game.deck.parse(text)
    except BadInput:
        if not game.deck.suited:
            raise
        return _rows_by_ranks(game, text)[0]
    row = game.table.find(cards)
    if row is None:
        raise IllegalPlay(Why.last_no_play(cards=text, game=game.name, patterns=_families(game)))
    if not game.deck.holds(game.deck.full - hand, cards):
        over = game.deck.format(game.deck.missing(game.deck.full - hand, cards))
        raise BadInput(Why.last_too_many(cards=text, over=over))
    return row


def _families(game: Game) -> list[str]:
    return [family for family in game.table.family_counts if family != "pass"]


def check_holds(game: Game, hand: Cards, play: int) -> None:
    """IllegalPlay if the hand does not have the cards of `play`."""
    if not game.table.holds(hand, play):
        raise IllegalPlay(Why.not_held(cards=game.table.labels[play], hand=game.deck.format(hand)))


def check_follows(game: Game, play: int, last: int) -> None:
    """IllegalPlay that says why `play` may not be put on `last`, if it may not."""
    table = game.table
    if table.may_follow(play, last):
        return
    if play == PASS:
        raise IllegalPlay(Why.leader_passes())
    mine, theirs = table.labels[play], table.labels[last]
    my_pattern, their_pattern = table.pattern_of(play), table.pattern_of(last)
    if table.pattern[play] == table.pattern[last] or table.bomb[play]:
        raise IllegalPlay(Why.not_higher(mine=mine, my_pattern=my_pattern, theirs=theirs, their_pattern=their_pattern))
    raise IllegalPlay(Why.no_answer(mine=mine, my_pattern=my_pattern, theirs=theirs, their_pattern=their_pattern))
