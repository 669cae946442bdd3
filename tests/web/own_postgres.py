"""A PostgreSQL server for one test; skipped where it is not installed."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest


def find_postgres():
    folders = [path.parent for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))]
    found = shutil.which("initdb")
    return folders[-1] if folders else Path(found).parent if found else None


@pytest.fixture
def postgres():
    """A server of its own on a socket in a folder; it may not be run by root, so then by another user."""
    programs = find_postgres()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    folder = Path(tempfile.mkdtemp(prefix="arena-"))  # not below pytest's folders, which only their owner may enter
    as_user = run_as_postgres(folder)
    as_user(programs / "initdb", "-D", folder / "data", "-A", "trust", "-U", "arena", "--no-sync")
    options = f"-k {folder} -c listen_addresses= -c fsync=off"
    as_user(programs / "pg_ctl", "-D", folder / "data", "-o", options, "-l", folder / "log", "-w", "start")
    yield f"postgresql://arena@/postgres?host={folder}"
    as_user(programs / "pg_ctl", "-D", folder / "data", "-m", "immediate", "-w", "stop")
    shutil.rmtree(folder)


def run_as_postgres(folder):
    prefix = []
    if os.getuid() == 0:
        shutil.chown(folder, "postgres")
        prefix = ["runuser", "-u", "postgres", "--"]
    return lambda *words: subprocess.run([*prefix, *map(str, words)], check=True, capture_output=True, cwd="/")
