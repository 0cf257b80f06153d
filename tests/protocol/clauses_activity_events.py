"""Requirements on events: their kinds, the stream, slow readers, and clients."""

from __future__ import annotations

from tests.protocol.records import requirements

PUBLISHED = requirements(
    "docs/reference/events.md#kinds",
    ("events.seq", "Events are numbered from 1 without gaps in each run of the daemon."),
    ("events.kinds.command", "Every command, even a refused one, causes command-begun and command-ended."),
    ("events.label.whole", "A label in events is masked and not truncated at 80 characters."),
    ("events.kinds.session", "session-opened, -forked and -ended report when topics begin and why they end."),
    ("events.kinds.user", "user-added, user-changed and user-removed report changes of users."),
    ("events.kinds.daemon", "daemon-ready and daemon-stopping enclose the run of a daemon."),
    ("events.foreign", "A plugin publishes its own kinds; a field that is not JSON does not affect others."),
    (
        "events.flood",
        "Beyond 1,000 per second, events of a plugin's kind or a topic's output are only counted.",
    ),
    ("events.observers", "Observers are notified of events of the kinds that they name."),
)

STREAM = requirements(
    "docs/reference/events.md#get-events",
    ("events.stream.shape", "Events are sent as SSE: id life-seq, event kind, data the record as JSON."),
    ("events.filter", "topic, user_id, request_id and kinds filter events."),
    ("events.resume", "Last-Event-ID and after resume after an event, without gaps or repetition."),
    ("events.lost", "Missing events are reported by an event lost, with their number if it is known."),
    (
        "events.refused",
        "An invalid query is 400; for an unknown kind, the message has the most similar one.",
    ),
    ("events.slow", "A slow reader first loses output, then is disconnected; commands never wait for it."),
    ("events.many", "500 watchers are served within bounded memory."),
    ("events.room", "The oldest streams are closed when descriptors run out."),
    ("events.end", "When the daemon stops, streams end after its last event."),
)

CLIENTS = requirements(
    "docs/how-to/watch-what-agents-do.md",
    ("events.client", "Client.events and AsyncClient.events iterate over records, and reconnect on request."),
    ("events.cli", "stringd events shows events in a terminal, and continues after a restart."),
    (
        "events.progress",
        "string shows the output and progress of slow commands on stderr at a terminal.",
    ),
)

ACTIVITY_EVENTS = PUBLISHED + STREAM + CLIENTS
