"""Requirements on approval's pages in the console."""

from __future__ import annotations

from tests.protocol.records import requirements

CONSOLE_APPROVAL = requirements(
    "docs/reference/console.md#log",
    (
        "console.log.backwards",
        "The log is read from its end, in bounded memory, and again only what was added.",
    ),
    ("console.log.filters", "Entries are found by kind, user, topic, text and time."),
    ("console.log.live", "Entries appear as they are written; secrets are masked."),
    ("console.log.export", "The log is exported as it is, to a signed-in page only."),
    ("console.log.events", "The latest events of the daemon are shown as they come."),
    ("console.log.chain", "The chain is verified, and what is wrong with it is named."),
    ("console.policy.rules", "The policy in force is shown with its state."),
    ("console.policy.explain", "What the policy says of a command line is explained."),
    ("console.policy.grants", "Grants are listed, and can be withdrawn."),
)
