"""HTTP: the exact solver, and puzzles. A puzzle is asked for with my moves so far, so nothing of it is stored."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Path, Request

from shangyou import games
from shangyou.web.api import TheArena
from shangyou.web.live.arena import Arena
from shangyou.web.live.callers import address_of
from shangyou.web.storage.database import now
from shangyou.web.wire.puzzle_answers import PuzzleOut, SolutionOut
from shangyou.web.wire.requests import GameName, Moves, OpenPosition

router = APIRouter()
Game = Annotated[GameName, Path()]
PuzzleNumber = Annotated[int, Path(ge=1, lt=1 << 20)]


@router.post("/solve")
async def solve_position(body: OpenPosition, request: Request, arena: TheArena) -> SolutionOut:
    """A position with all hands known: what the seat to act can force, the play that forces it and the line, proven."""
    game = await arena.rules.load(body.game, body.rules, address_of(request))

    def work() -> SolutionOut:
        from shangyou.search import Question, solve  # Numba takes a while to import

        state = body.state(game)
        return SolutionOut.said(state, solve(Question(state, body.objective or None, nodes=body.nodes)))

    return await arena.solving.run(work)


@router.get("/puzzles/{game}")
async def todays_puzzle(game: Game, arena: TheArena) -> PuzzleOut:
    """The puzzle of the day."""
    games.rules_of(game)

    def work() -> int:
        from shangyou.search.puzzles import of_the_day

        return of_the_day(game, now().date())

    return await _after(arena, game, await arena.solving.run(work), [])


@router.get("/puzzles/{game}/{number}")
async def get_puzzle(game: Game, number: PuzzleNumber, arena: TheArena) -> PuzzleOut:
    """A puzzle by its number, from 1."""
    return await _after(arena, game, number, [])


@router.post("/puzzles/{game}/{number}")
async def try_puzzle(game: Game, number: PuzzleNumber, body: Moves, arena: TheArena) -> PuzzleOut:
    """The puzzle after these moves of mine; the solver answers each."""
    return await _after(arena, game, number, body.moves)


async def _after(arena: Arena, name: str, number: int, moves: Sequence[Sequence[str]]) -> PuzzleOut:
    games.rules_of(name)

    def work() -> PuzzleOut:
        from shangyou.search.puzzles import attempt, puzzle, puzzles

        found = puzzle(name, number)
        trial = attempt(found, [found.game.deck.parse("".join(cards)) for cards in moves])
        return PuzzleOut.after(found, number, len(puzzles(name)), trial)

    return await arena.solving.run(work)
