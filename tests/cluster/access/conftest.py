"""A node that tests of one module share, with the users ann and bob."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.access.door_client import Doorstep
from tests.cluster.engine import Engine
from tests.cluster.nodes import Cluster


@pytest.fixture(scope="module")
def door(postgres: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doorstep]:
    """A node with two users."""
    database = postgres.create_database()
    cluster = Cluster(postgres, database, tmp_path_factory.mktemp("door"))
    try:
        node = cluster.node("one", operator=True)
        for user in ("ann", "bob"):
            cluster.register(user)
        yield Doorstep(cluster, node)
    finally:
        cluster.close()
        postgres.drop_database(database)
