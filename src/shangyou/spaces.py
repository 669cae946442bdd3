"""Actions and observations as numbers: what the environments for other people's libraries share.

An action is the row of a play; where the rules have bidding or doubling, what may be said follows after the rows. An
observation is the view of a seat as parts, each a list of numbers with the highest each can be.
"""

from collections.abc import Sequence
from functools import lru_cache

from shangyou.engines import reference
from shangyou.engines.reference import State, View
from shangyou.games import Cards, Game
from shangyou.games.doudizhu import HIGHEST_BID

Parts = dict[str, tuple[Sequence[int], Sequence[int]]]  # numbers by name, and the highest each can be; the lowest is 0


def number_of_actions(game: Game) -> int:
    return len(game.table) + _bids(game)


def legal_actions(state: State) -> list[int]:
    """Ascending; none when the game is over."""
    return [*reference.legal(state).tolist(), *(len(state.game.table) + points for points in reference.legal_bids(state))]


def act(state: State, action: int) -> State:
    """A row of the table is a play; what comes after the rows is a bid, or (1 or 0) whether the seat doubles."""
    points = action - len(state.game.table)
    return reference.bid(state, points) if state.bidding and points >= 0 else reference.step(state, action)


def action_name(game: Game, action: int) -> str:
    points = action - len(game.table)
    return game.table.labels[action] if points < 0 else f"say {points}"


def parts_of(seen: View) -> Parts:
    """The parts of an observation in order, relative to its seat: itself first, then the next to act."""
    game = seen.game
    kinds, ones = list(game.deck.kinds.values()), [1] * game.seats
    parts: Parts = {
        "hand": (copies(game, seen.hand), kinds),
        "unseen": (copies(game, seen.unseen), kinds),
        "played": ([count for cards in seen.played for count in copies(game, cards)], kinds * game.seats),
        "to_beat": (copies(game, seen.last_cards), kinds),
        "to_beat_by": (one_hot(game, seen.last_by), ones),
        "passed": ([int(other in seen.passed) for other in range(game.seats)], ones),
        "left": (list(seen.left), [game.largest_hand] * game.seats),
    }
    if game.public_size:
        parts |= {"landlord": (one_hot(game, seen.landlord), ones), "public": (copies(game, seen.public), kinds)}
    if game.has_bidding:
        parts["bids"] = ([seen.auction.get(other, -1) + 1 for other in range(game.seats)], [HIGHEST_BID + 1] * game.seats)
    if game.has_doubling:
        parts["doubles"] = ([seen.doubles.get(other, -1) + 1 for other in range(game.seats)], [2] * game.seats)
    return parts


@lru_cache(maxsize=1 << 14)  # of an observation of all turns, all but the last were there a turn ago
def copies(game: Game, cards: Cards) -> tuple[int, ...]:
    """How many of each kind of card."""
    return tuple(game.deck.copies(cards, *kind) for kind in game.deck.kinds)


def one_hot(game: Game, seat: int) -> list[int]:
    """All zeros for nobody."""
    return [int(seat == other) for other in range(game.seats)]


def _bids(game: Game) -> int:
    """How many actions are bids; 0 and 1 also say whether a seat doubles."""
    return HIGHEST_BID + 1 if game.has_bidding else 2 * game.has_doubling
