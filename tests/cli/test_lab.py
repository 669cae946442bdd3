"""`lab` from the command line; the experiments themselves are tested with the lab."""

import os
import re
import subprocess
import sys
from functools import partial

import pytest

from cli import running

run = partial(running.run, "lab")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["chess"], "there is no experiment 'chess'; there are deep-zsy"),
        (["deep-zsy", "--scale", "huge"], "scale 'huge': there are smoke, small, paper"),
        (["deep-zsy", "--device", "tpu"], "device 'tpu'"),
        (["discordance", "--models", "nets"], "discordance has no nets to export"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(words, reason, tmp_path):
    assert reason in run(*words, "--out", str(tmp_path / "lab"), code=2).output
    assert not (tmp_path / "lab").exists()


def test_a_folder_that_cannot_be_made_is_named_before_the_work(tmp_path):
    (tmp_path / "file").touch()
    found = run("deep-zsy", "--out", str(tmp_path / "file" / "stages"), code=2)
    assert re.search(r"folder of stages .*: Not a directory", found.output.replace("\n", ""))


WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("openskill", "onnxscript", "tensorboard", "fastapi"):
            raise ImportError(name)
sys.meta_path.insert(0, Missing())
sys.argv = ["shangyou", "lab", "hyperparameters", "--out", sys.argv[1], "--device", "cpu"]
import runpy
runpy.run_module("shangyou", run_name="__main__")
"""


def test_an_experiment_runs_with_little_installed(tmp_path):
    """A machine for training may lack what the other commands need."""
    env = os.environ | {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    found = subprocess.run([sys.executable, "-c", WITHOUT, str(tmp_path)], capture_output=True, text=True, env=env, timeout=300)
    assert found.returncode == 0, found.stderr[-2000:]
    assert "Deep ZSY: models 10 to 16" in (tmp_path / "results" / "hyperparameters.md").read_text()
