"""Three nodes of one cluster, with users whose homes are at different ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.cuts import Cut
from tests.cluster.engine import Engine
from tests.cluster.nodes import Cluster
from tests.cluster.together.trio import Trio


@pytest.fixture
def trio(postgres: Engine, tmp_path: Path) -> Iterator[Trio]:
    """Three nodes that a test may end."""
    yield from _trio(postgres, tmp_path)


@pytest.fixture(scope="module")
def lasting(postgres: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trio]:
    """Three nodes that the tests of a module share, and leave as they are."""
    yield from _trio(postgres, tmp_path_factory.mktemp("trio"))


@pytest.fixture
def balancer() -> Iterator[Cut]:
    """What is in front of the nodes: it leads to the one that a test tells."""
    with Cut() as cut:
        yield cut


def _trio(postgres: Engine, folder: Path) -> Iterator[Trio]:
    database = postgres.create_database()
    cluster = Cluster(postgres, database, folder)
    try:
        yield Trio(cluster)
    finally:
        cluster.close()
        postgres.drop_database(database)
