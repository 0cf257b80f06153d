"""Requirements on runs: strategies."""

from __future__ import annotations

from tests.protocol.records import requirements

RUNS_STRATEGIES = requirements("Runs: strategies and flows")
