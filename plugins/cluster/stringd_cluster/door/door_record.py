"""The door of this daemon as a record: its sockets, and what runs for it."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Sequence
from functools import cached_property

from starlette.types import ASGIApp

from stringd.plugin import Door, Listening, Runtime
from stringd_cluster.access.client_tls import ClientTls
from stringd_cluster.cluster_node import cluster_node
from stringd_cluster.door.cluster_door import CLIENTS, NODES, ClusterDoor
from stringd_cluster.listen_address import listen_address

_REFRESH_SECONDS = 2.0


class DoorParts:
    """The door of one daemon, made when the daemon listens: subcommands load the plugin, too."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._node = cluster_node(runtime)
        self._settings = self._node.settings

    @property
    def record(self) -> Door:
        """The record of the hook."""
        return Door(name="cluster", wrap=self._wrap, listen=self._listen, is_cors_open=False)

    async def run(self) -> None:
        """Look at the files of the certificate until cancelled, and end the door then."""
        try:
            while True:
                await asyncio.sleep(_REFRESH_SECONDS)
                if self._tls:
                    self._tls.refresh()
        finally:
            await self.door.close()

    @cached_property
    def door(self) -> ClusterDoor:
        """The door itself."""
        return ClusterDoor(self._runtime, self._node)

    @cached_property
    def _tls(self) -> ClientTls | None:
        return ClientTls(self._settings) if self._settings.tls_certificate else None

    def _wrap(self, app: ASGIApp) -> ASGIApp:
        return self.door.wrap(app)

    def _listen(self) -> Sequence[Listening]:
        clients = listen_address(self._settings.listen, "--listen")
        nodes = listen_address(self._settings.node_listen, "--node-listen")
        tls = self._tls.context if self._tls else None
        return (
            Listening(name=CLIENTS, host=clients.host, port=clients.port, tls=tls),
            Listening(name=NODES, host=nodes.host, port=nodes.port, tls=self._node.identity.server_context()),
        )


_PARTS: weakref.WeakKeyDictionary[Runtime, DoorParts] = weakref.WeakKeyDictionary()


def door_parts(runtime: Runtime) -> DoorParts:
    """Return the door of a daemon; the same one each time."""
    if runtime not in _PARTS:
        _PARTS[runtime] = DoorParts(runtime)
    return _PARTS[runtime]
