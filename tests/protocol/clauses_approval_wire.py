"""Requirements on the wire of the approval plugin: its socket, requests, replies, and the ways to ask."""

from __future__ import annotations

from tests.protocol.records import requirements

SOCKET = requirements(
    "docs/reference/approval-socket.md#the-socket",
    ("approval.socket.place", "The socket is in $XDG_RUNTIME_DIR/stringd, else in the data directory."),
    ("approval.socket.private", "It has mode 0600, its folder 0700."),
    ("approval.socket.peer", "A peer of another user is closed without a byte."),
    ("approval.socket.live", "A live socket in the way is an error that says already running."),
    ("approval.socket.dead", "A dead socket is replaced."),
    ("approval.socket.foreign", "What is no socket is never removed."),
    ("approval.socket.removed", "It is removed at shutdown, unless another one took its place."),
    ("approval.socket.long", "Paths longer than an address of the kernel work; longer names are refused."),
)

EXCHANGE = requirements(
    "docs/reference/approval-socket.md",
    ("approval.exchange.one", "A connection carries one request, one line; and one reply, one line."),
    ("approval.exchange.discarded", "Bytes behind the first newline are discarded."),
    ("approval.exchange.half_close", "A client that half-closes after its newline gets its reply."),
    ("approval.exchange.hangup", "The asker hanging up is told to whoever decides; half-closing is not."),
    ("approval.exchange.silent", "The daemon never speaks first."),
    ("approval.exchange.nothing", "A client that sends nothing and closes gets no reply."),
    ("approval.exchange.partial", "A partial line and an end are the missing-newline error."),
    ("approval.exchange.empty", "An empty line is an error."),
    ("approval.exchange.size", "A line of 1,048,576 bytes is accepted; one more is an error at once."),
    ("approval.exchange.deadline", "From connecting to the newline, 10 s may pass, whatever the pacing."),
    ("approval.exchange.busy", "Of more than 64 connections, the next is told busy without being read."),
    ("approval.exchange.slow_reader", "Writing a reply takes a bounded time; the slot comes free."),
    ("approval.exchange.hostile", "Whatever is sent, there is one reply or none, and the daemon lives on."),
    ("approval.exchange.shutdown", "Clients that still wait at shutdown get an error."),
)

REQUEST = requirements(
    "docs/reference/approval-socket.md#a-request",
    ("approval.request.fields", "All fields are read; every one but the pipeline and the time is optional."),
    ("approval.request.defaults", "privileged defaults to true, forward_agent to false, an id is made."),
    ("approval.request.types", "Types are strict: nothing is converted, and null is not absent."),
    ("approval.request.duplicates", "A known field that occurs twice is an error."),
    ("approval.request.unknown", "Unknown fields are ignored."),
    ("approval.request.json", "Only strict JSON in UTF-8 is read, and only objects."),
    ("approval.request.no_id", "Errors of JSON and types have an empty id, later ones that of the request."),
    ("approval.request.ping", "A ping is answered with pong, and nobody is asked."),
    ("approval.request.stop", "stop and unknown actions are refused."),
    ("approval.request.order", "The checks are made in their order."),
    ("approval.request.pipeline", "The pipeline, its stages and their programs must not be empty."),
    ("approval.request.stages", "There are at most 64 stages with 4,096 arguments each."),
    ("approval.request.lengths", "id, session and host have at most 256, the reason 4,096 characters."),
    ("approval.request.characters", "Deceiving characters are refused wherever a person or a log sees them."),
    ("approval.request.shown", "In output that is shown to a person, the same characters are escaped."),
    ("approval.request.time", "One form of time is read, offsets are honoured, and it must be real."),
    ("approval.request.recent", "It is accepted from 60 s old to 30 s ahead."),
    ("approval.request.env", "Only listed variables may be set; others fail the request by name."),
    ("approval.request.home", "HOME may be set for unprivileged commands only."),
    ("approval.request.agent", "An agent is forwarded only if privileged is explicitly false."),
    ("approval.request.cwd", "A working directory is absolute."),
)

REPLAY = requirements(
    "docs/reference/approval-socket.md#how-a-request-is-decided",
    ("approval.replay.once", "An id is accepted once within 120 s."),
    ("approval.replay.restart", "Used ids are kept over a restart."),
    ("approval.replay.clock", "No id is accepted twice when the clock is set back or forward by an hour."),
)

REPLY = requirements(
    "docs/reference/approval-socket.md#the-reply",
    ("approval.reply.ok", "ok carries each stage's exit code and standard error, and the last output."),
    ("approval.reply.flags", "Truncation flags are absent when false; signals are additional."),
    ("approval.reply.denied", "denied and timeout carry id, status and, additionally, a comment."),
    ("approval.reply.error", "Everything else is an error with a message."),
    ("approval.reply.edited", "The reply says what ran instead if a person edited the pipeline."),
)

AGENTS = requirements(
    "docs/reference/approval-socket.md",
    ("approval.agents.command", "/request asks in any topic; its reply is like that of /exec, or an error."),
    ("approval.agents.cancel", "/request can be cancelled."),
    ("approval.agents.subcommand", "stringd request ends as the last stage, or with 125."),
    ("approval.agents.python", "stringd.approval.request and its async twin return a typed reply."),
    ("approval.agents.languages", "Clients in other languages need nothing but the page of the protocol."),
)

APPROVAL_WIRE = (*SOCKET, *EXCHANGE, *REQUEST, *REPLAY, *REPLY, *AGENTS)
