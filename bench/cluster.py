"""Work on a Ray cluster of a head and two nodes on this machine: what a killed node costs, and what Ray costs beside processes.

python bench/cluster.py match --deals 20000          the same match with and without kill -9 of a node in the middle
python bench/cluster.py generate --games 200000      the same games likewise
python bench/cluster.py overhead --minutes 5         the same work by two processes and by two nodes in turns
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import closing, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from own_ray import OwnRay
from shangyou import games
from shangyou.evaluation.backends import by_name
from shangyou.evaluation.match import Match, evaluate
from shangyou.training.supervised.generate import GenerateGames
from shangyou.workers import Work, do_chunks
from shangyou.workers.cluster import Cluster


@dataclass(frozen=True)
class Noted:
    """Work that notes in a file of each process when it began and ended a chunk."""

    work: Work[Any, Any]
    folder: Path

    @property
    def agents(self) -> Iterable[str]:
        return self.work.agents

    def start(self) -> Callable[[Any], Any]:
        do = self.work.start()

        def noted(chunk: Any) -> Any:
            self.note("began", chunk)
            result = do(chunk)
            self.note("ended", chunk)
            return result

        return noted

    def note(self, what: str, chunk: Any) -> None:
        with (self.folder / str(os.getpid())).open("a") as file:
            file.write(json.dumps([what, str(chunk), time.time()]) + "\n")


class NotedCluster(Cluster):
    def __init__(self, address: str, folder: Path) -> None:
        super().__init__(address)
        self.folder = folder

    def do_chunks(self, work: Any, chunks: Iterable[Any], gpu: bool = False) -> Generator[Any]:
        return super().do_chunks(Noted(work, self.folder), chunks, gpu)


def lost_work(folder: Path, killed: float | None) -> dict[str, Any]:
    """What ran again: chunks that were begun twice, and the seconds their first tries had taken."""
    began: dict[str, list[float]] = {}
    ended: dict[str, list[float]] = {}
    for path in folder.iterdir():
        for line in path.read_text().splitlines():
            what, chunk, at = json.loads(line)
            (began if what == "began" else ended).setdefault(chunk, []).append(at)
    again = [chunk for chunk, times in began.items() if len(times) > 1]
    seconds = sum(min([killed or 0.0, *ended.get(chunk, [])]) - min(began[chunk]) for chunk in again)
    return {"chunks": len(began), "begun again": len(again), "seconds of work lost": round(seconds, 1)}


Make = Callable[[Any, Callable[[int], None]], bytes]
"""Does the work with these workers, says after each result how much is done, and returns the bytes of all results."""


def with_and_without(make: Make, total: int) -> None:
    whole, disturbed = (run_once(make, total, kill) for kill in (False, True))
    assert whole == disturbed, "the results differ"
    print("the same result")


def run_once(make: Make, total: int, kill: bool) -> str:
    """A hash of the result. A node is killed when half of the work is done and both nodes are at work."""
    began = time.perf_counter()
    ray = OwnRay(head=0, nodes=(1, 1))
    started = time.perf_counter() - began
    os.environ.update(ray.environment)
    killed: list[float] = []
    with tempfile.TemporaryDirectory() as folder, closing(ray):
        notes = Path(folder)

        def after_each(done: int) -> None:
            if kill and not killed and 2 * done >= total and len(list(notes.iterdir())) > 1:
                killed.append(time.time())
                ray.kill(2)

        began = time.perf_counter()
        with NotedCluster(ray.address, notes) as cluster:
            connected = time.perf_counter() - began
            digest = sha256(make(cluster, after_each)).hexdigest()[:16]
            shown = {"ray start s": started, "connect s": connected, "seconds": time.perf_counter() - began}
            shown = {name: round(value, 1) for name, value in shown.items()} | {"CPUs at the end": cluster.count}
        lost = lost_work(notes, killed[0] if killed else None)
    print(json.dumps({"killed": len(killed)} | shown | lost | {"result": digest}), flush=True)
    return digest


def match(arguments: argparse.Namespace) -> None:
    game, pair = games.load(arguments.game), (by_name(arguments.agent), by_name("greedy", 1))

    def make(workers: Any, after_each: Callable[[int], None]) -> bytes:
        def report(match: Match) -> None:
            after_each(match.deals)

        played = evaluate(game, *pair, arguments.deals, seed=1, workers=workers, after_each=report)
        print(f"{played.deals:,} deals, won {played.total.win.mean:.4f} ± {played.total.win.half_width:.4f}")
        return played.played.scores.tobytes() + played.played.places.tobytes()

    with_and_without(make, arguments.deals)


def generate(arguments: argparse.Namespace) -> None:
    work = GenerateGames(games.load(arguments.game), arguments.agent, 0.02, seed=1, device="cpu")

    def make(workers: Any, after_each: Callable[[int], None]) -> bytes:
        digest, done = sha256(), 0
        with closing(do_chunks(work, work.chunks(range(arguments.games)), workers)) as results:
            for columns in results:
                digest.update(columns.plays.values.tobytes() + columns.scores.tobytes())
                done += len(columns)
                after_each(done)
        print(f"{done:,} games")
        return digest.digest()

    with_and_without(make, arguments.games)


@dataclass(frozen=True)
class Timed(Noted):
    """Work that notes the CPU seconds of each chunk."""

    def start(self) -> Callable[[Any], Any]:
        do = self.work.start()

        def timed(chunk: Any) -> Any:
            before = time.process_time()
            result = do(chunk)
            with (self.folder / str(os.getpid())).open("a") as file:
                file.write(f"{time.process_time() - before}\n")
            return result

        return timed

    def seconds(self) -> float:
        return sum(float(line) for path in self.folder.iterdir() for line in path.read_text().splitlines())


def overhead(arguments: argparse.Namespace) -> None:
    """Slices of the same work in turns, so that whatever else this machine does falls on both. What counts is CPU seconds:
    those of all processes that take part, Ray's own too, beyond those of the work itself."""
    work = GenerateGames(games.load(arguments.game), arguments.agent, 0.02, seed=1, device="cpu")
    total = {kind: dict.fromkeys(("start s", "wall s", "CPU s", "work s"), 0.0) for kind in ("processes", "ray")}
    with closing(OwnRay(head=0, nodes=(1, 1))) as ray:
        os.environ.update(ray.environment)
        number, size = 0, arguments.slice
        while total["ray"]["wall s"] < 60 * arguments.minutes:
            chunks = work.chunks(range(number * size, (number + 1) * size))
            for kind in ("processes", "ray") if number % 2 else ("ray", "processes"):
                for name, value in zip(total[kind], one_slice(work, chunks, ray if kind == "ray" else None), strict=True):
                    total[kind][name] = round(total[kind][name] + value, 2)
            number += 1
            found = {kind: round(sums["CPU s"] / sums["work s"] - 1, 4) for kind, sums in total.items()}
            print(json.dumps({"games each": number * size, **total, "beyond the work": found}), flush=True)


