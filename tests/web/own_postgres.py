"""A PostgreSQL server for the tests of a process, with a new database for each test.

`make test` installs PostgreSQL and says that the tests must not go without it; else they are skipped where it is missing.
"""

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

REQUIRED = os.environ.get("SHANGYOU_POSTGRES") == "required"
SETTINGS = "-c listen_addresses= -c fsync=off -c max_connections=200"
numbers = count(1)


def find_postgres():
    folders = [path.parent for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))]
    found = shutil.which("initdb")
    return folders[-1] if folders else Path(found).parent if found else None


@contextmanager
def own_postgres(settings=SETTINGS):
    """The URL of a server on a socket in a folder, without the name of a database; another user runs it if this one is root."""
    programs = find_postgres()
    folder = Path(tempfile.mkdtemp(prefix="arena-"))  # not below pytest's folders, which only their owner may enter
    as_user = run_as_postgres(folder)
    as_user(programs / "initdb", "-D", folder / "data", "-A", "trust", "-U", "arena", "--no-sync", "--encoding=UTF8")
    as_user(programs / "pg_ctl", "-D", folder / "data", "-o", f"-k {folder} {settings}", "-l", folder / "log", "-w", "start")
    try:
        yield lambda name: f"postgresql://arena@/{name}?host={folder}"
    finally:
        as_user(programs / "pg_ctl", "-D", folder / "data", "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres_server():
    if find_postgres() is None:
        assert not REQUIRED, "PostgreSQL is not installed: `make postgres` does it"
        pytest.skip("PostgreSQL is not installed")
    with own_postgres() as url_of:
        yield url_of


@pytest.fixture
def postgres(postgres_server):
    """The URL of an empty database."""
    import psycopg

    name = f"test{next(numbers)}"
    with psycopg.connect(postgres_server("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgres_server(name)


def run_as_postgres(folder):
    prefix = []
    if os.getuid() == 0:
        shutil.chown(folder, "postgres")
        prefix = ["runuser", "-u", "postgres", "--"]
    return lambda *words: subprocess.run([*prefix, *map(str, words)], check=True, capture_output=True, cwd="/")
