"""Requirements on runs: topics."""

from __future__ import annotations

from tests.protocol.records import requirements

RUNS_TOPICS = requirements(
    "Runs: topics and subcommands",
    ("runs.topics.progress", "At a terminal, a line has the active step, agents, tokens and elapsed time."),
    ("runs.topics.narrow", "The line of progress always fits into the terminal, also when that is resized."),
)
