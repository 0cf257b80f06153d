"""Requirements of the protocol on transport, security, conventions, users and sessions."""

from __future__ import annotations

from tests.protocol.records import requirements

TRANSPORT = requirements(
    "docs/reference/http.md",
    ("transport.http", "The daemon speaks HTTP/1.1 on 127.0.0.1."),
    ("transport.port.default", "Without a setting the port is 3100."),
    ("transport.port.env", "STRINGD_PORT chooses the port."),
)

SECURITY = requirements(
    "docs/explanation/security.md#who-can-reach-the-daemon",
    ("security.loopback", "Only 127.0.0.1 is bound, no other address answers."),
    ("security.identity", "X-User-Id selects the user record, from any caller and without proof."),
    ("security.no_auth", "/health and /shutdown accept any caller."),
    ("body.cap", "A request body over 10 MiB is rejected; one of exactly 10 MiB is read."),
    ("security.shell", "/exec runs its command line under /bin/bash -c."),
)

CONCEPTS = requirements(
    "docs/reference/http.md",
    ("users.persist", "Registered users are there after a restart."),
    ("users.file", "Users are kept in users.json below STRINGD_DATA_DIR, by default ./.stringd."),
    ("topic.owner", "A topic belongs to one user: the same name under another user is another session."),
    ("topic.state", "Each topic has variables and a document of its own."),
    ("exec.events", "One POST /exec carries one command and answers with head, content and done."),
)

CONVENTIONS = requirements(
    "docs/reference/http.md",
    ("header.user.required", "A request on user data without X-User-Id is refused."),
    ("header.user.ignored", "/users, /health and /shutdown ignore X-User-Id."),
    ("cors.headers", "Every response allows any origin and the headers Content-Type and X-User-Id."),
    ("cors.preflight", "OPTIONS is answered with 204 and no content."),
    ("body.json", "Bodies are application/json, parameters of the media type allowed."),
    ("error.reason", "An error is JSON with one human-readable reason under `error`."),
    (
        "error.code",
        "An error with a machine-readable code has it under `error` and the text under `message`.",
    ),
    ("endpoints", "The endpoints of version 0.1 exist under their paths and methods."),
)

USERS = requirements(
    "docs/reference/http.md#users",
    ("users.list", "GET /users lists id, home, allowedPaths and createdAt of every user."),
    ("users.created_at", "createdAt is UTC in ISO 8601 with milliseconds and Z."),
    ("users.register", "POST /users answers user_id, home and created: true for a new user."),
    (
        "users.register.again",
        "Registering a known id updates its home, keeps createdAt, answers created: false.",
    ),
    ("users.register.absolute", "home must be an absolute path."),
    ("users.register.id_required", "Without an id: 400 `id required`."),
    ("users.register.home_required", "Without a home: 400 `home required`."),
    ("users.delete", "DELETE /users/:id removes the record and answers deleted: true."),
    ("users.delete.missing", "Deleting an unknown user answers deleted: false."),
    ("users.delete.state", "Deleting a user removes its sessions from memory."),
    ("users.delete.files", "Deleting a user leaves the files of its home alone."),
)

SESSIONS = requirements(
    "docs/reference/http.md#sessions",
    ("sessions.list", "GET /sessions lists user, topic, type, executing, queue_length and doc of a session."),
    ("sessions.list.filter", "user_id narrows the list to one user."),
    ("sessions.list.all", "Without user_id the sessions of all users are listed."),
    ("sessions.list.busy", "executing and queue_length tell of the running and the waiting commands."),
    ("sessions.list.doc", "doc holds uri, title and current_block of the opened document."),
    ("sessions.list.no_doc", "doc is null before a document was opened."),
    ("sessions.create", "POST /sessions answers user_id, topic, topic_type and created: true."),
    ("sessions.create.again", "Touching a session that exists answers created: false and keeps its state."),
    ("sessions.create.idle", "Creating a session executes nothing and opens nothing."),
    ("sessions.create.user_required", "Without a user_id: 400 `user_id required`."),
    ("sessions.create.unknown_user", "An unregistered user: 401 `Unknown user: <id>`."),
    ("sessions.create.topic", "A topic that does not parse: 400 `Invalid topic: <raw>`."),
    ("sessions.delete", "DELETE /sessions/:user_id/:topic answers user_id, topic and deleted: true."),
    ("sessions.delete.missing", "Closing a session that does not exist answers deleted: false."),
    ("sessions.delete.state", "Closing a session releases its state: the topic starts afresh."),
    ("sessions.delete.path", "A path of another form: 400 `Expected /sessions/:user_id/:topic`."),
)

DAEMON = TRANSPORT + SECURITY + CONCEPTS + CONVENTIONS + USERS + SESSIONS
