"""A plugin with which a daemon waits for clients, and stores what they send, as `IMPATIENCE` says."""

from __future__ import annotations

import json
import os
from typing import Any

from stringd.server import http_server
from stringd.server.client_timeouts import Limits, Wait

WANTED: dict[str, Any] = json.loads(os.environ["IMPATIENCE"])
WAITS = (Wait.HANDSHAKE, Wait.HEAD, Wait.BODY, Wait.NEXT_REQUEST, Wait.READ)
SECONDS: dict[Wait, float] = dict.fromkeys(WAITS, WANTED.pop("seconds"))


def limits() -> Limits:
    return Limits(seconds={**Limits().seconds, **SECONDS}, **WANTED)


vars(http_server)["Limits"] = limits
