"""Requests as clients send them."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import Any


def stamp(moment: float | None = None) -> str:
    """Return a time, by default the present one, as clients write it."""
    return datetime.fromtimestamp(time.time() if moment is None else moment, UTC).isoformat()


def fields(*stages: list[str], **more: Any) -> dict[str, Any]:
    """Return the fields of a request that is allowed."""
    given = {"pipeline": stages or [["true"]], "time": stamp(), **more}
    return {name: value for name, value in given.items() if value is not ...}


def line(*stages: list[str], **more: Any) -> bytes:
    """Return the line of a request that is allowed; `...` leaves a field out."""
    return json.dumps(fields(*stages, **more)).encode() + b"\n"
