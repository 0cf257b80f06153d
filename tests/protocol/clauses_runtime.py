"""Requirements on topics, command lines, replies, HTTP and persistence."""

from __future__ import annotations

from tests.protocol.records import requirements

TOPICS = requirements(
    "docs/reference/commands.md#topics",
    ("topic.form", "A topic is a lower-case type, a colon and a name of letters, digits, _ and -."),
    ("topic.app_config", "Only app topics have a third segment."),
    ("topic.trim", "Blanks around a topic are dropped."),
    ("topic.bare", "A bare name is a file topic."),
    ("topic.default", "An empty, null or absent topic is file:main."),
    ("topic.invalid", "Any other form is 400 with the raw text."),
    ("topic.types", "The known types are those of the loaded plugins."),
    ("topic.canonical", "Everything shown uses the canonical form."),
    ("topic.case", "Names are case-sensitive."),
    ("topic.fifo", "Commands of one topic run in the order of their arrival."),
    ("topic.parallel", "Different topics run in parallel."),
    ("topic.listed", "A topic is listed once a valid /exec or POST /sessions named it, not before."),
)

COMMANDS = requirements(
    "docs/reference/commands.md",
    ("command.trim", "Blanks around the whole command are dropped."),
    ("command.body", "Everything after the first newline is the body, byte-exact after the trim."),
    ("command.single", "Further lines are never a second command."),
    ("command.no_body", "A body given to a command that takes none is INVALID_PAYLOAD and nothing is done."),
    ("command.word", "The command word ends at the first blank and ignores case."),
    ("command.rest", "The rest of the header line is kept raw."),
    ("command.slash", "Text without a slash is COMMAND_UNSUPPORTED with the fixed message."),
    ("command.unknown", "An unknown word is COMMAND_UNSUPPORTED and named."),
    ("command.unknown.hint", "The next line points to /help and to the nearest known command."),
    ("command.double_slash", "//x equals /x."),
)

REPLIES = requirements(
    "docs/reference/response-format.md",
    ("reply.label.line", "The label is the first line of the command."),
    ("reply.label.length", "A label has at most 80 characters, a longer one is 77 and `...`."),
    (
        "reply.label.controls",
        "Control characters of a request_id are dropped in the label, kept in the head.",
    ),
    ("reply.system", "A confirmation is the system line alone."),
    ("reply.system_content", "System line and content are parted by a line `---`."),
    ("reply.context", "The context lines of an error follow its message."),
    (
        "reply.visible",
        (
            "No reply holds a control character but newlines, CRLF and tabs, nor one that reorders text: "
            "it is escaped where it is shown, and kept where it was written."
        ),
    ),
    (
        "mask.command",
        "What may be a secret in a command is shown as ********, also where the command is mistyped.",
    ),
    ("mask.label", "A label in which something is hidden says so, also when it is cut."),
    ("mask.history", "The prompt keeps no line in its history that holds a secret."),
    (
        "mask.url",
        "The password in a URL in a command is not shown or kept, whatever the scheme, also percent-encoded.",
    ),
    ("mask.encodings", "A known secret is hidden escaped, in hexadecimal or base64, before a text is cut."),
    ("mask.state", "No address of a topic holds one, nor any file but the one that keeps it."),
    ("mask.log", "The daemon's log holds none: whatever an error says, its known values are hidden."),
    ("mask.time", "Looking for it takes no longer than the text is."),
    ("meta.visible", "Nor do the titles, addresses and blocks in head.meta and in listings of sessions."),
    (
        "cli.visible",
        "Nor does anything that the programs print, as text or as JSON, or that the daemon logs.",
    ),
    ("reply.exit", "A failed shell command is EXIT_n with its own system line, not prefixed with ERROR."),
)

