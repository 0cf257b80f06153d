"""Requirements of the protocol on /exec, its queue, /health and /shutdown."""

from __future__ import annotations

from tests.protocol.records import requirements

REQUEST = requirements(
    "docs/reference/http.md#exec",
    ("exec.accept", "The answer is an event stream whatever Accept says."),
    ("exec.cmd.slash", "A command starts with /."),
    ("exec.request_id.optional", "Without request_id the head says null and the label has no brackets."),
    ("exec.request_id.echo", "request_id comes back in the head as it was given."),
    (
        "exec.request_id.label",
        "request_id stands in brackets before the command in the content's first line.",
    ),
)

STREAM = requirements(
    "docs/reference/response-format.md",
    ("exec.headers", "200 with Content-Type, Cache-Control, Connection and X-Accel-Buffering as listed."),
    ("exec.order", "head comes first, content second, done last, each exactly once."),
    ("exec.head", "head has exactly ok, code, cmd, request_id, user_id, topic, topic_type and meta."),
    ("exec.head.success", "A command that succeeded has ok true and code null."),
    ("exec.head.failure", "A command that failed has ok false and a short code."),
    ("exec.head.cmd", "cmd is the command as received, possibly cut for display."),
    ("exec.head.topic", "topic is canonical and topic_type is its type."),
    ("exec.head.no_document", "meta is null while no document is loaded."),
    ("exec.head.document", "meta has uri, title and current_block of the current document."),
    ("exec.content.json", "content is one JSON-encoded string on one data line."),
    ("exec.content.label", "The content begins with `re: `, the label and a line feed."),
    ("exec.content.error", "The content of a failure is `ERROR(CODE): message` below the label."),
    ("exec.done", "done carries an empty object and the response ends after it."),
)

QUEUE = requirements(
    "docs/reference/http.md#exec",
    ("exec.queue.serial", "A topic runs one command at a time, later ones wait."),
    ("exec.queue.capacity", "Sixteen commands may wait."),
    ("exec.queue.full", "The next one is answered at once with 429, QUEUE_FULL and the topic's name."),
    (
        "exec.queue.timeout",
        "A command that waited too long is answered with 504 QUEUE_TIMEOUT and never runs.",
    ),
    ("exec.queue.abort", "A waiting command whose client disconnects is dropped without an answer."),
)

ERRORS = requirements(
    "docs/reference/errors.md#statuses-of-http",
    ("exec.error.header", "No X-User-Id: 400 `X-User-Id header required`."),
    ("exec.error.user", "An unregistered user: 401 `Unknown user: <id>`."),
    ("exec.error.json", "Malformed JSON: 400 with the text that shows the expected object."),
    ("exec.error.cmd", "A missing or empty cmd: 400 `Empty command` with what to provide."),
    ("exec.error.topic", "A topic that does not parse: 400 `Invalid topic: <raw>`."),
)

LIFE = requirements(
    "docs/reference/http.md#health",
    ("health", "GET /health answers ok, users and sessions."),
    ("health.sessions", "sessions counts the topics of all users."),
    ("shutdown.reply", "POST /shutdown answers ok and the message before the daemon goes."),
    ("shutdown.exit", "The process ends after the answer."),
    ("http.keep_alive", "One connection serves many commands."),
)

EXEC = REQUEST + STREAM + QUEUE + ERRORS + LIFE
