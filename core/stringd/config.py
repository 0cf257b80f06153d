"""How a daemon is started: options first, then `STRINGD_*` variables, then defaults."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

DEFAULT_PORT = 3100
LOOPBACK = "127.0.0.1"
BODY_LIMIT = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of one daemon."""

    port: int = DEFAULT_PORT
    data_dir: Path = Path(".stringd")
    plugins: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    allowed_origins: frozenset[str] = frozenset()
    ping_seconds: float = 15.0
    queue_wait_seconds: float = 60.0
