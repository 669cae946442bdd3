"""Who sits where when two players, A and B, are compared or learn from each other: each has every side in turn. S seats."""

from shangyou.games import Game

Seating = tuple[bool, ...]
"""Whether A sits there, `[S]`."""


def even_share(game: Game) -> float:
    """The win rate of equals: one side of all wins."""
    return 1 / _number_of_sides(game)


def _number_of_sides(game: Game) -> int:
    """In play: where there is bidding, once there is a landlord, whichever seat it is."""
    return len(set(game.sides(0 if game.has_bidding else game.first_landlord())))


def seatings(game: Game, mirrored: bool = False) -> list[Seating]:
    """Where A sits in the games of one deal: on each side in turn, B on the others.

    With two sides, or `mirrored`, also the same with A and B changed. Before bidding everybody is a side: each of A and B is
    alone in every seat and has the other two in every deal, as the outcome of the bidding is part of the skill.
    """
    sides = game.sides(game.first_landlord())
    seated = [tuple(side == mine for side in sides) for mine in dict.fromkeys(sides)]
    other_way = [changed(seating) for seating in seated] if mirrored or _number_of_sides(game) == 2 else []
    return list(dict.fromkeys(seated + other_way))  # with two sides in the deal the one is the other


def changed(seating: Seating) -> Seating:
    """A and B in each other's seats."""
    return tuple(not mine for mine in seating)
