"""The PostgreSQL of the tests keeps what it has acknowledged."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from tests.cluster.engine import Engine


@pytest.fixture
def name(database: str) -> str:
    """The name of an empty database."""
    return urlsplit(database).path.removeprefix("/")


def test_databases_are_empty(postgres: Engine, name: str) -> None:
    tables = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'"
    assert postgres.sql(tables, database=name) == "0"


def test_writes_are_synced_before_they_are_acknowledged(postgres: Engine, name: str) -> None:
    settings = "SELECT current_setting('fsync'), current_setting('synchronous_commit')"
    assert postgres.sql(settings, database=name) == "on\ton"


def test_acknowledged_writes_survive_a_kill(postgres: Engine, name: str) -> None:
    postgres.sql("CREATE TABLE t (n int)", "INSERT INTO t VALUES (42)", database=name)
    postgres.kill()
    assert not postgres.is_running()
    postgres.start()
    assert postgres.sql("SELECT n FROM t", database=name) == "42"


def test_failed_statements_are_told(postgres: Engine, name: str) -> None:
    with pytest.raises(AssertionError, match="does not exist"):
        postgres.sql("SELECT * FROM absent", database=name)
