"""A plugin for the tests: shares activity as a node does, with plain HTTP between daemons."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from stringd.plugin import Runtime, Service, StorageFailed, hookimpl
from stringd_cluster.engine.cluster_schema import create_schema
from stringd_cluster.engine.database_pool import ConnectionPool, connect
from stringd_cluster.engine.notifications import Notifications
from stringd_cluster.membership.live_nodes import NameTaken, Node, join
from stringd_cluster.sharing.activity_sharing import ActivitySharing
from stringd_cluster.sharing.sharing_node import PeerAnswer

_JOINED = "SELECT address, version FROM nodes WHERE id = $1"
_RENEW = "UPDATE nodes SET expires = clock_timestamp() + interval '1 second' WHERE id = $1"


class TestedNode:
    """A node whose address is its port, and whose version is the token of its operator."""

    __test__ = False

    def __init__(self, url: str, name: str) -> None:
        self.name = name
        self.id = f"{name}-{os.getpid()}"
        self.pool = ConnectionPool(url, stale_seconds=10)
        self.notifications = Notifications(url)

    async def call(
        self, node_id: str, method: str, path: str, fields: Mapping[str, Any], user_id: str | None
    ) -> PeerAnswer:
        row = await self.pool.fetchrow(_JOINED, node_id)
        headers = {"X-User-Id": user_id} if user_id else {"X-Operator-Token": row["version"]}

        def send() -> PeerAnswer:
            connection = http.client.HTTPConnection("127.0.0.1", int(row["address"]), timeout=10)
            connection.request(method, path, json.dumps(fields), headers)
            answer = connection.getresponse()
            return PeerAnswer(answer.status, json.loads(answer.read()))

        return await asyncio.to_thread(send)


@hookimpl
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    async def share() -> None:
        url, name = os.environ["TESTED_DATABASE"], os.environ["TESTED_NODE"]
        connection = await connect(url)
        await create_schema(connection)
        await connection.close()
        node = TestedNode(url, name)
        token = runtime.questions.appoint_operator()
        await node.pool.open(node.id)
        me = Node(id=node.id, name=name, address=str(runtime.port), labels=frozenset(), is_draining=False)
        await rejoin(node, me, token)
        (runtime.config.data_dir / "operator.txt").write_text(token, encoding="utf-8")
        sharing = ActivitySharing(runtime, node)
        tasks = [asyncio.create_task(it) for it in (node.notifications.run(), renew(node))]
        try:
            await sharing.run()
        finally:
            for task in tasks:
                task.cancel()
            node.pool.terminate()

    return [Service(name="tested-sharing", run=share, stop_seconds=2.0)]


async def rejoin(node: TestedNode, me: Node, token: str) -> None:
    while True:
        with suppress(NameTaken):
            return await join(node.pool, me, token, 1.0)
        await asyncio.sleep(0.05)


async def renew(node: TestedNode) -> None:
    while True:
        await asyncio.sleep(0.25)
        with suppress(StorageFailed):
            await node.pool.execute(_RENEW, node.id)
