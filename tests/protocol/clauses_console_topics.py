"""Requirements on the console's pages of topics."""

from __future__ import annotations

from tests.protocol.records import requirements

CONSOLE_TOPICS = requirements(
    "docs/reference/console.md#topics",
    ("console.topics.list", "All topics by user and type, what runs and what waits, live; found by words."),
    (
        "console.topics.many",
        "A thousand topics: a first view below 150 kB, and the rest at once.",
    ),
    ("console.topics.running", "What has been running for a while, with its label and for how long."),
    ("console.topic.exchanges", "Commands and answers as they come, refused ones included."),
    ("console.topic.operator", "Nothing is kept of commands in a daemon without an operator."),
    ("console.topic.running", "The output of a running command as it is printed."),
    ("console.topic.whole", "Long replies are cut; all that is kept of one is shown on demand."),
    ("console.topic.acting", "A topic is opened, sent to, cancelled and closed; failures say why."),
    ("console.topic.completion", "Commands, paths and names of the document are completed."),
    ("console.topic.keyboard", "All of this works by keyboard alone."),
    ("console.topic.masked", "Commands and variables are shown masked, as the daemon masks them."),
    ("console.topic.hostile", "No text of a command, reply, title or name becomes markup."),
    (
        "console.topic.forgotten",
        "What was sent to a topic is forgotten when it ends, or its user does.",
    ),
    ("console.topic.bounded", "The exchanges that are kept are bounded for each topic and in all."),
)
