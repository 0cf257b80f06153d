"""Claims: a home has one owner at a time, whoever asks at the same moment."""

from __future__ import annotations

import asyncio

import pytest

from stringd.plugin import StorageFailed
from stringd_cluster.homes.home_claim import claim, give_up, look_up, ordered_away, waiting_for_an_owner
from stringd_cluster.homes.home_errors import HomeTaken
from tests.cluster.homes.home_tables import STALE_SECONDS, claimers, run

_LONGEST_NAME = 63


@pytest.mark.requirement("cluster.homes.one_owner")
def test_of_many_claims_at_once_one_wins(database: str) -> None:
    async def test() -> None:
        async with claimers(database) as nodes:
            rivals = [await nodes.node(f"n{number}") for number in range(6)]
            for user in ("ann", "bob", "cho"):
                claims = (it.claim(user) for it in rivals for _ in range(3))
                results = await asyncio.gather(*claims, return_exceptions=True)
                epochs = [it for it in results if isinstance(it, int)]
                owner = (await look_up(rivals[0].pool, user)).owner
                # The owner may claim it again: each claim has its own epoch.
                assert epochs
                assert len(set(epochs)) == len(epochs)
                assert {it.id for it in rivals if it.homes.get(user)} == {owner}
                assert all(isinstance(it, int | HomeTaken) for it in results)

    run(test)


@pytest.mark.requirement("cluster.homes.lease")
def test_a_home_is_kept_as_long_as_the_lease_of_its_owner(database: str) -> None:
    async def test() -> None:
        async with claimers(database) as nodes:
            old, new = await nodes.node("old"), await nodes.node("new")
            assert await old.claim("ann") == 1
            with pytest.raises(HomeTaken):
                await new.claim("ann")
            await old.expire()
            assert await new.claim("ann") == 2
            await old.reconnect()
            with pytest.raises(HomeTaken):
                await old.claim("ann")

    run(test)


@pytest.mark.requirement("cluster.homes.ended_connections")
@pytest.mark.parametrize("name", ["old", "o" * _LONGEST_NAME])
def test_a_claim_ends_the_connections_of_the_node_before(database: str, name: str) -> None:
    async def test() -> None:
        async with claimers(database) as nodes:
            old, new = await nodes.node(name), await nodes.node("new")
            epochs = [await old.claim("ann")]

            async def write_meanwhile() -> None:
                async with old.homes.fenced("ann") as connection:
                    await connection.execute("INSERT INTO sessions VALUES ('ann', 'file:a', '{}')")
                    await old.expire(new.pool)
                    # A transaction of a node that may never go on holds nobody up.
                    epochs.append(await asyncio.wait_for(new.claim("ann"), STALE_SECONDS / 2))

            with pytest.raises(StorageFailed):
                await write_meanwhile()
            assert epochs == [1, 2]
            assert await new.pool.fetch("SELECT 1 FROM sessions") == []

    run(test)


@pytest.mark.requirement("cluster.homes.release")
def test_a_home_that_was_given_up_is_free_at_once(database: str) -> None:
    async def test() -> None:
        async with claimers(database) as nodes:
            old, new = await nodes.node("old"), await nodes.node("new")
            epoch = await old.claim("ann")
            await give_up(old.pool, "ann", old.id, epoch - 1)
            assert (await look_up(old.pool, "ann")).owner == old.id
            await give_up(old.pool, "ann", old.id, epoch)
            assert await new.claim("ann") == epoch + 1
            # What the old owner gives up late is not its own any more.
            await give_up(old.pool, "ann", old.id, epoch)
            assert (await look_up(old.pool, "ann")).owner == new.id

    run(test)


@pytest.mark.requirement("cluster.homes.draining")
def test_a_draining_or_unknown_node_claims_nothing(database: str) -> None:
    async def test() -> None:
        async with claimers(database) as nodes:
            node = await nodes.node("n", is_draining=True)
            with pytest.raises(HomeTaken):
                await node.claim("ann")
            with pytest.raises(HomeTaken):
                await claim(node.pool, "ann", "stranger-1")
            assert (await look_up(node.pool, "ann")).is_free

    run(test)


