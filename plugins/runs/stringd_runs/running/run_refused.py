"""The error of a request about a run."""

from __future__ import annotations

from stringd_runs.messages.daemon_replies import RunErrorCode


class RunRefused(Exception):
    """What a client asked of a run is impossible; it is sent an `error` with this code and message."""

    def __init__(self, code: RunErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
