"""The puzzles that come with the package are proven again; what a puzzle is; trying one."""

from __future__ import annotations

import os
import random

import pytest

from shangyou import games
from shangyou.agents.puzzle_mining import choose
from shangyou.engines import reference
from shangyou.games import BadInput
from shangyou.search.puzzles import Judge, attempt, of_the_day, prove, puzzle, puzzles, read, sheds_most

ALL = os.environ.get("SHANGYOU_ALL") == "1"  # make test-all
NAMES = [name for name in games.names() if puzzles(name)]
SAMPLE = 1000 if ALL else 12  # puzzles of a game


def sample(name):
    numbers = range(1, len(puzzles(name)) + 1)
    return [puzzle(name, n) for n in random.Random(5).sample(numbers, min(SAMPLE, len(numbers)))]


def row_of(one):
    """The answer's row, among those the seat may make."""
    (row,) = [row for row in reference.legal(one.state).tolist() if one.game.table.labels[row] == one.answer]
    return row


def test_there_are_many():
    found = [one for name in games.names() for one in puzzles(name)]
    assert set(NAMES) == set(games.names())
    assert len(found) >= 1000
    assert sum("champion" not in one.found_by for one in found) >= 300
    assert len({str(one) for one in found}) == len(found)
    assert not any(sheds_most(one.state, row_of(one)) for one in found)


@pytest.mark.parametrize("name", NAMES)
def test_they_are_proven_again(name):
    assert [str(one) for one in sample(name) if not prove(one)] == []


@pytest.mark.parametrize("name", NAMES)
def test_another_answer_is_not_proven(name):
    one = puzzle(name, 1)
    other = next(row for row in reference.legal(one.state).tolist() if row != row_of(one))
    fields = str(one).split("|")
    fields[5] = one.game.table.labels[other]
    assert not prove(read(one.game, "|".join(fields)))


@pytest.mark.parametrize("name", NAMES)
def test_the_solver_answers_any_defence(name):
    """Who keeps to moves that keep the goal has it in the end; who makes another first move has not."""
    one = sample(name)[0]
    moves, trial = [], attempt(one, [])
    while not trial.over:
        judge = Judge(one.state)
        moves.append(judge.reply(trial.state, trial.goal))
        trial = attempt(one, moves)
    assert trial.kept
    wrong = next(row for row in reference.legal(one.state).tolist() if row != row_of(one))
    spoiled = attempt(one, [one.game.pick(one.state.hands[one.turn], wrong)])
    assert (spoiled.kept, spoiled.spoiled_at) == (False, 1)


def test_every_day_has_its_own():
    from datetime import date, timedelta

    name, first = NAMES[0], date(2026, 11, 19)
    count = len(puzzles(name))
    assert sorted(of_the_day(name, first + timedelta(days=i)) for i in range(count)) == list(range(1, count + 1))


def test_a_puzzle_that_is_not_there_is_refused():
    with pytest.raises(BadInput, match="zsy2 has the puzzles 1"):
        puzzle("zsy2", 0)


def test_grades_are_chosen_in_equal_parts():
    found = [*puzzles("zsy2"), *puzzles("zsy2")]
    chosen = choose(found, 60)
    assert len(chosen) == len(set(map(str, chosen))) == 60
    grades = [one.grade for one in chosen]
    many = [grade for grade in set(grades) if sum(one.grade == grade for one in puzzles("zsy2")) > 20]
    assert len({grades.count(grade) for grade in many} - {max(map(grades.count, many)) - 1}) == 1
    assert choose(found[::-1], 60) == chosen
    assert len(choose(found, 10_000)) == len(set(map(str, puzzles("zsy2"))))
