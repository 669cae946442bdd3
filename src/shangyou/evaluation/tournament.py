"""Round robin: every two agents play a duplicate match on the same deals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from shangyou.agents.seating import even_share
from shangyou.evaluation.backends import Contestant, deals_at_once
from shangyou.evaluation.duplicate import Matchup, PlayedDeals
from shangyou.evaluation.match import Match, Score, chunks_of
from shangyou.evaluation.play_deals import PlayDuplicate
from shangyou.evaluation.ratings import RatedGame, Rating, rate, rated_games
from shangyou.games import BadInput, Game
from shangyou.workers import Workers, count_of, do_chunks


@dataclass
class Tournament:
    """The matches of all pairs, each from both sides."""

    game: Game
    names: tuple[str, ...]
    seed: int
    matches: dict[tuple[str, str], Match]

    def add(self, a: str, b: str, played: PlayedDeals) -> None:
        self.matches[a, b].add(played)
        self.matches[b, a].add(played.from_other_side)

    @property
    def deals_played(self) -> int:
        """The deals of all pairs together."""
        return sum(match.deals for match in self.matches.values()) // 2  # each is counted from both sides

    @property
    def games(self) -> int:
        return sum(match.games for match in self.matches.values()) // 2

    def standing(self, name: str) -> Score:
        """An agent's mean over all opponents, from the deals that it has played against all of them."""
        score, matches = Score(), [match for (a, _), match in self.matches.items() if a == name]
        if common := min(match.deals for match in matches):
            played = [match.played[:common] for match in matches]
            score.add(np.hstack([part.win for part in played]), np.hstack([part.points for part in played]))
        return score

    @property
    def ranking(self) -> list[str]:
        """The agents, best first."""
        return sorted(self.names, key=lambda name: -self.standing(name).win.mean)

    @property
    def even(self) -> float:
        """The win rate of equals."""
        return even_share(self.game)

    def win_rate(self, a: str, b: str) -> float | None:
        """The win rate of `a` against `b`; None where they have not played."""
        match = self.matches.get((a, b))
        return match.total.win.mean if match and match.deals else None

    def ratings(self) -> dict[str, Rating]:
        return rate(self._rated_games())

    def _rated_games(self) -> Iterator[RatedGame]:
        """Deal by deal, all pairs on each: the latest games weigh a little more, so no pair may come last."""
        played = {pair: self.matches[pair] for pair in combinations(self.names, 2) if self.matches[pair].deals}
        games = {pair: rated_games(match.played, *pair) for pair, match in played.items()}
        for deal in range(max((match.deals for match in played.values()), default=0)):
            for pair, match in played.items():
                if deal < match.deals:
                    yield from next(games[pair])


def play_tournament(
    game: Game,
    contestants: Sequence[Contestant],
    deals: int,
    seed: int,
    *,
    workers: Workers = 1,
    after_each: Callable[[Tournament], None] = lambda tournament: None,
) -> Tournament:
    """Deals 0..deals-1 of `seed` for every pair, with each of the two alone against the other where seats allow it.

    After every chunk `after_each` gets the tournament so far, which is the result if the caller is interrupted.
    """
    names = [contestant.name for contestant in contestants]
    if len(names) < 2 or len(set(names)) < len(names):
        raise BadInput(f"a tournament needs two or more different agents, not {', '.join(names) or 'none'}")
    tournament = Tournament(game, tuple(names), seed, {pair: Match(game, *pair, seed) for pair in permutations(names, 2)})
    pairs = list(combinations(range(len(names)), 2))
    cut = chunks_of(deals, deals_at_once(game, contestants), -(-count_of(workers) // len(pairs)))
    chunks = [Matchup(a, b, numbers) for numbers in cut for a, b in pairs]
    with closing(do_chunks(PlayDuplicate(game, contestants, seed, True), chunks, workers)) as played:
        for chunk, part in zip(chunks, played, strict=True):
            tournament.add(names[chunk.a], names[chunk.b], part)
            after_each(tournament)
    return tournament
