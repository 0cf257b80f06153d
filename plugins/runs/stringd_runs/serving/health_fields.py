"""The fields of `/health` that clients of the WebSocket look for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from stringd.plugin import HealthField


def health_fields(active: Callable[[], int], connected: Callable[[], int]) -> Iterable[HealthField]:
    """Return the fields; the daemon's uptime counts from now, in milliseconds."""
    began = time.monotonic()
    values: dict[str, Callable[[], object]] = {
        "status": lambda: "ok",
        "uptime": lambda: int((time.monotonic() - began) * 1000),
        "activeRuns": active,
        "connectedClients": connected,
    }
    return [HealthField(name=name, read=read, is_public=True) for name, read in values.items()]
