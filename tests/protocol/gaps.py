"""Requirements without a test, each with the reason."""

from __future__ import annotations

from tests.protocol.records import gaps

LATER = gaps(
    "docs/reference/response-format.md",
    ("gap.undo_records", "Packages and $NAMEs are kept on disk.", "nothing writes them yet"),
    (
        "gap.codes",
        "Which code answers which mistake of a value or target.",
        "belongs to the commands' own tests",
    ),
    (
        "gap.chanflow",
        "The ChanFlow encoding of a reply.",
        "not a clause of the wire; tested beside its encoder",
    ),
)

SEED = gaps(
    "docs/reference/http.md",
    (
        "gap.assumptions",
        "The security assumptions are not loosened.",
        "a statement about all future versions",
    ),
    ("gap.versioning", "Breaking changes bump the version and are documented.", "a rule for releases"),
    (
        "gap.content_type",
        "Bodies MUST be application/json.",
        "binds the client; no status is fixed for others",
    ),
    (
        "gap.queue_minute",
        "The wait in the queue is 60 s by default.",
        "a test would take that long; the setting is tested",
    ),
    (
        "gap.grace",
        "The process exits 50 ms after /shutdown's answer.",
        "a duration; that it ends soon is tested",
    ),
    ("gap.small_bodies", "A client SHOULD NOT send bodies near 10 MiB.", "the caller decides what is sent"),
    ("gap.cors_trust", "Clients should not rely on CORS for security.", "an advice to readers"),
    ("gap.implementations", "Authors of other clients open an issue.", "an invitation to people"),
    ("gap.clients_decide", "Clients decide whether a shutdown is appropriate.", "an advice to callers"),
)

RUNTIME = gaps(
    "docs/reference/http.md",
    (
        "gap.moment",
        "What runs is answered for a moment before it is ended.",
        "no length of the moment is fixed",
    ),
)

GAPS = LATER + SEED + RUNTIME
