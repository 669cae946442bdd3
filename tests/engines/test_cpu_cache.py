"""Compiled kernels on disk: the next process has them, no other source does, and no disk can do harm."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import numpy as np
import pytest
import torch
from numba import prange

from shangyou import games
from shangyou.engines.batch import BatchEngine
from shangyou.engines.kernels import cpu, cpu_cache
from shangyou.engines.kernels.cpu_cache import kernel
from shangyou.engines.sources import hash_sources

KERNELS = (cpu.deal_all, cpu.legal_all, cpu.step_all, cpu.random_games)


def use_every_kernel():
    for name, rules in (("zsy2", {}), ("doudizhu", {}), ("zsy4", {}), ("zsy4", {"decks": 2})):
        engine = BatchEngine(games.load(name, **rules))
        for count in (0, 1, 5):
            state = engine.deal(count, seed=1)
            legal = engine.legal(state)
            engine.play_randomly(engine.step(state, legal.plays[legal.starts[:-1]]), [0] * engine.constants.seats)
        for numbers in (torch.arange(10)[::2], torch.tensor([3]).expand(4), torch.arange(4, dtype=torch.int32)):
            dealt = engine.deal_these(numbers, seed=1)
            assert torch.equal(dealt.cards[:, 1], engine.deal(1, 1, int(numbers[1])).cards[:, 0])


def loaded(kernels):
    """How often each came from disk."""
    return [sum(each.stats.cache_hits.values()) for each in kernels]


def test_every_game_has_the_same_kernels():
    """A kernel is one file, which no two processes fill with different things, and no game waits for another compilation."""
    use_every_kernel()
    assert [len(each.signatures) for each in KERNELS] == [1, 1, 1, 1]


NEXT_PROCESS = """
import json
from engines.test_cpu_cache import KERNELS, loaded, use_every_kernel
use_every_kernel()
print(json.dumps(loaded(KERNELS)))
"""


def test_the_next_process_compiles_nothing():
    use_every_kernel()
    run = [sys.executable, "-c", NEXT_PROCESS]
    found = subprocess.run(run, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout) == [1, 1, 1, 1]


def double(numbers):
    for i in prange(len(numbers)):
        numbers[i] *= 2


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where `double` is kept."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    return Path(kernel(double).stats.cache_path)


def comes_from_disk(doubling):
    numbers = np.arange(3)
    doubling(numbers)
    assert numbers.tolist() == [0, 2, 4]
    return loaded([doubling]) == [1]


def test_other_sources_are_compiled_anew(folder, monkeypatch):
    assert not comes_from_disk(kernel(double))
    assert comes_from_disk(kernel(double))
    files = sorted(folder.iterdir())
    monkeypatch.setattr(cpu_cache, "SOURCES", "others")
    assert not comes_from_disk(kernel(double))
    assert comes_from_disk(kernel(double))
    assert sorted(folder.iterdir()) == files  # in place of the old ones


def test_who_wants_to_know_is_told_before_a_kernel_is_compiled(folder, monkeypatch):
    told = []
    monkeypatch.setattr(cpu_cache, "before_compiling", lambda: told.append("compiling"))
    assert not comes_from_disk(kernel(double))
    assert told == ["compiling"]
    assert comes_from_disk(kernel(double))
    assert told == ["compiling"]


def test_every_source_counts(tmp_path):
    (tmp_path / "deeper").mkdir()
    texts = [("a.py", "ONE = 1\n"), ("a.py", "ONE = 2\n"), ("deeper/b.py", ""), ("deeper/b.py", "ONE = 1\n"), ("a.py", "")]
    hashes = [hash_sources(tmp_path)]
    for name, text in texts:
        (tmp_path / name).write_text(text)
        hashes.append(hash_sources(tmp_path))
    (tmp_path / "a.py").rename(tmp_path / "c.py")
    hashes.append(hash_sources(tmp_path))
    assert len(set(hashes)) == len(hashes)
    (tmp_path / "a.nbc").write_text("compiled")
    assert hash_sources(tmp_path) == hashes[-1]


@pytest.mark.parametrize("share", [0, 0.5])
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_broken_files_are_written_anew(folder, ending, share):
    comes_from_disk(kernel(double))
    (path,) = folder.glob(f"*.{ending}")
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    assert not comes_from_disk(kernel(double))
    assert comes_from_disk(kernel(double))


def test_a_disk_that_fails_later_does_no_harm(folder):
    doubling = kernel(double)
    folder.rmdir()
    folder.write_text("no folder any more")
    assert not comes_from_disk(doubling)


def test_nothing_is_kept_where_nothing_can_be_written(monkeypatch):
    def refuse(**_):
        raise PermissionError

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    doubling = kernel(double)
    assert doubling.stats.cache_path is None
    assert not comes_from_disk(doubling)
