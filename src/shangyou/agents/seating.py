"""The seats of two players, A and B, that are compared or learn from each other: each has every side in turn. S seats."""

from shangyou.games import Game

Seating = tuple[bool, ...]
"""Whether A sits there, `[S]`."""


def even_share(game: Game) -> float:
    """The win rate of equals: one side of all wins."""
    return 1 / _number_of_sides(game)


def _number_of_sides(game: Game) -> int:
    """The sides during play: where there is bidding, with a landlord, whichever seat that is."""
    return len(set(game.sides(0 if game.has_bidding else game.first_landlord())))


def seatings(game: Game, mirrored: bool = False) -> list[Seating]:
    """Where A sits in the games of one deal: on each side in turn, B on the others.

    With two sides, or `mirrored`, also with A and B swapped. Before bidding every seat is a side: each of A and B is alone in
    every seat and has the other two in every deal, since the outcome of the bidding is part of the skill.
    """
    sides = game.sides(game.first_landlord())
    seated = [tuple(side == mine for side in sides) for mine in dict.fromkeys(sides)]
    swapped = [tuple(not mine for mine in seating) for seating in seated]
    both = mirrored or _number_of_sides(game) == 2
    return list(dict.fromkeys(seated + swapped if both else seated))  # with two sides in the deal all are there already
