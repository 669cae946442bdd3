import pytest

from web.arena_client import arena
from web.own_postgres import postgres, postgres_server  # noqa: F401 (fixtures)


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """One server for the tests of a module."""
    with arena(tmp_path_factory.mktemp("arena") / "arena.db") as running:
        yield running