@pytest.mark.requirement("cluster.homes.pinned")
def test_a_label_admits_nodes_that_have_it_or_are_named_so(database: str) -> None:
    async def test() -> None:
        async with claimers(database) as nodes:
            plain, labelled = await nodes.node("plain"), await nodes.node("other", labels=frozenset({"gpu"}))
            await plain.pool.execute("INSERT INTO homes (id, label) VALUES ('ann', 'gpu'), ('bob', 'plain')")
            with pytest.raises(HomeTaken):
                await plain.claim("ann")
            with pytest.raises(HomeTaken):
                await labelled.claim("bob")
            assert await labelled.claim("ann") == 1
            assert await plain.claim("bob") == 1

    run(test)


@pytest.mark.requirement("cluster.homes.local")
def test_a_home_on_a_local_disk_stays_with_its_first_node(database: str) -> None:
    async def test() -> None:
        async with claimers(database, policy="local") as nodes:
            first, other = await nodes.node("first"), await nodes.node("other")
            await first.claim("ann")
            await first.expire()
            with pytest.raises(HomeTaken):
                await other.claim("ann")
            home = await look_up(other.pool, "ann")
            assert (home.label, home.is_free) == ("first", True)

    run(test)


@pytest.mark.requirement("cluster.homes.orders")
def test_orders_name_the_homes_to_pass_on(database: str) -> None:
    async def test() -> None:
        async with claimers(database) as nodes:
            here, there = await nodes.node("here"), await nodes.node("there", labels=frozenset({"gpu"}))
            for user in ("stays", "moved", "moved-nowhere", "pinned", "pinned-here", "lost"):
                await here.claim(user)
            await here.pool.execute("UPDATE homes SET moved_to = 'there' WHERE id = 'moved'")
            await here.pool.execute("UPDATE homes SET moved_to = 'nobody' WHERE id = 'moved-nowhere'")
            await here.pool.execute("UPDATE homes SET label = 'gpu' WHERE id = 'pinned'")
            await here.pool.execute("UPDATE homes SET label = 'here' WHERE id = 'pinned-here'")
            await here.pool.execute("UPDATE homes SET label = 'gone' WHERE id = 'lost'")
            assert sorted(await ordered_away(here.pool, here.id)) == ["lost", "moved", "pinned"]
            await here.pool.execute("UPDATE nodes SET is_draining = true WHERE id = $1", here.id)
            assert len(await ordered_away(here.pool, here.id)) == 6
            await there.expire()
            await here.pool.execute("UPDATE nodes SET is_draining = false WHERE id = $1", here.id)
            assert sorted(await ordered_away(here.pool, here.id)) == ["lost", "pinned"]

    run(test)


@pytest.mark.requirement("cluster.homes.unfinished")
def test_homes_with_unfinished_logs_and_no_owner_are_found(database: str) -> None:
    async def test() -> None:
        async with claimers(database) as nodes:
            node, other = await nodes.node("node"), await nodes.node("other")
            add = "INSERT INTO logs (name, user_id, is_over) VALUES ($1, $2, $3)"
            for user, is_over in (("ann", False), ("bob", True), ("cho", False), ("dan", False)):
                await node.pool.execute(add, f"run-{user}", user, is_over)
            await other.claim("ann")
            await node.claim("cho")
            await other.expire()
            assert sorted(await waiting_for_an_owner(node.pool)) == ["ann", "dan"]

    run(test)


@pytest.mark.requirement("cluster.lease.expired")
def test_nodes_that_were_killed_long_ago_are_forgotten_when_another_joins(database: str) -> None:
    async def test() -> None:
        async with claimers(database) as nodes:
            killed = await nodes.node("killed")
            await killed.pool.execute("UPDATE nodes SET expires = clock_timestamp() - interval '2 days'")
            node = await nodes.node("node")
            assert [it["id"] for it in await node.pool.fetch("SELECT id FROM nodes")] == [node.id]

    run(test)