HTTP = requirements(
    "docs/reference/http.md",
    ("http.not_found", "An unknown path is 404 in JSON."),
    ("http.not_allowed", "A wrong method is 405 in JSON and names the allowed ones."),
    ("http.too_large", "A body over 10 MiB is 413 in JSON, announced or chunked."),
    ("http.bad_shape", "A body of the wrong shape is 400."),
    ("http.no_500", "No body makes the daemon answer 500 or stop."),
    ("plugin.crash", "An exception in a plugin is INTERNAL_ERROR and the stream still ends with done."),
    ("plugin.crash.log", "The traceback goes to the log and not to the wire."),
    ("exec.validation", "/exec checks header, user, JSON, cmd, topic and queue in this order."),
    ("origin.loopback", "A request whose Origin is not loopback is 403 and does nothing."),
    ("origin.allowed", "--allow-origin admits exactly the given origin."),
    ("host.loopback", "A request whose Host is not loopback is 421 and does nothing."),
    ("host.strict", "Only what is a loopback authority by the grammar is one, in Host and in Origin."),
    ("agent.daemon", "A request that a stringd sends for a page or an action is 403 and does nothing."),
    ("fault.port_taken", "A taken port is one line on stderr and a non-zero exit."),
    ("fault.port_value", "A value that is no port is one line on stderr and a non-zero exit."),
    ("fault.data_dir", "An unwritable data directory is one line on stderr and a non-zero exit."),
    ("users.broken", "A broken users.json is moved aside, reported on stderr, and the daemon starts."),
    ("users.broken.status", "A broken users.json is reported by `stringd status`."),
    ("stop.accepting", "A daemon that was told to stop accepts no connection."),
    ("stop.running", "A command that runs when the daemon stops ends with ERROR(SHUTTING_DOWN) and done."),
    ("stop.waiting", "A command that waits when the daemon stops is 503 SHUTTING_DOWN."),
    ("stop.children", "No child process outlives the daemon."),
    ("stop.exit", "SIGTERM and /shutdown end with exit code 0."),
)

PERSISTENCE = requirements(
    "docs/reference/http.md#sessions",
    ("users.kill", "Every answered registration survives SIGKILL."),
    ("users.mode", "users.json can be read by its owner only."),
    ("sessions.persist.variables", "A topic's variables survive a restart."),
    ("sessions.persist.document", "A topic's document survives a restart."),
    ("sessions.persist.history", "A topic's history and the directory that it opened survive a restart."),
    ("sessions.persist.seen", "A file that changed since a topic saw it is CONFLICT, also after a restart."),
    ("undo.persist", "Undo records survive a restart."),
    ("head.current_block", "head.meta.current_block is `#id` where a block is shown, else null."),
)

ALLOWED_PATHS = requirements(
    "docs/reference/http.md#users",
    ("users.allowed_paths", "POST /users takes an optional list of absolute paths."),
    ("users.allowed_paths.kept", "An update without allowedPaths keeps them."),
)

KERNEL = requirements(
    "docs/reference/http.md",
    ("http.drain", "A rejected request whose body still arrives gets its JSON, not a reset."),
    ("http.pipelining", "Requests sent ahead on one connection are answered in order."),
    ("http.slow_body", "A body that comes slowly is waited for and holds nobody else up."),
    ("http.half_closed", "A client that stops sending half way executes nothing and harms nobody."),
    ("exec.disconnect", "A command whose client went away completes, then the next one starts."),
    ("exec.handover", "The topic's slot goes to the first in the queue, nobody overtakes or overlaps."),
    ("exec.timeout.own", "/exec --timeout limits one command, whatever the topic's limit is."),
    ("exec.urgent", "An urgent command waits for no turn, and ends with its session all the same."),
    ("exec.ping", "A long command sends SSE comments until its head comes."),
    ("session.closed.waiting", "A command that waits while its session goes is 410 SESSION_CLOSED."),
    (
        "session.closed.running",
        "A command that runs while its session goes ends with ERROR(SESSION_CLOSED) and done.",
    ),
    ("users.home_change", "A changed home disposes the user's sessions, an unchanged one does not."),
    ("sessions.persist.broken", "A broken session store costs nothing but its own sessions."),
)

HELP = requirements(
    "docs/reference/commands.md#help",
    ("help.groups", "/help lists commands by what they are for, with the plugins and apps that are there."),
    ("help.bounded", "It takes less than 2,000 characters, however many there are."),
)

RUNTIME = HELP + TOPICS + COMMANDS + REPLIES + HTTP + PERSISTENCE + ALLOWED_PATHS + KERNEL
