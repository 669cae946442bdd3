"""The frame of the experiments: stages on disk, the game and the settings of every scale, the papers' numbers."""

from __future__ import annotations

import pkgutil
import tomllib
from importlib import import_module
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from shangyou import lab
from shangyou.games import BadInput
from shangyou.lab import paper_numbers
from shangyou.lab.stages import SCALES, ZSY2, Context, Setup

GAMES = {"ddqn-pool": "zsy4", "deeprocket": "doudizhu"}  # of the experiments that do not play zsy2


def make_context(folder: Path) -> Context:
    return Context(ZSY2, "smoke", 0, "cpu", folder, Console(file=StringIO()))


MODULES = [import_module(module.name) for module in pkgutil.walk_packages(lab.__path__, "shangyou.lab.")]
BY_SCALE = {
    f"{module.__name__.removeprefix('shangyou.lab.')}.{name}": value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, dict) and "paper" in value
}


def test_every_setting_has_every_scale():
    assert len(BY_SCALE) > 20
    assert {name for name, value in BY_SCALE.items() if tuple(value) != SCALES} == set()


@pytest.mark.parametrize("name", lab.EXPERIMENTS)
def test_an_experiment_declares_its_title_and_its_game(name):
    experiment = lab.find(name)
    assert experiment.TITLE
    assert {setup.game for setup in experiment.SETUPS.values()} == {GAMES.get(name, "zsy2")}
    assert not experiment.SETUPS["small"].rules
    assert not experiment.SETUPS["paper"].rules


def test_the_game_is_the_experiments_own(tmp_path):
    landlords = dict.fromkeys(SCALES, Setup("doudizhu", {"spring": True}, shrink=2))
    ctx = Context(landlords, "small", 3, "cpu", tmp_path, Console(file=StringIO()))
    assert (ctx.game.name, ctx.game.rules.spring) == ("doudizhu", True)
    assert ctx.folder == tmp_path / "doudizhu-small-3"


def test_every_table_of_the_papers_names_its_source():
    tables = tomllib.loads(Path(paper_numbers.__file__).with_suffix(".toml").read_text())
    assert all(len(table["source"]) > 20 for table in tables.values())
    assert "source" not in paper_numbers.TABLE_1


def test_a_stage_of_other_settings_is_refused(tmp_path):
    ctx = make_context(tmp_path)
    assert ctx.stage("x", {"games": 5, "lr": 1.0}, lambda: {"won": 3}) == {"won": 3}
    assert ctx.stage("x", {"games": 5, "lr": 1.0}, lambda: {"won": 4}) == {"won": 3}
    with pytest.raises(BadInput, match="made with other games"):
        ctx.stage("x", {"games": 6, "lr": 1.0}, lambda: {"won": 4})
    (tmp_path / "zsy2-smoke-0" / "y.pt").write_bytes(b"half a fi")
    with pytest.raises(BadInput, match="is no stage of an experiment"):
        ctx.stage("y", {}, dict)


def test_what_is_asked_wrongly_is_named(tmp_path):
    with pytest.raises(BadInput, match="smoke, small, paper"):
        Context(ZSY2, "huge", 0, "cpu", tmp_path)
    with pytest.raises(BadInput, match="there is no experiment 'chess'"):
        lab.run("chess", make_context(tmp_path), tmp_path)
