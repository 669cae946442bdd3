"""Round robin: every two agents play a duplicate match on the same deals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations, permutations, zip_longest

from shangyou.agents.seating import even_share
from shangyou.evaluation.crew import Chunk, Contestant, play_chunks
from shangyou.evaluation.duplicate import PlayedDeal
from shangyou.evaluation.match import Match, Score, chunks_of, results_of
from shangyou.evaluation.ratings import RatedGame, Rating, rate, rated_game
from shangyou.games import BadInput, Game


@dataclass
class Tournament:
    """The matches of all pairs, each told from both sides."""

    game: Game
    names: tuple[str, ...]
    seed: int
    matches: dict[tuple[str, str], Match]

    @classmethod
    def of(cls, game: Game, names: Sequence[str], seed: int) -> Tournament:
        return cls(game, tuple(names), seed, {pair: Match(game, *pair, seed) for pair in permutations(names, 2)})

    def add(self, a: str, b: str, deal: PlayedDeal) -> None:
        self.matches[a, b].add(deal)
        self.matches[b, a].add(tuple(outcome.from_other_side for outcome in deal))

    @property
    def deals_played(self) -> int:
        """By all pairs together."""
        return sum(match.deals for match in self.matches.values()) // 2  # each is there from both sides

    @property
    def games(self) -> int:
        return sum(match.games for match in self.matches.values()) // 2

    def standing(self, name: str) -> Score:
        """An agent's mean over all opponents, from the deals that it has played against all of them."""
        score = Score()
        opponents = [match for (a, _), match in self.matches.items() if a == name]
        for deals in zip(*(match.played for match in opponents), strict=False):
            score.add(result for deal in deals for result in results_of(deal))
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
        """Of `a` against `b`; None where they have not played."""
        match = self.matches.get((a, b))
        return match.total.win.mean if match and match.deals else None

    def ratings(self) -> dict[str, Rating]:
        return rate(self._rated_games())

    def _rated_games(self) -> Iterator[RatedGame]:
        """Deal by deal, all pairs on it: ratings lean a little to what came last, and so no pair comes last."""
        pairs = list(combinations(self.names, 2))
        for deals in zip_longest(*(self.matches[pair].played for pair in pairs), fillvalue=()):
            for (a, b), deal in zip(pairs, deals, strict=True):
                yield from (rated_game(outcome, [a if mine else b for mine in outcome.mine]) for outcome in deal)


def play_tournament(
    game: Game,
    contestants: Sequence[Contestant],
    deals: int,
    seed: int,
    *,
    workers: int = 1,
    after_each: Callable[[Tournament], None] = lambda tournament: None,
) -> Tournament:
    """Deals 0..deals-1 of `seed` for every pair, with each of the two alone against the other where seats allow it.

    After every chunk `after_each` sees the tournament so far, so that interrupting keeps what was played.
    """
    names = [contestant.name for contestant in contestants]
    if len(names) < 2 or len(set(names)) < len(names):
        raise BadInput(f"a tournament needs two or more different agents, not {', '.join(names) or 'none'}")
    tournament = Tournament.of(game, names, seed)
    pairs = list(combinations(range(len(names)), 2))
    chunks = [Chunk(a, b, indices) for indices in chunks_of(deals) for a, b in pairs]
    with closing(play_chunks(game, contestants, chunks, seed, True, workers)) as played:
        for chunk, deals_of_chunk in zip(chunks, played, strict=True):
            for deal in deals_of_chunk:
                tournament.add(names[chunk.a], names[chunk.b], deal)
            after_each(tournament)
    return tournament
