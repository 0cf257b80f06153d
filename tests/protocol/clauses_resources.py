"""Requirements on time, memory, descriptors and the environment of programs."""

from __future__ import annotations

from tests.protocol.records import requirements

CONNECTIONS = requirements(
    "docs/reference/http.md#clients-that-keep-it-waiting",
    ("http.deadline.head", "A head that is not there within its seconds is 408 in JSON, trickled or not."),
    ("http.deadline.body", "A body that is not there within its seconds is 408 in JSON, trickled or not."),
    ("http.deadline.idle", "A connection on which nothing is asked for its seconds is closed."),
    ("http.deadline.answer", "A command's answer may take longer than any deadline of its client's."),
    (
        "http.deadline.read",
        "An answer that is not read for its seconds is dropped; a slow reader gets it all.",
    ),
    ("http.room.clients", "Where descriptors run out, others are answered as ever, whatever they hold."),
    ("http.room.bytes", "What is kept for all clients together has a bound; the oldest ones make room."),
    (
        "client.idle.replaced",
        "A client whose idle connection was closed takes a new one, and repeats nothing.",
    ),
    ("descriptors.raised", "The daemon raises its soft limit of descriptors, and its programs' stays."),
)

ENVIRONMENT = requirements(
    "docs/reference/command-line.md#what-shells-are-given",
    ("environment.listed", "Shells are given what is on one list of the daemon's environment, nothing else."),
    ("environment.kept", "--keep-env and STRINGD_KEEP_ENV name what shells are given besides."),
    ("environment.daemon", "`string` finds its daemon and its user from a shell of a topic."),
)

WATCHDOG = requirements(
    "docs/explanation/security.md#what-one-topic-may-cost-others",
    ("watchdog", "What holds the event loop for over 0.5 s is logged once, with its stack and how long."),
    ("watchdog.tests", "A test with a daemon whose event loop was held for long fails."),
)

BUDGETS = requirements(
    "docs/explanation/security.md#what-one-topic-may-cost-others",
    ("budget.variables", "A topic's variables have a size in all; more is TOPIC_FULL, and none is set."),
    ("budget.answer", "An action whose variables have no room is answered; that they were not set is told."),
    ("budget.named", "Of links, values and files that a topic notes by itself, the latest are kept."),
    ("budget.places", "An address has a length, and a history a size: the latest are kept."),
    ("budget.pages", "What the caches of all topics keep of the web has a size in all."),
    ("budget.topics", "Two hundred topics as large as they can be take no more memory than is documented."),
)

RESOURCES = CONNECTIONS + ENVIRONMENT + WATCHDOG + BUDGETS
