"""Work on a Ray cluster: the same results as in this process, whatever is lost; errors that say what is wrong."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from contextlib import closing
from functools import partial
from io import StringIO

import pexpect
import pytest
from rich.console import Console

from cli.running import run
from own_ray import OwnRay
from shangyou import games
from shangyou.evaluation.backends import by_name
from shangyou.evaluation.match import evaluate
from shangyou.evaluation.simulate import simulate
from shangyou.evaluation.tournament import play_tournament
from shangyou.games import BadInput
from shangyou.lab.side_by_side import make_side_by_side
from shangyou.lab.stages import ZSY2, Context
from shangyou.workers import cluster as clusters
from shangyou.workers import do_chunks
from shangyou.workers.cluster import CHUNKS_AHEAD, Cluster
from terminals import spawn
from tiny_models import write_tiny
from workers.notes import Notes

ALL = os.environ.get("SHANGYOU_ALL") == "1"  # make test-all


@pytest.fixture(scope="module")
def own():
    ray = OwnRay(head=2)
    before = dict(os.environ)
    os.environ.update(ray.environment)
    yield ray
    os.environ.clear()
    os.environ.update(before)
    ray.close()


@pytest.fixture(scope="module")
def cluster(own):
    with Cluster(own.address) as connected:
        yield connected


def test_a_killed_worker_costs_its_chunk_and_nothing_counts_twice(cluster, tmp_path):
    with closing(do_chunks(Notes(tmp_path, killed=(3, 7)), range(12), cluster)) as results:
        assert list(results) == [chunk * chunk for chunk in range(12)]
    begun = [path.name.split("-")[0] for path in tmp_path.iterdir()]
    assert {chunk: begun.count(chunk) for chunk in ("3", "5", "7")} == {"3": 2, "5": 1, "7": 2}


def test_what_the_work_raises_is_raised_here(cluster, tmp_path):
    results = do_chunks(Notes(tmp_path, refused=2), range(5), cluster)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(BadInput, match=r"^chunk 2 is refused$"):
        next(results)


def test_of_what_is_not_asked_for_any_more_only_a_few_chunks_are_done(cluster, tmp_path):
    with closing(do_chunks(Notes(tmp_path, seconds=0.1), range(1000), cluster)) as results:
        assert next(results) == 0
    time.sleep(3)  # 10 chunks on 2 CPUs
    begun = len(list(tmp_path.iterdir()))
    time.sleep(0.5)
    assert len(list(tmp_path.iterdir())) == begun <= 2 + CHUNKS_AHEAD * cluster.count


def test_matches_tournaments_and_simulations_are_the_same_as_here(cluster):
    game, (greedy, random) = games.load("zsy2", cards_each=6), [by_name(name, 1) for name in ("greedy", "random")]
    match = [evaluate(game, greedy, random, 600, seed=3, workers=where) for where in (1, cluster)]
    assert match[0].total == match[1].total
    assert match[0].played.scores.tobytes() == match[1].played.scores.tobytes()
    tournaments = [play_tournament(game, [greedy, random], 150, seed=3, workers=where) for where in (1, cluster)]
    assert tournaments[0].ratings() == tournaments[1].ratings()
    bidding = games.load("doudizhu", bidding=True)
    simulations = [simulate(bidding, [greedy] * 3, 300, seed=3, workers=where) for where in (1, cluster)]
    assert simulations[0] == simulations[1]
    assert simulations[0].bids["greedy"].tolist() == simulations[1].bids["greedy"].tolist()


def test_a_model_travels_with_the_work(cluster, tmp_path, monkeypatch):
    """The nodes were started without the folder it is in."""
    game = games.load("zsy2", cards_each=6)
    monkeypatch.setenv("SHANGYOU_MODELS", str(tmp_path))
    write_tiny(tmp_path, "zsy2", cards_each=6)
    (tmp_path / "zsy2.onnx").rename(tmp_path / "mine.onnx")
    pair = by_name("mean:mine,mine"), by_name("random", 1)
    there, here = (evaluate(game, *pair, 20, seed=3, workers=where) for where in (cluster, 1))
    assert there.total == here.total


def stage_of(ctx, name):
    return ctx.stage(name, {"of": name}, lambda: {"name": name, "process": os.getpid()})


def test_stages_of_an_experiment_are_made_by_the_cluster_and_found_here(cluster, tmp_path):
    ctx = Context(ZSY2, "smoke", 0, "cpu", tmp_path, Console(file=StringIO()))
    waves = [[partial(stage_of, name="a")], [partial(stage_of, name="b"), partial(stage_of, name="c")]]
    make_side_by_side(waves, ZSY2, ctx, cluster)
    found = [stage_of(ctx, name) for name in "abc"]
    assert [stage["name"] for stage in found] == ["a", "b", "c"]
    assert os.getpid() not in {stage["process"] for stage in found}
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"a.pt", "b.pt", "c.pt"}


def test_other_sources_on_a_node_are_refused(cluster, tmp_path, monkeypatch):
    theirs = {**clusters.versions(), "shangyou": "99", "numpy": "1"}
    monkeypatch.setattr(clusters, "versions", lambda: theirs)
    with pytest.raises(BadInput, match=r"node 127.0.0.2 of the Ray cluster has shangyou .* not 99; numpy .* not 1"):
        list(do_chunks(Notes(tmp_path), range(2), cluster))


def test_a_dataset_of_the_cluster_is_that_of_one_process(own, tmp_path):
    """The command, as a process of its own."""
    words = ["record", "generate", "zsy2", "--games", "600", "--temperature", "0.02", "--device", "cpu", "--partition", "256"]
    command = [sys.executable, "-m", "shangyou", *words, "--out", str(tmp_path / "there"), "--ray", own.address]
    assert subprocess.run(command, capture_output=True, text=True, timeout=300).returncode == 0
    run(*words, "--out", str(tmp_path / "here"))
    there, here = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("there", "here"))
    assert there == here
    assert sorted(here) == ["manifest.json", *(f"part-{first:012}.parquet" for first in (0, 256, 512))]


# -- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["somewhere", "ray://127.0.0.1:10001", "127.0.0.1:x", ":6379"])
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(BadInput, match="write auto or HOST:PORT"):
        Cluster(address)


def test_nobody_there_is_said_within_seconds():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        with pytest.raises(BadInput, match=rf"Ray cluster 127.0.0.1:{port} does not answer"):
            Cluster(f"127.0.0.1:{port}")


def test_another_server_is_not_taken_for_ray():
    with socket.create_server(("127.0.0.1", 0)) as server:
        from threading import Thread

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(100)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = Thread(target=answer)
        thread.start()
        with pytest.raises(BadInput, match="what answers there is not Ray"):
            Cluster(f"127.0.0.1:{server.getsockname()[1]}")
        thread.join()


def test_without_ray_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BadInput, match=r"needs ray: pip install shangyou\[cluster\]"):
        Cluster("auto")


def test_workers_and_a_cluster_together_are_refused():
    asked = run("match", "zsy2", "greedy", "random", "--workers", "2", "--ray", "auto", code=2)
    assert "--workers 2: on a Ray cluster (--ray auto) there is one for each of its CPUs" in asked.stderr


# -- make test-all ----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not ALL, reason="SHANGYOU_ALL=1: a terminal")
def test_ctrl_c_shows_the_deals_so_far(own):
    words = "match", "zsy2", "greedy", "random", "--deals", "1000000", "--ray", own.address
    terminal = spawn(*words, term="xterm", columns=120, more=own.environment)
    terminal.expect(r"[1-9]\d*/1000000", timeout=300)
    terminal.sendintr()
    terminal.expect("zsy2, .*[1-9]\\d* deals")
    terminal.expect("won by equals")
    terminal.expect(pexpect.EOF)
    assert "Traceback" not in terminal.before
    terminal.close()
    assert terminal.exitstatus == 0
