"""Requirements on events: what is published, how it is watched, and what happens to those who read slowly."""

from __future__ import annotations

from tests.protocol.records import requirements

PUBLISHED = requirements(
    "activity, Events, kinds",
    ("events.seq", "Events are numbered from 1 without gaps in each life of the daemon."),
    ("events.kinds.command", "command-begun and command-ended stand around every command, refused ones too."),
    ("events.label.whole", "A label in events is masked and whole, not cut at 80 characters."),
    ("events.kinds.session", "session-opened, -forked and -ended say when topics begin and why they end."),
    ("events.kinds.user", "user-added and user-removed say who comes and goes."),
    ("events.kinds.daemon", "daemon-ready and daemon-stopping stand around the rest of a life."),
    ("events.foreign", "A plugin publishes kinds of its own; a field that is no JSON harms nobody."),
    (
        "events.flood",
        "Beyond 1,000 a second, events of a plugin's kind or a topic's output are only counted.",
    ),
    ("events.observers", "Observers are fed by events of the kinds that they name."),
)

STREAM = requirements(
    "activity, Events, GET /events",
    ("events.stream.shape", "Events are sent as SSE: id life-seq, event kind, data the record as JSON."),
    ("events.filter", "topic, user_id, request_id and kinds choose events."),
    ("events.resume", "Last-Event-ID and after go on after an event, without gap or repetition."),
    ("events.lost", "What is missing is said by an event lost, with the count where it is known."),
    (
        "events.refused",
        "A query that can't be read is answered with 400, an unknown kind with the nearest.",
    ),
    ("events.slow", "A slow reader loses output first, then is closed; no command waits for it."),
    ("events.many", "500 watchers are served within bounded memory."),
    ("events.room", "Watchers make room when descriptors run out."),
    ("events.end", "Streams end in an orderly way when the daemon stops, after its last event."),
)

CLIENTS = requirements(
    "activity, Events, clients",
    ("events.client", "Client.events and AsyncClient.events iterate over records, and reconnect on request."),
    ("events.cli", "stringd events shows events in a terminal, and goes on after a restart of the daemon."),
    (
        "events.progress",
        "string shows output and progress of slow commands on stderr, if a terminal.",
    ),
)

ACTIVITY_EVENTS = PUBLISHED + STREAM + CLIENTS
