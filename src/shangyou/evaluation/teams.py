"""Two teams at two tables, the duplicate mode of the DeepRocket paper (Appendix B): the same deal at both, each team with
the landlord at one of them. The team whose landlords have the higher sum of scores wins. D deals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from shangyou.evaluation.backends import Ints
from shangyou.evaluation.match import Match
from shangyou.games import NOBODY, BadInput, Game

ROLES = ("landlord", "down peasant", "up peasant")  # seats 0, 1, 2, in the paper's words


class TableResult(NamedTuple):
    """One table of one deal."""

    number: int  # of the deal, from 1
    table: int  # 1: the first team has the landlord; 2: the second
    seats: tuple[str, ...]  # who has the roles of ROLES
    score: int  # the landlord's
    totals: tuple[int, int]  # of both teams' landlords so far


@dataclass(frozen=True, eq=False)
class TeamMatch:
    teams: tuple[str, str]
    scores: Ints  # [D, 2] of the first team's landlord at table 1, and of the second's at table 2

    @property
    def totals(self) -> tuple[int, int]:
        first, second = self.scores.sum(0).tolist()
        return first, second

    @property
    def winner(self) -> str | None:
        """The team with the higher total; None if they are equal."""
        first, second = self.totals
        return None if first == second else self.teams[first < second]

    def tables(self) -> list[TableResult]:
        """Both tables of every deal, as Table 7 of the paper lists them."""
        results, totals = list[TableResult](), [0, 0]
        for number, scores in enumerate(self.scores.tolist(), 1):
            for team, score in enumerate(scores):
                totals[team] += score
                mine, others = self.teams[team], self.teams[1 - team]
                results.append(TableResult(number, team + 1, (mine, others, others), score, (totals[0], totals[1])))
        return results


def check_has_landlord(game: Game) -> None:
    """Teams need a landlord that the deal names: the same seat at both tables."""
    if game.first_landlord() == NOBODY:
        rules = f" with {game.rules}" if game.has_bidding else ""
        raise BadInput(f"teams: {game.name}{rules} deals no landlord; two tables need doudizhu without bidding")


def team_match(match: Match) -> TeamMatch:
    """The two tables of every deal of a match."""
    check_has_landlord(match.game)
    played, landlord = match.played, match.game.first_landlord()
    first_team = played.mine[:, landlord]  # [G] the games in which A has the landlord
    return TeamMatch((match.a, match.b), played.scores[:, [first_team.argmax(), (~first_team).argmax()], landlord])
