"""Requirements on runs: the WebSocket."""

from __future__ import annotations

from tests.protocol.records import requirements

_FRAMES = requirements(
    "Runs: frames",
    ("runs.frames.strict_json", "A frame that is not strict JSON is a PARSE_ERROR without requestId."),
    ("runs.frames.validation", "JSON with a wrong type or field is a VALIDATION_ERROR that names each one."),
    ("runs.frames.request_id", "requestId is any string, also an empty one, and echoed as it is."),
    ("runs.frames.unknown_fields", "Unknown fields are ignored."),
    ("runs.frames.run_ids", "A run id is 1 to 100 letters, digits, - and _, and no path."),
    ("runs.frames.envelope", "Each message has type, ts in milliseconds, and requestId or none, never null."),
)

RUNS_WIRE = _FRAMES
