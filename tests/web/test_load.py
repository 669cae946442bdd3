"""The load test itself: a few tables for a moment, nothing lost."""

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[2] / "bench" / "web_load.py"


def test_a_little_load():
    words = [sys.executable, str(BENCH), "--tables", "6", "--minutes", "0.02", "--pace", "0", "--think", "0", "--asleep", "3"]
    report = json.loads(subprocess.run(words, capture_output=True, text=True, check=True, timeout=120).stdout)
    assert (report["errors"], report["lost"]) == (0, 0), report
    assert report["games"] >= 6
    assert report["agent_moves"] > 20
    assert report["clocks_run_out"] == report["clocks_wanted"] >= 2
    assert 0 <= report["clock_late_ms"] < 5000
    assert 0 < report["p50_ms"] <= report["p95_ms"] <= report["p99_ms"]
    assert all(megabytes > 50 for megabytes in report["megabytes"].values())
