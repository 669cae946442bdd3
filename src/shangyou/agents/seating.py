"""Who sits where when two players, A and B, are compared or learn from each other: each has every side in turn. S seats."""

from __future__ import annotations

from shangyou.games import NOBODY, Game

Seating = tuple[bool, ...]
"""Whether A sits there, `[S]`."""


def has_landlord(game: Game) -> bool:
    """Where there is a landlord, seats win and lose in two sides."""
    return game.has_bidding or game.first_landlord() != NOBODY


def seatings(game: Game, mirrored: bool = False) -> list[Seating]:
    """Where A sits in the games of one deal.

    Alone in each seat in turn, B in the others; where seat 0 is the landlord, alone there. With a landlord, or
    `mirrored`, the same with A and B changed: without bidding each is landlord once, with bidding (whose outcome is
    part of the skill) each is alone in every seat and has the other two in every deal.
    """
    landlord = game.first_landlord()
    seats = range(game.seats) if landlord == NOBODY else [landlord]
    alone = [tuple(seat == mine for seat in range(game.seats)) for mine in seats]
    other_way = [changed(seating) for seating in alone] if mirrored or has_landlord(game) else []
    return list(dict.fromkeys(alone + other_way))  # with two seats the one is the other


def changed(seating: Seating) -> Seating:
    """A and B in each other's seats."""
    return tuple(not mine for mine in seating)


def even_share(game: Game) -> float:
    """The win rate of equals."""
    return 0.5 if has_landlord(game) else 1 / game.seats
