"""Requirements on the data of plugins, their settings and secrets, and the ends of topics."""

from __future__ import annotations

from tests.protocol.records import requirements

SESSION_DATA = requirements(
    "docs/reference/hooks.md#sessiondata",
    ("data.session", "A plugin stores one JSON value with each session, under its own name."),
    ("data.session.restart", "It is stored before the reply is sent, and survives restarts and kill -9."),
    ("data.session.lazy", "It is read when the topic is opened."),
    ("data.session.fork", "/fork copies it."),
    ("data.session.forgotten", "/close, DELETE and a new home of the user delete it."),
    ("data.session.size", "It has at most 256 KiB; more is TOPIC_FULL and changes nothing."),
    ("data.session.json", "A value that is not JSON is refused immediately, and changes nothing."),
    ("data.session.disk", "A failed write is STORAGE_FAILED; state and data are as before."),
)

ENDS = requirements(
    "docs/reference/hooks.md#endreason",
    ("end.reason", "A topic gets the reason of its end: close, delete, user-removed or shutdown."),
    ("end.shutdown", "Data that it saves at shutdown is stored."),
    ("end.bounded", "Saving has a time limit, and its failure does not prevent the end."),
)

STORAGE = requirements(
    "docs/reference/hooks.md#pluginstorage",
    ("data.storage", "A plugin sets, reads, removes and lists JSON values by key."),
    ("data.storage.durable", "Each change survives restarts and kill -9."),
    ("data.storage.private", "Only the owner can read its folder, and commands cannot access it."),
    ("data.storage.transaction", "A transaction is atomic and isolated."),
    ("data.storage.misuse", "Misuse is logged and changes nothing."),
    ("data.storage.disk", "A failed write is STORAGE_FAILED; the store is as before."),
    ("data.storage.broken", "A broken store is set aside and reported."),
)

SETTINGS = requirements(
    "docs/reference/settings.md",
    (
        "settings.order",
        "Settings come from options, the environment, config.toml or defaults, in this order.",
    ),
    (
        "settings.wrong",
        "An invalid value or key is an error at the start, with file and line, and exit code 2.",
    ),
    ("settings.unknown", "An unknown section is reported with the most similar known one; the daemon runs."),
    ("settings.unreadable", "An unreadable config.toml is an error at the start, and is not changed."),
    ("settings.config", "stringd config shows, sets and checks settings, and keeps the rest of the file."),
    ("settings.options", "stringd --help lists the options by plugin."),
    ("settings.declared", "An invalid declaration is reported with its line."),
)

SECRETS = requirements(
    "docs/reference/settings.md#secrets",
    ("secrets.command", "stringd secret sets, lists and removes secrets, with a running daemon or without."),
    ("secrets.input", "A value comes from a hidden prompt or standard input, never from the command line."),
    ("secrets.hidden", "Values are never listed."),
    ("secrets.found", "A plugin gets the secret for the user and itself, or else the one for all."),
    ("secrets.refused", "A secret for an unknown user or plugin, or without a name or value, is refused."),
    ("secrets.directory", "A data directory that another daemon uses is refused."),
)

BUILT_IN = requirements(
    "docs/reference/web.md#what-is-kept",
    (
        "web.cookies.kept",
        "With web.keep_cookies, a topic's cookies survive restarts; otherwise none are stored.",
    ),
)

ACTIVITY_DATA = SESSION_DATA + ENDS + STORAGE + SETTINGS + SECRETS + BUILT_IN
