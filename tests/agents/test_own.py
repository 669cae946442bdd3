"""An agent in a Python file of the user's own: named where an agent is asked for, and never loaded for another person."""

from pathlib import Path

import pytest

from shangyou import agents, games
from shangyou.agents.own import is_own, runs_a_file
from shangyou.games import BadInput
from shangyou.testing import check_agent

EXAMPLE = Path(__file__).parents[2] / "examples" / "agent.py"
TWO = """
import random
from shangyou.agents import Agent
from shangyou.agents.scripted.greedy import GreedyAgent

class Seeded(Agent):
    def __init__(self, seed): self.seed = seed
    def values(self, view, legal): return [0.0] * len(legal)

class Bold(GreedyAgent):
    pass
"""


@pytest.mark.parametrize("game", games.names())
def test_the_example_plays_every_game(game):
    check_agent(lambda: agents.load(str(EXAMPLE)), games.load(game), games=5)


def test_a_class_by_its_name_and_with_a_seed(tmp_path):
    file = tmp_path / "two.py"
    file.write_text(TWO)
    assert agents.load(f"{file}:Seeded", seed=7).seed == 7
    assert type(agents.load(f"{file}:Bold")).__name__ == "Bold"
    assert agents.load(f"{file}:Bold").name == f"{file}:Bold"
    assert [member.name for member in agents.load(f"min:{file}:Bold,greedy").members] == [f"{file}:Bold", "greedy"]


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        (None, "own.py", "there is no such Python file"),
        (TWO, "own.py", "name one agent of the file, as in mine.py:Cautious; it has Seeded, Bold"),
        (TWO, "own.py:Shy", "it has Seeded, Bold"),
        ("x = 1", "own.py", "it has none"),
        ("from shangyou.agents import Agent", "own.py:Agent", "it has none"),
        ("1 / 0", "own.py", "ZeroDivisionError: division by zero"),
        ("def", "own.py", "SyntaxError"),
        (TWO.replace("self.seed = seed", "raise OSError('no weights')"), "own.py:Seeded", "OSError: no weights"),
    ],
)
def test_errors_name_the_file_and_the_reason(tmp_path, monkeypatch, text, name, why):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path("own.py").write_text(text)
    with pytest.raises(BadInput) as error:
        agents.load(name)
    assert name.partition(":")[0] in str(error.value)
    assert why in str(error.value)


@pytest.mark.parametrize("name", ["a.py", "a.py:B", "min:greedy,a.py:B", "max: a.py ,greedy"])
def test_names_that_run_a_file_are_known(name):
    assert runs_a_file(name)


@pytest.mark.parametrize("name", ["greedy", "champion/zsy2:points", "mine/a.pyx", "min:greedy,rule", "a.py.onnx"])
def test_other_names_are_not(name):
    assert not runs_a_file(name)
    assert not is_own(name)
