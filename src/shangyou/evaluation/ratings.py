"""Ratings from games of any number of seats, alone or in teams: Weng and Lin's Plackett-Luce, as `openskill` computes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import lcm, prod
from typing import TYPE_CHECKING, NamedTuple

from shangyou.engines.reference import State
from shangyou.evaluation.duplicate import PlayedDeals
from shangyou.games import BadInput

if TYPE_CHECKING:
    from openskill.models import PlackettLuce, PlackettLuceRating

MU, SIGMA = 25.0, 25.0 / 3  # of a new player: the defaults of the library, as in TrueSkill


class RatedGame(NamedTuple):
    """The players of each team, and the place of each team: 1 is best, equal places are a draw."""

    teams: tuple[tuple[str, ...], ...]
    places: tuple[int, ...]

    def lost_by(self, player: str) -> RatedGame:
        """The same game with the team of a player last and alone there, as it counts for who did not finish it."""
        last = len(self.teams) + 1
        teams = zip(self.teams, self.places, strict=True)
        return self._replace(places=tuple(last if player in team else place for team, place in teams))


@dataclass(frozen=True)
class Rating:
    """Strength as a normal distribution, and the number of games it is estimated from."""

    mu: float = MU
    sigma: float = SIGMA
    games: int = 0


def rated_game(end: State, names: Sequence[str]) -> RatedGame:
    """A finished game, with the name of each seat."""
    won = [seat in end.winners for seat in range(end.game.seats)]
    return _rated(end.game.sides(end.landlord), won, end.places, names)


def rated_games(played: PlayedDeals, a: str, b: str) -> Iterator[list[RatedGame]]:
    """The games of each deal of a match."""
    names = [[a if mine else b for mine in seating] for seating in played.mine.tolist()]
    for columns in zip(played.side.tolist(), played.won.tolist(), played.places.tolist(), strict=True):
        yield [_rated(*game) for game in zip(*columns, names, strict=True)]


def _rated(sides: Sequence[int], won: Sequence[bool], places: Sequence[int], names: Sequence[str]) -> RatedGame:
    """The seats of a side are a team. The winners are first, the others follow by the best place of their seats."""
    seats = [[seat for seat, side in enumerate(sides) if side == team] for team in sorted(set(sides))]
    keys = [(not any(won[seat] for seat in team), min(places[seat] or len(names) for seat in team)) for team in seats]
    ranks = tuple(sorted(keys).index(key) + 1 for key in keys)
    return RatedGame(tuple(tuple(names[seat] for seat in team) for team in seats), ranks)


def rate(games: Iterable[RatedGame], known: Mapping[str, Rating] | None = None, drift: float = 0.0) -> dict[str, Rating]:
    """Ratings after the games, one after another, from those known before.

    Every game adds `drift` to the uncertainty of its players: 0 for agents, which do not change; people learn.
    """
    from openskill.models import PlackettLuce  # commands that rate nobody do without it

    model, ratings = PlackettLuce(mu=MU, sigma=SIGMA, tau=drift), dict(known or {})
    for game in games:
        ratings.update(_after(model, game, ratings))
    return ratings


def _after(model: PlackettLuce, game: RatedGame, ratings: Mapping[str, Rating]) -> dict[str, Rating]:
    """The new ratings of those who played."""
    if len(game.teams) != len(game.places) or not all(game.teams):
        raise BadInput(f"a rated game needs a place for each team and a player in each: {game}")
    before = {name: ratings.get(name, Rating()) for team in game.teams for name in team}
    if len(before) < 2:  # a player against itself
        return before
    rated_seats = _rate_seats(model, game, before)
    return {name: _add_up(rated_seats[name], rating) for name, rating in before.items()}


def _rate_seats(model: PlackettLuce, game: RatedGame, before: Mapping[str, Rating]) -> dict[str, list[PlackettLuceRating]]:
    """The new rating of each seat of a player. A team is as strong as the mean of its players, not their sum, or a landlord
    who wins alone would beat two: so the players of smaller teams are repeated."""
    size = lcm(*map(len, game.teams))
    names = [team * (size // len(team)) for team in game.teams]
    teams = [[model.rating(before[name].mu, before[name].sigma) for name in team] for team in names]
    rated = model.rate(teams, ranks=[float(place) for place in game.places])
    rated_seats: dict[str, list[PlackettLuceRating]] = {name: [] for name in before}
    for name, rating in zip(chain(*names), chain(*rated), strict=True):
        rated_seats[name].append(rating)
    return rated_seats


def _add_up(rated_seats: list[PlackettLuceRating], before: Rating) -> Rating:
    """The changes of a player's several seats added up, so that the sum over all players stays the same."""
    mu = before.mu + sum(seat.mu - before.mu for seat in rated_seats)
    sigma = before.sigma * prod(seat.sigma / before.sigma for seat in rated_seats)
    return Rating(mu, sigma, before.games + 1)
