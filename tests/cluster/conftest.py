"""Fixtures of the tests of clusters: a PostgreSQL, databases, and proxies that can be cut."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cluster.cuts import Cut, Target
from tests.cluster.engine import Engine, find_programs
from tests.cluster.nodes import Cluster

_ABSENT = "PostgreSQL is not installed: apt-get install postgresql, as .ci/debian does"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Engine]:
    """A running PostgreSQL that the tests of this process share; a test that ends it restarts it."""
    programs = find_programs()
    if programs is None:
        assert not os.environ.get("CI"), _ABSENT
        pytest.skip(_ABSENT)
    engine = Engine(programs)
    try:
        engine.start()
        yield engine
    finally:
        engine.close()


@pytest.fixture
def database(postgres: Engine) -> Iterator[str]:
    """The URL of an empty database."""
    name = postgres.create_database()
    yield postgres.url(name)
    postgres.drop_database(name)


@pytest.fixture
def cluster(postgres: Engine, tmp_path: Path) -> Iterator[Cluster]:
    """A cluster without nodes, which a test adds: they end with it."""
    database = postgres.create_database()
    cluster = Cluster(postgres, database, tmp_path)
    yield cluster
    cluster.close()
    postgres.drop_database(database)


@pytest.fixture
def cut() -> Iterator[Callable[[Target | None], Cut]]:
    """Return a function that makes proxies, which end with the test."""
    made: list[Cut] = []

    def make(target: Target | None) -> Cut:
        made.append(Cut(target))
        return made[-1]

    yield make
    for it in made:
        it.close()
