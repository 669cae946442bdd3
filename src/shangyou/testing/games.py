"""A game deals, plays, ends and pays as its rules say; a view shows what its seat may know, and no more."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from shangyou.engines import reference
from shangyou.engines.reference import State, View
from shangyou.games import NOBODY, PASS, Cards, Game, IllegalPlay
from shangyou.games.shuffle import Stream
from shangyou.testing.failures import position, require
from shangyou.testing.tables import check_table

ILLEGAL_PLAYS_TRIED = 2  # of each kind, drawn in every position
REDEALS_ALLOWED = 100  # a game of random bids has no business to be dealt again so often


def check_game(game: Game, games: int = 50, seed: int = 0) -> None:
    """A game's table, its sides, its deals, and `games` random games played on it."""
    check_table(game)
    _check_sides(game)
    check_deals(game, games, seed)
    for index in range(games):
        _check_playout(reference.deal(game, seed, index), Stream(seed, index))


def _check_sides(game: Game) -> None:
    """Who plays together looks the same from every seat, since a view does not say which seat it is of."""
    seats = range(game.seats)
    for landlord in (NOBODY, *seats):
        sides, moved = game.sides(landlord), game.sides(NOBODY if landlord == NOBODY else (landlord + 1) % game.seats)
        require(len(sides) == game.seats, f"sides {sides} of {game.seats} seats", game)
        turned = [moved[(seat + 1) % game.seats] for seat in seats]
        alike = all((sides[a] == sides[b]) == (turned[a] == turned[b]) for a in seats for b in seats)
        require(alike, f"sides {sides} with landlord {landlord} are not those of {moved} one seat on", game)


