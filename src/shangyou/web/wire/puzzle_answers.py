"""Answers of the exact solver, and puzzles, as they are sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

from shangyou.engines.reference import State, Turn
from shangyou.games import NOBODY, Game
from shangyou.web.wire.play_answers import CardNames, PlayOut, card_names, hand_names
from shangyou.web.wire.reasons import Answer

if TYPE_CHECKING:  # Numba takes a while to import
    from shangyou.search.puzzles import Puzzle, Trial
    from shangyou.search.solver import Answer as Solution


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
