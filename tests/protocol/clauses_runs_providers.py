"""Requirements on runs: providers."""

from __future__ import annotations

from tests.protocol.records import requirements

RUNS_PROVIDERS = requirements("Runs: providers")
