"""`GET /events`; see docs/reference/events.md."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from starlette.datastructures import Headers, QueryParams
from starlette.types import Message, Receive, Scope, Send

from stringd.api.event_interfaces import EventFilter, Published
from stringd.api.events import Event, Lost
from stringd.errors import InvalidRequest
from stringd.events.bus import EventBus
from stringd.events.watch_outbox import Watch
from stringd.runtime.local import LocalRuntime
from stringd.server.endpoints.event_positions import Resumed, missed_events, resumed
from stringd.server.exec_response import RAW_HEADERS
from stringd.server.requests import disconnected
from stringd.text.nearest import nearest
from stringd.text.sse import encode_sse
from stringd.text.wire_json import encode_event

log = logging.getLogger(__name__)

EVENTS = "/events"
# The first event after a pause is sent immediately; batches of later ones cost the commands less.
_PAUSE_SECONDS = 0.25
_CHUNK_BYTES = 64 * 1024
_KEPT_BYTES = 1024 * 1024
_NO_JSON = "it could not be written as JSON; the daemon's log says why"


class SendEvents:
    """The endpoint as a bare ASGI application: one task per client, and its events in few chunks."""

    def __init__(self, runtime: LocalRuntime) -> None:
        self._runtime = runtime
        self._encoder = _Encoder(runtime.events)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the requested events until the client disconnects or the daemon stops."""
        runtime = self._runtime
        query = _Query(scope, runtime)
        begin = await query.resumed()
        await send({"type": "http.response.start", "status": 200, "headers": RAW_HEADERS})
        if scope["method"] == "HEAD":
            await send({"type": "http.response.body", "body": b""})
            return
        with runtime.events.watch(begin.wanted, after=begin.after) as watch:
            leaving = asyncio.create_task(disconnected(receive))
            leaving.add_done_callback(lambda _: watch.close())
            try:
                await send(_chunk(self._encoder.first(begin, watch.seen)))
                async for missed in missed_events(runtime.events, begin, query.wanted):
                    await send(_chunk(missed))
                await self._send_all(watch, send, leaving)
            finally:
                leaving.cancel()
        await send({"type": "http.response.body", "body": b""})

    async def _send_all(self, watch: Watch, send: Send, leaving: asyncio.Task[None]) -> None:
        ping_seconds, events = self._runtime.config.ping_seconds, self._runtime.events
        while not leaving.done():
            if not await watch.wait(ping_seconds):
                await send(_chunk(self._encoder.position(events.position(watch))))
                continue
            chunk = self._encoder.take(watch)
            if chunk:
                await send(_chunk(chunk))
            elif watch.is_closed:
                return
            if len(chunk) < _CHUNK_BYTES and not watch.is_closed:
                await watch.pause(_PAUSE_SECONDS)


class _Query:
    """The query of a request: a filter, and the position to resume from."""

    def __init__(self, scope: Scope, runtime: LocalRuntime) -> None:
        self._parameters = QueryParams(scope["query_string"])
        topic = self._one("topic")
        self.wanted = EventFilter(
            user_id=self._one("user_id"),
            topic=None if topic is None else str(runtime.topic_name(topic)),
            request_id=self._one("request_id"),
            kinds=self._kinds(list(runtime.events.kinds)),
            everywhere=True,
        )
        self._events = runtime.events
        # A browser that reconnects sends both.
        self._header = Headers(scope=scope).get("last-event-id")
        self._after = self._header or self._one("after")

    async def resumed(self) -> Resumed:
        """Return where the stream begins, or goes on."""
        if self._after is None:
            return Resumed(wanted=self.wanted)
        name = "Last-Event-ID" if self._header else "after"
        return await resumed(self._events, self.wanted, name, self._after)

    def _one(self, name: str) -> str | None:
        values = self._parameters.getlist(name)
        if len(values) > 1:
            raise InvalidRequest(f"More than one {name}")
        return values[0] if values and values[0] else None

    def _kinds(self, known: Sequence[str]) -> frozenset[str] | None:
        words = ",".join(self._parameters.getlist("kinds")).split(",")
        kinds = frozenset(word.strip() for word in words if word.strip())
        for kind in sorted(kinds - {*known}):
            meant = nearest(kind, known)
            hint = f"did you mean {meant}?" if meant else f"there are {', '.join(known)}"
            raise InvalidRequest(f"Unknown kind of event: {kind} — {hint}")
        return kinds or None


class _Encoder:
    """Encodes each event once for all clients, as long as they read at about the same speed."""

    def __init__(self, events: EventBus) -> None:
        self._events = events
        self._encoded: dict[int, bytes] = {}
        self._size = 0

    def take(self, watch: Watch) -> bytes:
        """Return a watcher's next events, about one chunk of them."""
        pieces: list[bytes] = []
        size = 0
        while size < _CHUNK_BYTES and (batch := watch.next_batch()):
            if batch.encoded is None:
                batch.encoded = b"".join(map(self._event, batch.events))
            pieces.append(batch.encoded)
            size += len(batch.encoded)
        return b"".join(pieces)

    def first(self, begin: Resumed, seen: int) -> bytes:
        """Return the beginning of a stream: what is lost, or its position."""
        if begin.lost:
            return self.notice(begin.lost)
        return begin.beginning or self.position(seen)

    def notice(self, lost: Event) -> bytes:
        """Encode an event without a number, which concerns a single watcher."""
        return encode_sse(lost.kind, encode_event(None, lost))

    def position(self, seq: int) -> bytes:
        """Return a comment with the position from which a client that reconnects resumes."""
        return b": watching\nid: %b\n\n" % self._events.position_id(seq).encode()

    def _event(self, published: Published) -> bytes:
        if published.seq is None:
            return self.notice(published.event)
        return self._encoded.get(published.seq) or self._encode(published.seq, published)

    def _encode(self, seq: int, published: Published) -> bytes:
        event, sharing = published.event, self._events.sharing
        node = published.node or (sharing.node if sharing else None)
        try:
            kind, data = event.kind, encode_event(seq, event, node)
        except ValueError:
            log.exception("event %d was left out", seq)
            kind, data = Lost.kind, encode_event(seq, Lost(count=1, reason=_NO_JSON), node)
        encoded = encode_sse(kind, data, self._events.position_id(seq))
        self._keep(seq, encoded)
        return encoded

    def _keep(self, seq: int, encoded: bytes) -> None:
        self._encoded[seq] = encoded
        self._size += len(encoded)
        while self._size > _KEPT_BYTES:
            self._size -= len(self._encoded.pop(next(iter(self._encoded))))


def _chunk(body: bytes) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": True}
