"""The load test itself: a few tables for a moment, nothing lost."""

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[2] / "bench" / "web_load.py"


def run(*words):
    done = subprocess.run([sys.executable, str(BENCH), *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_little_load():
    report = run("--tables", "6", "--minutes", "0.02", "--pace", "0", "--think", "0", "--asleep", "3")
    assert (report["errors"], report["lost"]) == (0, 0), report
    assert report["games"] >= 6
    assert report["agent_moves"] > 20
    assert report["clocks_run_out"] == report["clocks_wanted"] >= 2
    assert 0 <= report["clock_late_ms"] < 5000
    assert 0 < report["p50_ms"] <= report["p95_ms"] <= report["p99_ms"]
    assert all(megabytes[0] > 50 for megabytes in report["megabytes"].values())


def test_a_little_load_at_two_processes_of_which_one_is_killed(postgres):
    words = [
        "--tables",
        "6",
        "--minutes",
        "0.1",
        "--pace",
        "20",
        "--think",
        "0.05",
        "--asleep",
        "6",
        "--processes",
        "2",
        "--kill",
    ]
    report = run(*words, "--database", postgres)
    counted = ("errors", "lost", "actions_lost", "actions_twice", "ratings_wrong")
    assert {name: report[name] for name in counted} == dict.fromkeys(counted, 0), report
    assert report["games"] >= 6
    assert report["actions"] > 200
    assert report["megabytes"]["end"][0] == 0 < report["megabytes"]["end"][1]
    assert report["lines_broken"]
    assert report["clocks_run_out"] == report["clocks_wanted"] >= 1
