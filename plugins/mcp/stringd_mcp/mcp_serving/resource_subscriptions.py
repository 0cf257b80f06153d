"""Subscriptions to resources, fed by the events of the daemon."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from typing import Any

import anyio
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
)
from mcp.shared.exceptions import MCPError

from mcp import types
from stringd.plugin import (
    CommandEnded,
    Event,
    EventFilter,
    Runtime,
    SessionEnded,
    SessionForked,
    SessionOpened,
)
from stringd_mcp.mcp_serving.topic_resources import READ_PREFIX, TOPICS, topic_uri

log = logging.getLogger(__name__)

_KINDS = frozenset(it.kind for it in (CommandEnded, SessionOpened, SessionForked, SessionEnded))
_MOST_CONNECTIONS = 10_000
_MOST_URIS = 1_000
_SEND_SECONDS = 5.0


class ResourceSubscriptions:
    """Tells subscribed clients which topics have changed; follows events only while there are any."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._buses: defaultdict[str, InMemorySubscriptionBus] = defaultdict(InMemorySubscriptionBus)
        self._listeners: dict[str, ListenHandler] = {}
        self._connections: dict[object, _Connection] = {}
        self._following: asyncio.Task[None] | None = None

    async def listen(self, ctx: Any, user_id: str, params: types.SubscriptionsListenRequestParams) -> Any:
        """Serve the stream of one subscription."""
        self._follow()
        handler = self._listeners.setdefault(user_id, ListenHandler(self._buses[user_id]))
        return await handler(ctx, params)

    def subscribe(self, ctx: Any, key: object, user_id: str, uri: str) -> None:
        """Subscribe a connection to a resource of its user."""
        self._follow()
        connection = self._connections.setdefault(key, _Connection(user_id, ctx.session))
        if len(connection.uris) >= _MOST_URIS and uri not in connection.uris:
            raise MCPError(types.INVALID_REQUEST, f"At most {_MOST_URIS} resources can be subscribed to")
        connection.uris.add(uri)
        while len(self._connections) > _MOST_CONNECTIONS:
            del self._connections[next(iter(self._connections))]

    def unsubscribe(self, key: object, uri: str) -> None:
        """Undo `subscribe`."""
        if connection := self._connections.get(key):
            connection.uris.discard(uri)

    def forget(self, key: object) -> None:
        """Drop the subscriptions of a connection that has ended."""
        self._connections.pop(key, None)

    def close(self) -> None:
        """End all streams, since the daemon stops."""
        for handler in self._listeners.values():
            handler.close()
        if self._following:
            self._following.cancel()

    def _follow(self) -> None:
        if self._following is None or self._following.done():
            self._following = asyncio.create_task(self._publish_all())

    async def _publish_all(self) -> None:
        with self._runtime.events.watch(EventFilter(kinds=_KINDS)) as events:
            async for published in events:
                event = published.event
                if event.user_id is not None and event.topic is not None:
                    for changed in _changes(event, event.topic):
                        await self._publish(event.user_id, changed)

    async def _publish(self, user_id: str, changed: ServerEvent) -> None:
        if user_id in self._buses:
            await self._buses[user_id].publish(changed)
        if isinstance(changed, ResourceUpdated):
            told = [
                (key, it)
                for key, it in self._connections.items()
                if it.user_id == user_id and changed.uri in it.uris
            ]
            for key, connection in told:
                await self._tell(key, connection, changed.uri)

    async def _tell(self, key: object, connection: _Connection, uri: str) -> None:
        try:
            with anyio.fail_after(_SEND_SECONDS):
                await connection.session.send_resource_updated(uri)
        except (TimeoutError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            log.info("a subscribed client has gone or does not read")
            self.forget(key)


class _Connection:
    """The resources that a connection has subscribed to."""

    def __init__(self, user_id: str, session: Any) -> None:
        self.user_id = user_id
        self.session = session
        self.uris: set[str] = set()


def _changes(event: Event, topic: str) -> list[ServerEvent]:
    if isinstance(event, CommandEnded):
        # What only reads a resource does not change it.
        is_read = (event.request_id or "").startswith(READ_PREFIX)
        return [] if is_read else [ResourceUpdated(topic_uri(topic))]
    return [ResourceUpdated(TOPICS), ResourcesListChanged()]
