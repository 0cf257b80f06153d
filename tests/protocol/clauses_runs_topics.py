"""Requirements on runs: topics."""

from __future__ import annotations

from tests.protocol.records import requirements

RUNS_TOPICS = requirements("Runs: topics and subcommands")
