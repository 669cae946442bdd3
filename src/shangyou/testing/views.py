"""A view shows what its seat may know, and no more."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from shangyou.engines import reference
from shangyou.engines.reference import State, View
from shangyou.games import NOBODY, Cards, Game
from shangyou.games.shuffle import Stream
from shangyou.testing.failures import require

ViewOf = Callable[[State, int], View]


def check_view(state: State, seat: int, stream: Stream, view: ViewOf = reference.view) -> None:
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
    secret = [hand - kept for hand, kept in zip(state.hands, known, strict=True)] + [state.start.hidden, untaken]
    pool = stream.draw(state.game.deck.split(sum(secret)), state.game.deck.size(sum(secret)))
    *drawn, hidden, public = (sum(pool.pop() for _ in range(state.game.deck.size(cards))) for cards in secret)
    hands = tuple(kept + cards for kept, cards in zip(known, drawn, strict=True))
    taken = [state.start.public * (s == state.landlord) for s in range(state.game.seats)]
    dealt = tuple(hand + played - took for hand, played, took in zip(hands, state.played, taken, strict=True))
    start = replace(state.start, hands=dealt, hidden=hidden, public=public if untaken else state.start.public)
    return replace(state, hands=hands, start=start)


def is_whole_deck(game: Game, parts: Iterable[Cards]) -> bool:
    """Sizes count too: two equal cards could carry into a third inside a sum."""
    parts = list(parts)
    return sum(parts) == game.deck.full and sum(map(game.deck.size, parts)) == len(game.deck.cards)
