"""The load test itself: a few tables for a moment, nothing lost."""

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[2] / "bench" / "web_load.py"


def test_a_little_load():
    words = [sys.executable, str(BENCH), "--tables", "6", "--minutes", "0.02", "--pace", "0", "--think", "0"]
    told = json.loads(subprocess.run(words, capture_output=True, text=True, check=True, timeout=120).stdout)
    assert (told["errors"], told["lost"]) == (0, 0), told
    assert told["games"] >= 6
    assert told["agent_moves"] > 20
    assert 0 < told["p50_ms"] <= told["p95_ms"] <= told["p99_ms"]
    assert all(megabytes > 50 for megabytes in told["megabytes"].values())
