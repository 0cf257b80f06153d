"""Requirements on runs: topics."""

from __future__ import annotations

from tests.protocol.records import requirements

RUNS_TOPICS = requirements(
    "Runs: topics and subcommands",
    ("runs.topics.progress", "At a terminal, a line has the active step, agents, tokens and elapsed time."),
    ("runs.topics.narrow", "The line of progress always fits into the terminal, also when that is resized."),
    ("runs.topics.streaming", "At a terminal, texts are shown as they arrive, those of one agent at a time."),
    ("runs.topics.questions", "Questions are answered at the prompt, or by lines of standard input."),
    ("runs.topics.permissions", "Permissions are decided at the prompt."),
    ("runs.topics.interrupt", "Ctrl-C stops the run; a second one leaves without waiting for its end."),
    (
        "runs.topics.plain",
        "Without a terminal there are plain lines, and only the result on standard output.",
    ),
    ("runs.topics.json", "--json prints each message of the run as a line of JSON."),
    (
        "runs.topics.exit_codes",
        "The exit code is 0 if the run was completed, 1 if not, 2 for misuse, 130 for Ctrl-C.",
    ),
)