def check_deals(game: Game, deals: int = 50, seed: int = 0) -> None:
    """Deals come out the same again, use every card once, and differ from one another."""
    dealt = [game.deal(seed, index) for index in range(deals)]
    for index, deal in enumerate(dealt):
        start = reference.start(game, deal, seed, index)
        require(deal == game.deal(seed, index), "dealing twice gives two deals", start)
        cards = (*deal.hands, deal.public, deal.hidden)
        spelled = " | ".join(map(game.deck.format, cards))
        require(is_whole_deck(game, cards), f"the deal is not the whole deck: {spelled}", start)
        require(deal == game.make_deal(deal.hands, deal.public, deal.first), "make_deal does not take the deal", start)
    require(len(set(dealt)) > deals // 2, f"{deals} deals of seed {seed} are only {len(set(dealt))} different ones", game)


def _check_playout(state: State, stream: Stream) -> None:
    game = state.game
    for number in (-1, len(game.table)):
        require(_is_refused(reference.step, state, number), f"row {number}, which does not exist, is taken", state)
    bound = game.seats * (len(game.deck.cards) + REDEALS_ALLOWED)  # a lead puts down a card, and all others may pass
    for _ in range(bound):
        if state.over:
            _check_ending(state)
            return
        _check_running(state)
        check_view(state, stream.below(game.seats), stream)
        state = _check_bids(state, stream) if state.bidding else _check_plays(state, stream)
    require(False, f"the game is not over after {bound} turns", state)


def _check_running(state: State) -> None:
    game = state.game
    untaken = state.start.public if state.landlord == NOBODY else 0
    parts = (*state.hands, *state.played, state.start.hidden, untaken)
    require(is_whole_deck(game, parts), "cards were lost or made", state)
    require(state.scores == (0,) * game.seats and state.winners == (), "points before the game is over", state)
    require(bool(state.hands[state.turn]), "a seat without cards is to act", state)
    empty = {seat for seat in range(game.seats) if not state.hands[seat]}
    require(empty == set(state.out), f"seats {sorted(empty)} have no cards, out are {state.out}", state)


def _check_bids(state: State, stream: Stream) -> State:
    bids = reference.legal_bids(state)
    require(len(bids) > 0, "a bid is due and none is allowed", state)
    require(reference.legal(state).size == 0, "plays are legal while bids are due", state)
    for points in set(range(-1, 5)) - set(bids):
        require(_is_refused(reference.bid, state, points), f"bid {points} is taken, allowed are {bids}", state)
    return [reference.bid(state, points) for points in bids][stream.below(len(bids))]


def _check_plays(state: State, stream: Stream) -> State:
    """Legal plays are taken, others refused; returns what one of the legal ones leads to."""
    legal = reference.legal(state).tolist()
    require(reference.legal_bids(state) == (), "bids are allowed while plays are due", state)
    require(len(legal) > 0, "there is no legal play", state)
    require(all(a < b for a, b in pairwise(legal)), f"legal plays are not in ascending order: {legal}", state)
    for play in _some_illegal(state, legal, stream):
        require(_is_refused(reference.step, state, play), f"row {play} is not legal, yet `step` takes it", state)
    return [_stepped(state, play) for play in legal][stream.below(len(legal))]


def _stepped(state: State, play: int) -> State:
    try:
        return reference.step(state, play)
    except IllegalPlay as refusal:
        raise AssertionError(f"row {play} is legal, yet `step` refuses it: {refusal}\n  {position(state)}") from refusal


def _some_illegal(state: State, legal: list[int], stream: Stream) -> Iterator[int]:
    """Random rows, and, more likely to be taken by mistake, random rows that the hand has the cards for."""
    table = state.game.table
    held = [PASS, *table.held(state.hands[state.turn], table.leads).tolist()]
    for rows in (range(len(table)), held):
        drawn = [rows[stream.below(len(rows))] for _ in range(ILLEGAL_PLAYS_TRIED)]
        yield from set(drawn) - set(legal)


def _is_refused(verb: Callable[[State, int], State], state: State, number: int) -> bool:
    try:
        verb(state, number)
    except IllegalPlay:
        return True
    return False


def _check_ending(state: State) -> None:
    scores, winners = state.scores, state.winners
    losers = [seat for seat in range(state.game.seats) if seat not in winners]
    require(reference.legal(state).size == 0, "plays are legal after the end", state)
    require(_is_refused(reference.step, state, PASS), "a pass is taken after the end", state)
    require(len(scores) == state.game.seats and sum(scores) == 0, f"scores {scores} are not zero in sum", state)
    require(state.out[0] in winners, f"seat {state.out[0]} was first out, winners are {winners}", state)
    sides = state.game.sides(state.landlord)
    side = {seat for seat in range(state.game.seats) if sides[seat] == sides[state.out[0]]}
    require(set(winners) == side, f"winners {winners} are not the side of seat {state.out[0]} in {sides}", state)
    won, lost = [scores[seat] for seat in winners], [scores[seat] for seat in losers]
    require(min(won) > max(lost), f"winners {winners} have no more than the others in {scores}", state)
    places = tuple(state.places[seat] for seat in state.out)
    require(places == tuple(range(1, len(places) + 1)), f"places {state.places} of seats out in the order {state.out}", state)


def check_view(state: State, seat: int, stream: Stream, view: Callable[[State, int], View] = reference.view) -> None:
    """A view is relative to its seat, and the same whatever cards the others hold."""
    game, seen = state.game, view(state, seat)
    around = [(seat + i) % game.seats for i in range(game.seats)]
    require(seen.hand == state.hands[seat], f"seat {seat} does not see its own hand", state)
    require(seen.left == tuple(game.deck.size(state.hands[s]) for s in around), f"seat {seat} sees wrong cards left", state)
    require(seen.played == tuple(state.played[s] for s in around), f"seat {seat} sees wrong cards played", state)
    acted = [seen.last_by, seen.landlord, *(turn.seat for turn in seen.history)]
    truly = [state.last_by, state.landlord, *(turn.seat for turn in state.history)]
    require(acted == [who if who == NOBODY else around.index(who) for who in truly], f"seat {seat} sees wrong seats", state)
    require(is_whole_deck(game, (seen.hand, seen.unseen, *seen.played)), f"seat {seat} does not see the whole deck", state)
    other = reshuffled(state, seat, stream)
    require(view(other, seat) == seen, f"the view of seat {seat} changes with cards it cannot see", state)


def reshuffled(state: State, seat: int, stream: Stream) -> State:
    """The same position for `seat`, with the cards it cannot see dealt anew among those who may hold them."""
    known = [hand if s == seat else 0 for s, hand in enumerate(state.hands)]
    if state.landlord not in (NOBODY, seat):  # it must still have the public cards that it has not put down
        known[state.landlord] = state.game.deck.missing(state.played[state.landlord], state.start.public)
    untaken = state.start.public if state.landlord == NOBODY else 0
    secret = [hand - shown for hand, shown in zip(state.hands, known, strict=True)] + [state.start.hidden, untaken]
    pool = stream.draw(state.game.deck.split(sum(secret)), state.game.deck.size(sum(secret)))
    *drawn, hidden, public = (sum(pool.pop() for _ in range(state.game.deck.size(cards))) for cards in secret)
    hands = tuple(shown + cards for shown, cards in zip(known, drawn, strict=True))
    taken = [state.start.public * (s == state.landlord) for s in range(state.game.seats)]
    dealt = tuple(hand + played - took for hand, played, took in zip(hands, state.played, taken, strict=True))
    start = replace(state.start, hands=dealt, hidden=hidden, public=public if untaken else state.start.public)
    return replace(state, hands=hands, start=start)


def is_whole_deck(game: Game, parts: Iterable[Cards]) -> bool:
    """Sizes count too: two equal cards could carry into a third inside a sum."""
    parts = list(parts)
    return sum(parts) == game.deck.full and sum(map(game.deck.size, parts)) == len(game.deck.cards)
