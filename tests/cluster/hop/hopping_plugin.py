"""A daemon with the hop, but without a database: tests say which nodes there are, and which homes they have.

`HOPPING` is the port on which the node listens for others; its identity is in the data directory.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from stringd.plugin import LISTENING, Door, Listening, Runtime, hookimpl
from stringd_cluster.access.scopes import Scope as TokenScope
from stringd_cluster.access.tokens import Principal
from stringd_cluster.cluster_settings import ClusterSettings
from stringd_cluster.homes.home_errors import HomeElsewhere, HomeUnavailable
from stringd_cluster.hop.hop_headers import Caller
from stringd_cluster.hop.node_hop import NodeHop
from stringd_cluster.hop.node_identity import NodeIdentity
from stringd_cluster.membership.live_nodes import Node
from tests.cluster.hop.hopping_app import HoppingApp

LEASE_SECONDS = 1.0


class ToldNode:
    """A node that knows what it was told; its id is its name."""

    def __init__(self, identity: NodeIdentity) -> None:
        self.identity = identity
        self.id = identity.name
        self.settings = ClusterSettings(lease_seconds=LEASE_SECONDS)
        self.nodes: Mapping[str, Node] = {}
        self.lookups = 0
        self._owners: dict[str, str] = {}
        self._moved: dict[str, str] = {}
        self._callbacks: list[Callable[[], None]] = []

    def tell(self, nodes: Mapping[str, str], owners: Mapping[str, str], moved: Mapping[str, str]) -> None:
        """Take over the addresses of nodes, the owners of homes, and those that it finds out one by one."""
        self.nodes = {name: _node(name, address) for name, address in nodes.items()}
        self._owners, self._moved = dict(owners), dict(moved)
        for callback in self._callbacks:
            callback()

    def when_nodes_change(self, callback: Callable[[], None]) -> None:
        self._callbacks.append(callback)

    async def locate(self, user_id: str) -> Node | None:
        self.lookups += 1
        owner = self._owners[user_id]
        if owner == self.id:
            return None
        if owner not in self.nodes:
            raise HomeUnavailable(None)
        return self.nodes[owner]

    async def take(self, user_id: str, *, running: bool = False) -> None:
        if self._owners.get(user_id) != self.id:
            raise HomeElsewhere(user_id)

    def forget_place(self, user_id: str) -> None:
        next_one, _, others = self._moved.get(user_id, self._owners[user_id]).partition(" ")
        self._owners[user_id], self._moved[user_id] = next_one, others or next_one


def _node(name: str, address: str) -> Node:
    return Node(id=name, name=name, address=address, labels=frozenset(), is_draining=False)


class HoppingDoor:
    """Takes everything that comes for a user to the node with the home."""

    def __init__(self, runtime: Runtime) -> None:
        identity = NodeIdentity.load(runtime.config.data_dir)
        assert identity is not None
        self._node = ToldNode(identity)
        self._app = HoppingApp()

    def listen(self) -> list[Listening]:
        """Listen for clients, and for nodes."""
        self._hop = NodeHop(self._node, self._app)
        port, tls = int(os.environ["HOPPING"]), self._node.identity.server_context()
        return [
            Listening(name="clients", host="127.0.0.1", port=0),
            Listening(name="nodes", host="127.0.0.1", port=port, tls=tls),
        ]

    def wrap(self, app: ASGIApp) -> ASGIApp:
        """Leave out the daemon's own application, which limits bodies."""
        return self._serve

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["extensions"][LISTENING] == "nodes":
            await self._hop.from_node(scope, receive, send)
        elif scope["path"] == "/control":
            await self._control(scope, receive, send)
        else:
            await self._pass_on(scope, receive, send)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        user_id = next(value.decode() for name, value in scope["headers"] if name == b"x-user-id")
        principal = Principal(token_id="t-1", user_id="ann", scopes=frozenset({TokenScope.EXEC}))
        caller = Caller(entry=self._node.id, user_id=user_id, principal=principal)
        target = await self._node.locate(user_id)
        await self._hop.forward(scope, receive, send, target, caller)

    async def _control(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        query = dict(parse_qsl(scope["query_string"].decode()))
        if scope["method"] == "POST":
            self._node.tell(**await request.json())
        if "call" in query:
            await JSONResponse(await self._call(query))(scope, receive, send)
            return
        seen: dict[str, Any] = {"log": self._app.log, "lookups": self._node.lookups}
        seen["tasks"] = len(asyncio.all_tasks())
        await JSONResponse(seen)(scope, receive, send)

    async def _call(self, query: Mapping[str, str]) -> list[Any]:
        try:
            answer = await self._hop.call(query["call"], "POST", "/seen", {"a": 1}, query.get("as"))
        except OSError as error:
            return [type(error).__name__, str(error)]
        return [answer.status, answer.fields]


@hookimpl
def stringd_doors(runtime: Runtime) -> Iterable[Door]:
    door = HoppingDoor(runtime)
    return [Door(name="hopping", wrap=door.wrap, listen=door.listen, is_cors_open=False)]
