"""How many requests of each topic the database keeps."""

from __future__ import annotations

import pytest

from stringd.plugin.stores import OutcomeUnknown
from stringd_cluster.stores.request_table import MOST_OF_TOPIC, RequestTable
from tests.cluster.access_tables import make_tables, run
from tests.cluster.state.homes import node
from tests.cluster.test_output_index import topic

_MORE = 400
_COUNTS = "SELECT count(*) AS kept FROM requests GROUP BY topic"


@pytest.mark.requirement("requests.bounded")
def test_of_each_topic_some_requests_are_kept(database: str) -> None:
    async def test() -> None:
        await make_tables(database)
        async with node(database) as here:
            await here.take("ann")
            requests = RequestTable(here.pool, here.homes)
            for number in range(MOST_OF_TOPIC + _MORE):
                for name in ("a", "b"):
                    assert await requests.begin(topic(name), str(number)) is None
            kept = [it["kept"] for it in await here.pool.fetch(_COUNTS)]
            assert all(MOST_OF_TOPIC <= it < MOST_OF_TOPIC + _MORE for it in kept), kept

    run(test)


@pytest.mark.requirement("requests.once")
@pytest.mark.parametrize("request_id", ["x" * 100_000, "a\0b", "a\ud800"])
def test_any_text_is_the_id_of_a_request(database: str, request_id: str) -> None:
    async def test() -> None:
        await make_tables(database)
        async with node(database) as here:
            await here.take("ann")
            requests = RequestTable(here.pool, here.homes)
            assert await requests.begin(topic(), request_id) is None
            with pytest.raises(OutcomeUnknown):
                await requests.begin(topic(), request_id)
            await requests.abandon(topic(), request_id)
            assert await requests.begin(topic(), request_id) is None

    run(test)
