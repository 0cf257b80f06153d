"""Requirements on runs: agents."""

from __future__ import annotations

from tests.protocol.records import requirements

RUNS_AGENTS = requirements("Runs: agents and tools")
