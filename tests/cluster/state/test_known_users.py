"""Users and secrets that a node reads while it reads or stores others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from stringd.api.secrets import PluginSecret
from stringd.plugin import SecretScope
from stringd_cluster.engine.notifications import Notifications
from stringd_cluster.stores.secret_table import FOR_ALL, SecretTable
from stringd_cluster.stores.user_table import UserTable
from tests.cluster.access_tables import make_tables, run
from tests.cluster.cuts import Cut, Target
from tests.cluster.engine import Engine
from tests.cluster.state.homes import node
from tests.protocol.waits import INTERVAL

USERS = [f"user-{number}" for number in range(20)]
_ADD = "INSERT INTO users (id, home, allowed_paths, created_at) VALUES ($1, '/', '{}', '')"
_ADD_SECRET = "INSERT INTO secrets (user_id, owner, config, name, value) VALUES ($1, 'app', '', 'KEY', 'x')"


@pytest.mark.requirement("cluster.users.known")
def test_users_that_are_read_at_once_are_all_known(database: str, tmp_path: Path) -> None:
    async def test() -> None:
        await make_tables(database)
        async with node(database) as here:
            users = UserTable(here.pool, here.homes, Notifications(database))
            for it in USERS:
                await here.pool.execute(_ADD, it)
            await here.take("new")
            await asyncio.gather(
                *map(users.load, USERS[:10]),
                users.register("new", tmp_path, None),
                *map(users.load, USERS[10:]),
            )
            assert {it.id for it in users} == {*USERS, "new"}

    run(test)


@pytest.mark.requirement("cluster.users.known")
def test_secrets_that_are_read_while_others_are_stored_are_known(database: str) -> None:
    async def test() -> None:
        await make_tables(database)
        async with node(database) as here:
            secrets = SecretTable(here.pool, here.homes, Notifications(database))
            for it in USERS:
                await here.pool.execute(_ADD_SECRET, it)
            await here.take("new")
            mine = SecretScope(user_id="new", owner="app")
            await asyncio.gather(
                *map(secrets.load, USERS[:10]),
                secrets.keep(mine, {"KEY": "y"}),
                *map(secrets.load, USERS[10:]),
            )
            known = {scope.user_id: values["KEY"] for scope, values in secrets.by_scope.items()}
            assert known == {**dict.fromkeys(USERS, "x"), "new": "y"}

    run(test)


@pytest.mark.requirement("cluster.users.known")
def test_secrets_for_all_users_that_two_nodes_store_are_both_kept(database: str) -> None:
    async def test() -> None:
        await make_tables(database)
        async with node(database) as here, node(database, "bob") as there:
            tables = [SecretTable(it.pool, it.homes, Notifications(database)) for it in (here, there)]
            for name, table in zip(("A", "B"), tables, strict=True):
                await table.set_plugin_secret(PluginSecret(name=name), "x")
            await tables[0].load(FOR_ALL)
            assert [it.name for it in tables[0].plugin_secrets()] == ["A", "B"]

    run(test)


@pytest.mark.requirement("cluster.secrets.latest")
def test_what_was_stored_last_for_all_users_wins(database: str) -> None:
    async def test() -> None:
        await make_tables(database)
        async with node(database) as here, node(database, "bob") as there:
            # Nothing notifies them.
            one, two = (SecretTable(it.pool, it.homes, Notifications(database)) for it in (here, there))
            key = PluginSecret(name="KEY")
            assert await one.set_plugin_secret(key, "first")
            assert not await two.set_plugin_secret(key, "second")
            assert not await one.set_plugin_secret(key, "first")
            await two.load(FOR_ALL)
            assert two.find("KEY", plugin="any") == "first"
            assert await two.remove_plugin_secret(key)
            assert not await one.remove_plugin_secret(key)
            assert await one.set_plugin_secret(key, "first")

    run(test)


@pytest.mark.requirement("cluster.users.read_again")
def test_what_could_not_be_read_is_read_again(
    database: str,
    postgres: Engine,
    cut: Callable[[Target], Cut],
    caplog: pytest.LogCaptureFixture,
) -> None:
    proxy = cut(postgres.socket)
    name = urlsplit(database).path[1:]

    async def test() -> None:
        await make_tables(database)
        async with node(postgres.url(name, proxy.address)) as here, node(database, "bob") as there:
            notifications = Notifications(database)
            users = UserTable(here.pool, here.homes, notifications)
            secrets = SecretTable(here.pool, here.homes, notifications)
            listening = asyncio.create_task(notifications.run())
            proxy.refuse()
            await there.take("new")
            await UserTable(there.pool, there.homes, Notifications(database)).register("new", Path("/"), None)
            elsewhere = SecretTable(there.pool, there.homes, Notifications(database))
            await elsewhere.set_plugin_secret(PluginSecret(name="KEY"), "x")
            while len(caplog.messages) < len((users, secrets)):
                await asyncio.sleep(INTERVAL)
            assert not len(users) + len(secrets.by_scope)
            proxy.heal()
            while not (len(users) and len(secrets.by_scope)):
                await asyncio.sleep(INTERVAL)
            listening.cancel()

    run(test)
    assert sorted(it.partition(" yet: ")[0] for it in caplog.messages) == [
        "the secrets for all users can't be read",
        "users who have changed can't be read",
    ]
