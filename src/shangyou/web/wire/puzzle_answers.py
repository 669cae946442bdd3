"""Answers of the exact solver about positions and games, and puzzles, as they are sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

from shangyou.engines.reference import State, Turn
from shangyou.games import NOBODY, Game
from shangyou.web.wire.play_answers import CardNames, PlayOut, card_names, hand_names
from shangyou.web.wire.reasons import Answer

if TYPE_CHECKING:  # Numba takes a while to import
    from shangyou.search.puzzles import Puzzle, Trial
    from shangyou.search.solver import Answer as Solution
    from shangyou.search.truth import OpenTurn, Truth


class SeatPlay(PlayOut):
    seat: int

    @classmethod
    def made(cls, game: Game, turn: Turn) -> Self:
        return cls.of(game, turn.play, turn.cards, seat=turn.seat)


class SolutionOut(Answer):
    objective: str
    seat: int
    value: int | None  # none: unknown, from least to most
    least: int
    most: int
    nodes: int  # positions looked at
    best: SeatPlay | None
    line: list[SeatPlay]

    @classmethod
    def said(cls, state: State, found: Solution) -> Self:
        line = [SeatPlay.made(state.game, turn) for turn in found.line]
        return cls(**{**found._asdict(), "line": line, "best": line[0] if line else None})


class OpenTurnOut(Answer):
    """A turn with several legal plays, all hands known; values as in `SolutionOut`, those of the seat to act."""

    turn: int
    seat: int
    value: int  # what it could force before its play
    after: int | None  # and after it; none: unknown
    gave_away: bool
    better: SeatPlay | None  # a play that would have kept it

    @classmethod
    def of(cls, game: Game, one: OpenTurn) -> Self:
        better = SeatPlay.made(game, one.better) if one.better else None
        return cls(turn=one.turn, seat=one.seat, value=one.value, after=one.after, gave_away=one.gave_away, better=better)


class TruthOut(Answer):
    """A finished game with all hands known."""

    replay: str
    objective: str  # win or place
    turns: list[OpenTurnOut]  # those whose value is known
    proven_from: int | None  # from this turn to the end all is known
    forced_from: int | None  # from this turn on the winners won by force; none where there are more than two sides
    nodes: int  # positions looked at

    @classmethod
    def of(cls, replay: str, game: Game, found: Truth) -> Self:
        turns = [OpenTurnOut.of(game, one) for one in found.turns]
        return cls(
            replay=replay,
            objective=found.objective,
            turns=turns,
            proven_from=found.proven_from,
            forced_from=found.forced_from,
            nodes=found.nodes,
        )


class PuzzleOut(Answer):
    """A puzzle after some moves of mine; the solver has moved for the others."""

    game: str
    number: int
    count: int  # of the game's puzzles
    grade: int  # 1 to 4
    champion: bool  # whether the champion finds the answer
    me: int  # my seat
    turn: int
    landlord: int | None
    place: int | None  # the place to be had; none: to win
    hands: list[CardNames]
    last: CardNames
    last_by: int | None
    line: list[SeatPlay]  # since the beginning
    status: Literal["open", "solved", "lost"]
    spoiled_at: int  # my move that gave it away; 0: none
    answer: str | None  # once it is over

    @classmethod
    def after(cls, puzzle: Puzzle, number: int, count: int, trial: Trial) -> Self:
        game, state = puzzle.game, trial.state
        made = state.history[len(puzzle.state.history) :]
        last = next((turn.cards for turn in reversed(state.history) if turn.play), 0) if state.last else 0
        status: Literal["open", "solved", "lost"] = "open" if not trial.over else "solved" if trial.kept else "lost"
        return cls(
            game=game.name,
            number=number,
            count=count,
            grade=puzzle.grade,
            champion="champion" in puzzle.found_by,
            me=puzzle.turn,
            turn=state.turn,
            landlord=None if state.landlord == NOBODY else state.landlord,
            place=-trial.goal if trial.goal < 0 else None,
            hands=list(hand_names(game.deck, state.hands)),
            last=card_names(game.deck, last),
            last_by=state.last_by if state.last else None,
            line=[SeatPlay.made(game, turn) for turn in made],
            status=status,
            spoiled_at=trial.spoiled_at if trial.over else 0,
            answer=puzzle.answer if trial.over else None,
        )
