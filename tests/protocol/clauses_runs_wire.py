"""Requirements on runs: the WebSocket."""

from __future__ import annotations

from tests.protocol.records import requirements

_FRAMES = requirements(
    "docs/reference/run-messages.md#the-connection",
    ("runs.frames.burst", "Requests that arrive together are all answered, and keep nobody else waiting."),
    ("runs.frames.strict_json", "A frame that is not strict JSON is a PARSE_ERROR without requestId."),
    ("runs.frames.validation", "JSON with a wrong type or field is a VALIDATION_ERROR that names each one."),
    ("runs.frames.request_id", "requestId is any string, also an empty one, and echoed as it is."),
    ("runs.frames.unknown_fields", "Unknown fields are ignored."),
    ("runs.frames.run_ids", "A run id is 1 to 100 letters, digits, - and _, and no path."),
    ("runs.frames.text", "Texts from users come back byte for byte."),
    ("runs.frames.envelope", "Each message has type, ts in milliseconds, and requestId or none, never null."),
    ("runs.frames.binary", "Binary frames are read like text frames."),
    ("runs.frames.fragments", "Fragmented messages are reassembled."),
    ("runs.frames.utf8", "Invalid UTF-8 closes the connection with 1007."),
    ("runs.frames.size", "A message has up to 10 MiB; a larger one closes the connection with 1009."),
)

_SOCKET = requirements(
    "docs/reference/run-messages.md#the-connection",
    ("runs.socket.upgrade", "/ws without an upgrade is answered with 400."),
    ("runs.socket.guard", "Host and Origin are checked as for every other request."),
    ("runs.socket.user", "The user is that of X-User-Id, or of user_id in the query, or default."),
    ("runs.socket.unregistered", "A user who is not registered yet may connect, but not prepare a run."),
    ("runs.socket.operator", "The operator's token comes with the upgrade; a wrong one is refused."),
    ("runs.socket.health", "/health gains status, uptime, activeRuns and connectedClients."),
    ("runs.socket.pings", "Clients are sent protocol pings at an interval, by default 20 s."),
    ("runs.socket.shutdown", "When the daemon stops, connections are closed with 1001."),
)

_REQUESTS = requirements(
    "docs/reference/run-messages.md#messages-of-clients",
    ("runs.requests.order", "Requests of a connection are handled in order; those that wait run beside."),
    ("runs.requests.outstanding", "At most 32 requests wait; the next one is an INTERNAL_ERROR."),
    ("runs.requests.failures", "A request whose handling fails is an INTERNAL_ERROR that tells no values."),
)

_OUTBOX = requirements(
    "docs/reference/run-messages.md#the-connection",
    ("runs.outbox.order", "Messages are never reordered, and none but pieces of text are dropped."),
    ("runs.outbox.pieces", "Above half of 8 MiB or 10,000 messages, pieces of text may be left out."),
    ("runs.outbox.slow", "A run never waits for a reader; a slow one may miss pieces, but not the end."),
    ("runs.outbox.many", "Hundreds of readers, half of them not reading, cost bounded memory."),
    ("runs.outbox.limit", "At the limit, the connection is closed with 1013."),
)

_MESSAGES = requirements(
    "docs/reference/run-messages.md#messages-of-the-daemon",
    ("runs.replies.prepared", "run_prepared has its fields, and an empty conversation for a new run."),
    ("runs.replies.lists", "Strategies, runs, providers and models are listed."),
    ("runs.replies.errors", "Each request that fails is answered with its code."),
    ("runs.replies.silent", "stop_run and unsubscribe are never answered."),
    ("runs.events.fields", "Each event has its fields, and they come in their order."),
    ("runs.events.context", "Events have the size of a model's context, and how much of it is used."),
    ("runs.events.envelope", "Events have the requestId of the start, and seq from 1 without gaps."),
    ("runs.events.same_bytes", "All subscribers get the same bytes."),
    ("runs.subscriptions.stored", "Stored events are delivered as fast as they are read, however many."),
    ("runs.subscriptions.once", "Subscribing again yields no duplicates, and nothing from in between."),
)

RUNS_WIRE = (*_FRAMES, *_SOCKET, *_REQUESTS, *_MESSAGES, *_OUTBOX)
