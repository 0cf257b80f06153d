"""Connections to other nodes: mutual TLS 1.3, kept alive, and verified to lead to the node that is meant."""

from __future__ import annotations

import asyncio
import ssl
from functools import cached_property
from urllib.parse import quote

import aiohttp
from starlette.types import Scope
from yarl import URL

from stringd_cluster.hop.certificates import peer_host
from stringd_cluster.hop.node_identity import NodeIdentity
from stringd_cluster.hop.peer_connector import PeerConnector
from stringd_cluster.membership.live_nodes import Node

CONNECT_SECONDS = 2.0
BUFFERED_BYTES = 64 * 1024
_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))
_LONGEST_HEAD = 256 * 1024
_MOST_HEADERS = 4096
_NO_HEADERS_OF_ITS_OWN = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")


class PeerConnections:
    """A client session for each node."""

    def __init__(self, identity: NodeIdentity) -> None:
        self._identity = identity
        self._sessions: dict[str, aiohttp.ClientSession] = {}
        self._closing: set[asyncio.Task[None]] = set()

    @cached_property
    def tls(self) -> ssl.SSLContext:
        """The TLS context of connections, with the certificate of this node."""
        return self._identity.client_context()

    def host_of(self, node: Node) -> str:
        """Return the name that must be in the certificate of a node."""
        return peer_host(self._identity.cluster_id, node.name)

    def session(self, node: Node) -> aiohttp.ClientSession:
        """Return the client session of a node."""
        found = self._sessions.get(node.id)
        if found is None:
            found = self._sessions[node.id] = self._opened()
        return found

    def drop(self, node_id: str) -> None:
        """Close the connections to a node that is gone."""
        if session := self._sessions.pop(node_id, None):
            task = asyncio.ensure_future(session.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Close all connections."""
        for node_id in tuple(self._sessions):
            self.drop(node_id)
        await asyncio.gather(*self._closing)

    def _opened(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=PeerConnector(self.tls),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=_NO_HEADERS_OF_ITS_OWN,
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
            read_bufsize=BUFFERED_BYTES,
            max_line_size=_LONGEST_HEAD,
            max_field_size=_LONGEST_HEAD,
            max_headers=_MOST_HEADERS,
        )


def target_of(scope: Scope) -> str:
    """Return the path and the query of a request as they were sent."""
    path, query = scope["raw_path"], scope["query_string"]
    target: bytes = path + b"?" + query if query else path
    return target.decode() if target.isascii() else quote(target, safe=_PRINTABLE)


def peer_url(node: Node, target: str) -> URL:
    """Return the URL of a path and query, which are sent as they are."""
    return URL(f"https://{node.address}{target}", encoded=True)
