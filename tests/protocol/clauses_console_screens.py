"""Requirements on the screens of topics in the console."""

from __future__ import annotations

from tests.protocol.records import requirements

CONSOLE_SCREENS = requirements(
    "docs/reference/console.md#screens",
    (
        "console.screen.live",
        "A bash topic's screen is shown as a terminal shows it, live, also what came before.",
    ),
    (
        "console.screen.looks",
        "Colours (16, 256, true) and looks are shown; all text has a contrast of 4.5 or more.",
    ),
    ("console.screen.grid", "Every character stays within its cells; rows run from left to right."),
    ("console.screen.hostile", "No output becomes markup, a link, a title or an invisible text."),
    (
        "console.screen.watching",
        "Watching starts no shell, takes no output from agents, and holds up no topic.",
    ),
    ("console.screen.flood", "A flood of output is shown without holding up the daemon."),
    (
        "console.screen.typing",
        "Keys and pastes reach the program in order and completely, as commands in the log.",
    ),
    (
        "console.screen.prompt",
        "While no program runs, a line is a command for the shell, and never anything else.",
    ),
    ("console.screen.secrets", "A typed secret is kept nowhere, and shown nowhere."),
    (
        "console.screen.leaving",
        "The keyboard leaves the terminal by a key and by a button, which the page names.",
    ),
    ("console.screen.latency", "A key is visible within 100 ms on a machine at rest."),
    ("console.screen.ends", "The end of a shell, and of a topic, is shown; a new one appears by itself."),
    ("console.screen.size", "The agent's size is shown, and is never changed by watching."),
    ("console.screen.hook", "`stringd_console_screens` shows the screens of any topic type."),
)
