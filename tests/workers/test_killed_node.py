"""A node of a cluster is killed in the middle of work; by itself, since a process is connected to one cluster at a time."""

import os
from contextlib import closing

import pytest

from own_ray import OwnRay
from shangyou.workers import do_chunks
from shangyou.workers.cluster import Cluster
from workers.notes import Notes


@pytest.mark.skipif(os.environ.get("SHANGYOU_ALL") != "1", reason="SHANGYOU_ALL=1: a cluster of three nodes")
def test_a_killed_node_changes_nothing(tmp_path, monkeypatch):
    ray = OwnRay(head=0, nodes=(1, 1))
    try:
        for name, value in ray.environment.items():
            monkeypatch.setenv(name, value)
        work = Notes(tmp_path, seconds=0.2)
        with Cluster(ray.address) as connected, closing(do_chunks(work, range(60), connected)) as results:
            found = [next(results) for _ in range(20)]
            ray.kill(2)
            found += results
        assert found == [chunk * chunk for chunk in range(60)]
        assert 60 <= len(list(tmp_path.iterdir())) <= 70  # those that were lost were begun twice
    finally:
        ray.close()
