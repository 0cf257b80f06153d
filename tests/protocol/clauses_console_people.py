"""Requirements on the console's pages of users and apps."""

from __future__ import annotations

from tests.protocol.records import requirements

CONSOLE_USERS = requirements(
    "docs/reference/console.md#users",
    ("console.users.shown", "All users with their homes, allowed directories and numbers of topics, live."),
    (
        "console.users.changed",
        "Users are added and removed, directories given and taken; mistakes are refused.",
    ),
    ("console.users.browsers", "The signed-in browsers are listed, and signed out from another one."),
)
CONSOLE_APPS = requirements(
    "docs/reference/console.md#apps-and-plugins",
    ("console.apps.shown", "The apps of a user with what they do, where from, actions and `$NAME`s."),
    ("console.apps.plugins", "Plugins with what each adds, and why one was skipped."),
    (
        "console.apps.installed",
        "Apps are installed, updated and removed by the commands, whose reports are shown.",
    ),
    ("console.apps.secret", "A secret is set and deleted; its value is in no reply, page, event or log."),
)
