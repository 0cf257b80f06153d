"""Requirements on the data of plugins, their settings and secrets, and the ends of topics."""

from __future__ import annotations

from tests.protocol.records import requirements

SESSION_DATA = requirements(
    "Data of plugins: sessions",
    ("data.session", "A plugin keeps one JSON value with each session, under its name."),
    ("data.session.restart", "It is stored before the reply leaves, and survives restarts and kill -9."),
    ("data.session.lazy", "It is read when the topic is opened."),
    ("data.session.fork", "/fork copies it."),
    ("data.session.forgotten", "/close, DELETE and another home of the user forget it."),
    ("data.session.size", "It has at most 256 KiB; more is TOPIC_FULL and changes nothing."),
    ("data.session.json", "What is not JSON is refused where it is given, and changes nothing."),
    ("data.session.disk", "What can't be stored is STORAGE_FAILED; state and data are as before."),
)

ENDS = requirements(
    "Data of plugins: ends of topics",
    ("end.reason", "A topic is told why it ends: close, delete, user-removed or shutdown."),
    ("end.shutdown", "What it keeps at shutdown is stored."),
    ("end.bounded", "What it does then has little time, and no failure of it keeps the topic from ending."),
)

STORAGE = requirements(
    "Data of plugins: storage",
    ("data.storage", "A plugin sets, reads, removes and lists JSON values by their keys."),
    ("data.storage.durable", "Each change survives restarts and kill -9."),
    ("data.storage.private", "Its folder is its owner's alone, and closed to commands."),
    ("data.storage.transaction", "A transaction is stored as a whole or not at all, and nobody interferes."),
    ("data.storage.misuse", "Misuse is named in the log and changes nothing."),
    ("data.storage.disk", "What the disk does not take is STORAGE_FAILED; the store is as before."),
    ("data.storage.broken", "A broken store is kept aside and reported."),
)

SETTINGS = requirements(
    "Configuration of plugins",
    ("settings.order", "Settings come from options, else the environment, else config.toml, else defaults."),
    ("settings.wrong", "A wrong value or key is an error at the start, with file and line, and exit code 2."),
    ("settings.unknown", "A section of no plugin is named, with the nearest known one; the daemon runs."),
    ("settings.unreadable", "A config.toml that can't be read is an error at the start and stays as it is."),
    ("settings.config", "stringd config shows, sets and checks settings; the rest of the file stays."),
    ("settings.options", "stringd --help lists the options of plugins under their names."),
    ("settings.declared", "A declaration that makes no sense is reported with its line."),
)

SECRETS = requirements(
    "Secrets of plugins",
    ("secrets.command", "stringd secret sets, lists and removes secrets, with a running daemon or without."),
    ("secrets.input", "A value comes from a hidden prompt or standard input, never from the command line."),
    ("secrets.hidden", "Values are listed nowhere."),
    ("secrets.found", "A plugin finds what is for the user and it, else what is for all."),
    ("secrets.refused", "A secret for an unknown user or plugin, or without a name or value, is refused."),
    ("secrets.directory", "A data directory that another daemon uses is refused."),
)

OF_OURS = requirements(
    "Data of plugins: those that come with stringd",
    (
        "web.cookies.kept",
        "With web.keep_cookies, a topic's cookies survive the daemon; else nothing is kept.",
    ),
)

ACTIVITY_DATA = SESSION_DATA + ENDS + STORAGE + SETTINGS + SECRETS + OF_OURS