def one_slice(work: Any, chunks: list[range], ray: OwnRay | None) -> tuple[float, float, float, float]:
    """Seconds until both workers have a result; from then to the last but four: wall clock, CPU seconds, those of the work."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        timed, cluster = Timed(work, Path(folder)), Cluster(ray.address) if ray else None
        try:
            with closing(do_chunks(timed, chunks, cluster or 2)) as results:
                taken = 0
                while len(list(Path(folder).iterdir())) < 2:
                    next(results)
                    taken += 1
                first, cpu, done = time.perf_counter(), cpu_seconds(ray), timed.seconds()
                for _ in range(len(chunks) - taken - 4):
                    next(results)
                return first - began, time.perf_counter() - first, cpu_seconds(ray) - cpu, timed.seconds() - done
        finally:
            if cluster:
                cluster.close()


def cpu_seconds(ray: OwnRay | None) -> float:
    """Of this process and its workers: its children, or all of the cluster's."""
    own = psutil.Process()
    others = [number for node in range(3) for number in ray.processes(node)] if ray else [one.pid for one in own.children(True)]
    total = 0.0
    for number in (own.pid, *others):
        with suppress(psutil.NoSuchProcess):
            times = psutil.Process(number).cpu_times()
            total += times.user + times.system
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["match", "generate", "overhead"])
    parser.add_argument("--game", default="zsy2")
    parser.add_argument("--agent", default="champion/zsy2")
    parser.add_argument("--deals", type=int, default=20_000)
    parser.add_argument("--games", type=int, default=200_000)
    parser.add_argument("--minutes", type=float, default=5.0, help="of work on the cluster, and as much by processes")
    parser.add_argument("--slice", type=int, default=49_152, help="games by the one before the other has as many")
    arguments = parser.parse_args()
    {"match": match, "generate": generate, "overhead": overhead}[arguments.what](arguments)


if __name__ == "__main__":
    main()
