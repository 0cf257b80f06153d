"""`GET /events`; see docs/reference/events.md."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence

from starlette.datastructures import Headers, QueryParams
from starlette.types import Message, Receive, Scope, Send

from stringd.api.event_interfaces import EventFilter, Published
from stringd.api.events import Event, Lost
from stringd.errors import InvalidRequest
from stringd.events.watch_outbox import Watch
from stringd.runtime.local import LocalRuntime
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
_POSITION = re.compile(r"(?:(?P<life>[0-9a-f]{1,16})-)?(?P<seq>[0-9]{1,15})")
_OTHER_LIFE = "the daemon has been restarted"
_NO_JSON = "it could not be written as JSON; the daemon's log says why"


class SendEvents:
    """The endpoint as a bare ASGI application: one task per client, and its events in few chunks."""

    def __init__(self, runtime: LocalRuntime) -> None:
        self._runtime = runtime
        self._encoder = _Encoder(runtime.events.life)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the requested events until the client disconnects or the daemon stops."""
        runtime = self._runtime
        query = _Query(scope, runtime)
        await send({"type": "http.response.start", "status": 200, "headers": RAW_HEADERS})
        if scope["method"] == "HEAD":
            await send({"type": "http.response.body", "body": b""})
            return
        with runtime.events.watch(query.wanted, after=query.after) as watch:
            leaving = asyncio.create_task(disconnected(receive))
            leaving.add_done_callback(lambda _: watch.close())
            try:
                first = self._encoder.notice(query.lost) if query.lost else self._encoder.position(watch.seen)
                await send(_chunk(first))
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
        )
        self.after: int | None = None
        self.lost: Lost | None = None
        # A browser that reconnects sends both.
        header = Headers(scope=scope).get("last-event-id")
        position = header or self._one("after")
        if position is not None:
            self._resume("Last-Event-ID" if header else "after", position, runtime.events.life)

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

    def _resume(self, name: str, position: str, life: str) -> None:
        found = _POSITION.fullmatch(position.strip())
        if not found:
            raise InvalidRequest(f"Invalid {name}: {position} — expected a number, or an event's id")
        self.after = int(found["seq"])
        if found["life"] not in {None, life}:
            self.after, self.lost = 0, Lost(count=None, reason=_OTHER_LIFE)


class _Encoder:
    """Encodes each event once for all clients, as long as they read at about the same speed."""

    def __init__(self, life: str) -> None:
        self._life = life
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

    def notice(self, lost: Event) -> bytes:
        """Encode an event without a number, which concerns a single watcher."""
        return encode_sse(lost.kind, encode_event(None, lost))

    def position(self, seq: int) -> bytes:
        """Return a comment with the position from which a client that reconnects resumes."""
        return b": watching\nid: %b-%d\n\n" % (self._life.encode(), seq)

    def _event(self, published: Published) -> bytes:
        if published.seq is None:
            return self.notice(published.event)
        return self._encoded.get(published.seq) or self._encode(published.seq, published.event)

    def _encode(self, seq: int, event: Event) -> bytes:
        try:
            kind, data = event.kind, encode_event(seq, event)
        except ValueError:
            log.exception("event %d was left out", seq)
            kind, data = Lost.kind, encode_event(seq, Lost(count=1, reason=_NO_JSON))
        encoded = encode_sse(kind, data, f"{self._life}-{seq}")
        self._keep(seq, encoded)
        return encoded

    def _keep(self, seq: int, encoded: bytes) -> None:
        self._encoded[seq] = encoded
        self._size += len(encoded)
        while self._size > _KEPT_BYTES:
            self._size -= len(self._encoded.pop(next(iter(self._encoded))))


def _chunk(body: bytes) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": True}
