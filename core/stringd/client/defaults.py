"""Default port and time limits of the clients."""

from __future__ import annotations

import os

from stringd.config import DEFAULT_PORT, parse_port
from stringd.errors import Fault

CONNECT_SECONDS = 5.0
PING_SECONDS = 5.0
REPLY_SECONDS = 30.0
# Nothing follows `done`: a stream that stays open is closed, and its connection not reused.
DRAIN_SECONDS = 1.0
# A daemon answers sooner, unless the command waits in its topic's queue.
DELAY_SECONDS = 1.0


def default_port() -> int:
    """Return the daemon's port: `STRINGD_PORT`, else 3100."""
    return check_port(os.environ.get("STRINGD_PORT") or str(DEFAULT_PORT), "STRINGD_PORT")


def check_port(text: str, source: str) -> int:
    """Return the port that `text` names, else raise a `Fault` that names its source."""
    port = parse_port(text)
    if not port:
        raise Fault(f"{source} is not a port: {text}", exit_code=2)
    return port
