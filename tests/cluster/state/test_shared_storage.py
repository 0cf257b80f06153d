"""The storage of plugins that all nodes share."""

from __future__ import annotations

import pytest

from stringd.api.storage import PluginStorage
from stringd.plugin import StorageFailed
from stringd.plugin.stores import LocalStorages
from stringd_cluster.stores.storage_table import StorageTable
from tests.cluster.access_tables import make_tables, run
from tests.cluster.state.homes import StoringNode, node

_END = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1"


def storage_of(here: StoringNode) -> PluginStorage:
    return LocalStorages(print, lambda plugin: StorageTable(here.pool, plugin)).of("app")


@pytest.mark.requirement("cluster.storage.locked")
def test_a_transaction_that_loses_its_lock_stores_nothing(database: str) -> None:
    async def test() -> None:
        await make_tables(database)
        async with node(database, "here") as here, node(database, "there") as there:
            mine, theirs = storage_of(here), storage_of(there)

            async def change() -> None:
                async with mine.transaction() as entries:
                    await entries.set("key", "mine")
                    await there.pool.execute(_END, "stringd here")
                    await theirs.set("key", "theirs")

            with pytest.raises(StorageFailed):
                await change()
            assert await mine.get("key") == await theirs.get("key") == "theirs"

    run(test)
