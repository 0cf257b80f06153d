"""Requirements of the protocol on clients."""

from __future__ import annotations

from tests.protocol.records import requirements

SHOULD = requirements(
    "docs/how-to/use-the-python-client.md",
    ("client.health_first", "What does not answer the first command like a daemon is asked for GET /health."),
    ("client.autostart", "A daemon that cannot be reached on loopback is started."),
    ("client.register", "The user is ensured through POST /users before the first command runs."),
    ("client.accept", "/exec is sent with Accept: text/event-stream."),
    ("client.result", "The three events become one result of ok, code, content and meta."),
    ("client.strip_prefix", "The `re:` line is taken off the content."),
    ("client.stream_incomplete", "head without content or done is a result with the code STREAM_INCOMPLETE."),
    ("client.queue_errors", "429 and 504 are told apart from other failures."),
    ("client.no_retry", "/exec is never sent again by itself once the command may have run."),
)

MAY = requirements(
    "docs/how-to/use-the-python-client.md",
    ("client.port_cached", "The port is settled once, with the first ping."),
    ("client.public_calls", "health() and shutdown() are public."),
    ("client.keep_alive", "One connection is used for many commands."),
)

MUST_NOT = requirements(
    "docs/reference/http.md",
    ("client.user_header", "No /exec leaves without X-User-Id."),
    ("client.data_json", "SSE data is read as JSON, never as raw text."),
    ("client.meta_null", "A head whose meta is null is an ordinary answer."),
    ("client.wait_done", "An answer counts only once done has come."),
)

STRING = requirements(
    "docs/reference/command-line.md#string",
    (
        "cli.never.silent",
        "A success without an answer, and input without a command, are told on standard error.",
    ),
    ("cli.default.topic", "A command without a topic runs in file:main."),
)

CLIENT = SHOULD + MAY + MUST_NOT + STRING
