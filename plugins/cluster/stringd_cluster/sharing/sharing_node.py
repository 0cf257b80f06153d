"""What sharing needs of the node that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.engine.notifications import Notifications

RETRY_SECONDS = 0.5


class PeerAnswer(NamedTuple):
    """The answer of another node."""

    status: int
    fields: Mapping[str, Any]
    body: bytes = b""


class SharingNode(Protocol):
    """A node of a cluster: its id changes when its lease was lost, its name does not."""

    @property
    def id(self) -> str:
        """The id that the list of nodes has."""

    @property
    def name(self) -> str:
        """The name that people have given it."""

    @property
    def pool(self) -> ConnectionPool:
        """Connections to the database."""

    @property
    def notifications(self) -> Notifications:
        """What other nodes announce."""

    async def call(
        self, node_id: str, method: str, path: str, fields: Mapping[str, Any], user_id: str | None
    ) -> PeerAnswer:
        """Send a request to another node, as a user or as the operator; raise `OSError` if that fails."""
