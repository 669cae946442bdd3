"""Training by processes of a Ray cluster: the weights that `torchrun` gives, and nothing lost with a process but time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from own_ray import OwnRay
from shangyou.games import BadInput
from shangyou.records.cluster_runs import train_on_cluster
from shangyou.records.remote_runs import RemoteRunFolder, open_run
from shangyou.records.runs import RunFolder
from shangyou.training.algorithm import start
from shangyou.workers.cluster import Cluster
from workers.ranks import RUN

ALL = os.environ.get("SHANGYOU_ALL") == "1"  # make test-all
slow = pytest.mark.skipif(not ALL, reason="SHANGYOU_ALL=1: Ray Train and torchrun, many processes each")
TESTS = Path(__file__).parents[1]
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:ray.*")  # of Ray about itself


@pytest.fixture(scope="module")
def cluster():
    ray = OwnRay(head=3)
    before = dict(os.environ)
    os.environ.update(ray.environment)
    with Cluster(ray.address) as connected:
        connected.own = ray
        yield connected
    os.environ.clear()
    os.environ.update(before)
    ray.close()


def torchrun(ranks, folder):
    words = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks)]
    path = os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])
    environment = os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    found = subprocess.run(
        [*words, str(TESTS / "workers" / "ranks.py"), str(folder)], env=environment, capture_output=True, text=True, timeout=600
    )
    assert found.returncode == 0, found.stderr[-2000:]
    return RunFolder(folder).resume()


def same(one, other):
    return all(torch.equal(one["net"][name], other["net"][name]) for name in one["net"])


@slow
@pytest.mark.parametrize("ranks", [2, 3])
def test_the_same_ranks_learn_the_same_weights(cluster, tmp_path, ranks):
    told = []
    train_on_cluster(cluster, "dmc", RUN, tmp_path / "ray", ranks, told.append)
    there, here = RunFolder(tmp_path / "ray").resume(), torchrun(ranks, tmp_path / "torchrun")
    assert same(there, here)
    assert there["progress"]["games"] == here["progress"]["games"] == RUN.batches * RUN.batch * ranks
    assert told[-1].iterations == RUN.batches


@slow
def test_a_killed_process_brings_the_run_back_by_itself(cluster, tmp_path):
    args = replace(RUN, batches=30)  # some seconds, so that it is not over before it is looked at
    train_on_cluster(cluster, "dmc", args, tmp_path / "whole", 2)
    killed = []

    def kill_one(progress):
        if progress.iterations >= 3 and not killed:
            killed.extend(training_processes(cluster.own)[-1:])
            for process in killed:
                os.kill(process, signal.SIGKILL)

    train_on_cluster(cluster, "dmc", replace(args, checkpoint_seconds=0.0), tmp_path / "killed", 2, kill_one)
    assert killed
    whole, again = (RunFolder(tmp_path / name).resume() for name in ("whole", "killed"))
    assert again["progress"]["iterations"] == 30
    assert same(whole, again)


def training_processes(ray):
    found = []
    for process in ray.processes(0):
        with suppress(OSError):
            if b"RayTrainWorker" in Path(f"/proc/{process}/cmdline").read_bytes():
                found.append(process)
    return found


@slow
def test_more_processes_than_there_are_is_refused(cluster, tmp_path):
    with pytest.raises(BadInput, match="processes 9: the cluster has 3 CPUs"):
        train_on_cluster(cluster, "dmc", RUN, tmp_path, 9)


# -- runs at a URI ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["file", "memory"])
def test_a_run_at_a_uri_goes_on(scheme, tmp_path):
    """pyarrow's own filesystem, and one of fsspec's."""
    uri = f"{scheme}://{tmp_path}/run"
    assert not open_run(uri).exists
    net = start("dmc", replace(RUN, batches=2), open_run(uri))
    folder = open_run(uri)
    stored = folder.resume()
    assert all(torch.equal(stored["net"][name], weight) for name, weight in net.state_dict().items())
    start("dmc", replace(RUN, batches=3), folder, resumed=stored)
    again = RemoteRunFolder(uri)
    assert again.resume()["progress"]["iterations"] == 3
    assert [point["iterations"] for point in again.read_curve()] == [0, 2, 3]
    names = {info.base_name for info in again.files.get_file_info(selector(again.root))}
    assert names == {"checkpoint.pt", "args.json", "curve.jsonl", "half.pt"}


def selector(root):
    from pyarrow.fs import FileSelector

    return FileSelector(root)


def test_a_uri_that_nobody_knows_is_refused():
    with pytest.raises(BadInput, match="abacus://run: no filesystem is known by this name"):
        open_run("abacus://run")
