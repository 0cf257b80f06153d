"""Requirements on runs: their life, their histories."""

from __future__ import annotations

from tests.protocol.records import requirements

RUNS_RUNNING = requirements("Runs: life and histories")
