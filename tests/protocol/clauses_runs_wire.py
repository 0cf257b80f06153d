"""Requirements on runs: the WebSocket."""

from __future__ import annotations

from tests.protocol.records import requirements

RUNS_WIRE = requirements("Runs: the WebSocket")
