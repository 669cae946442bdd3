"""Past versions of a net that learns, to play against: rated from the games, the weakest replaced once the learner is better.

    pool = Pool(PoolArgs(), net)
    seats = pool.seats(games, 4, generator)  # the learner and versions drawn for each game
    pool.rate(seats, places)
    pool.admit(net)

Ratings are `evaluation.ratings`. The learner changes, so its rating grows less certain with every batch; a version does not.

B games, S seats, V versions.
"""

from dataclasses import asdict, dataclass, replace
from math import hypot
from typing import Any

import torch
from torch import Tensor, nn

from shangyou.evaluation.ratings import RatedGame, Rating, rate
from shangyou.games import BadInput

DRAWS = ("uniform", "rating", "latest")
LEARNER = "learner"
Weights = dict[str, Tensor]


@dataclass(frozen=True)
class PoolArgs:
    size: int = 8  # versions at most
    draw: str = "rating"  # how opponents are drawn: evenly (uniform); the higher rated the likelier; or the latest one only
    every: int = 2  # batches between admissions
    rated_games: int = 1000  # of each batch
    drift: float = 0.5  # added to the uncertainty of the learner's rating in each batch

    def __post_init__(self) -> None:
        if self.draw not in DRAWS:
            raise BadInput(f"pool.draw {self.draw!r}: there are {', '.join(DRAWS)}")
        if self.size < 1 or self.every < 1:
            raise BadInput(f"pool.size {self.size} and pool.every {self.every}: both are at least 1")


class Pool:
    def __init__(self, args: PoolArgs, net: nn.Module) -> None:
        """It begins with the net as it is."""
        self.args = args
        self.versions: dict[str, Weights] = {"version 0": _copied(net)}
        self.ratings: dict[str, Rating] = {LEARNER: Rating(), "version 0": Rating()}
        self.admitted = 0

    @property
    def names(self) -> list[str]:
        return list(self.versions)

    def seats(self, games: int, seats: int, generator: torch.Generator) -> Tensor:
        """[B, S] 0, the learner, in one seat of every game, each seat in turn; version 1, 2, ... of `names` in the others."""
        weights = torch.tensor(self._weights(), device=generator.device)
        drawn = 1 + torch.multinomial(weights, games * seats, replacement=True, generator=generator).view(games, seats)
        number = torch.arange(games, device=generator.device)
        drawn[number, number % seats] = 0
        return drawn

    def _weights(self) -> list[float]:
        """[V] how often each version is drawn."""
        if self.args.draw == "latest":
            return [float(i == len(self.versions) - 1) for i in range(len(self.versions))]
        if self.args.draw == "rating":
            best = max(self.ratings[name].mu for name in self.versions)
            return [2.0 ** (self.ratings[name].mu - best) for name in self.versions]
        return [1.0] * len(self.versions)

    def rate(self, seats: Tensor, places: Tensor) -> None:
        """By the first `rated_games` of these games; places [B, S]."""
        names, rated = [LEARNER, *self.versions], self.args.rated_games
        games = zip(seats[:rated].tolist(), places[:rated].tolist(), strict=True)
        results = [RatedGame(tuple((names[who],) for who in game), tuple(place)) for game, place in games]
        before = self.ratings[LEARNER]
        self.ratings[LEARNER] = replace(before, sigma=hypot(before.sigma, self.args.drift))
        self.ratings = rate(results, self.ratings)

    @property
    def lowest(self) -> str:
        """The version with the lowest rating."""
        return min(self.versions, key=lambda name: self.ratings[name].mu)

    def admit(self, net: nn.Module) -> bool:
        """The learner as it is now joins, if there is room or it is rated higher than the lowest, which then leaves."""
        if len(self.versions) >= self.args.size:
            if self.ratings[LEARNER].mu <= self.ratings[self.lowest].mu:
                return False
            leaves = self.lowest
            del self.versions[leaves], self.ratings[leaves]
        self.admitted += 1
        name = f"version {self.admitted}"
        self.versions[name], self.ratings[name] = _copied(net), self.ratings[LEARNER]
        return True

    def state(self) -> dict[str, Any]:
        ratings = {name: asdict(rating) for name, rating in self.ratings.items()}
        return {"versions": self.versions, "ratings": ratings, "admitted": self.admitted}

    def restore(self, stored: dict[str, Any]) -> None:
        self.versions, self.admitted = stored["versions"], stored["admitted"]
        self.ratings = {name: Rating(**rating) for name, rating in stored["ratings"].items()}


def _copied(net: nn.Module) -> Weights:
    return {name: weight.detach().clone() for name, weight in net.state_dict().items()}
