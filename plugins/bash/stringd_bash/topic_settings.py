"""Settings of bash topics: defaults from the daemon's environment, and a topic's own variables."""

from __future__ import annotations

import os
from collections.abc import Mapping

from msgspec import Struct

from stringd.plugin import ErrorCode, Fault, Refusal, Session, parse_seconds
from stringd.plugin.processes import TIME_LIMIT, read_limit, time_limit
from stringd_bash.terminal_size import Size

_SIZE_NAME = "_size"


class Settings(Struct, frozen=True, kw_only=True):
    """The defaults for all bash topics."""

    program: str
    rc: str
    seconds: float
    size: Size

    @classmethod
    def read(cls) -> Settings:
        """Read the defaults from the environment; raise a `Fault` for an invalid one."""
        seconds = parse_seconds(os.environ.get("STRINGD_BASH_TIMEOUT") or "120")
        size = Size.parse(os.environ.get("STRINGD_BASH_SIZE") or "80x24")
        if seconds is None:
            raise Fault("STRINGD_BASH_TIMEOUT must be a number of seconds", exit_code=2)
        if size is None:
            raise Fault("STRINGD_BASH_SIZE must be a size such as 120x40", exit_code=2)
        return cls(
            program=os.environ.get("STRINGD_BASH_PROGRAM") or "/bin/bash",
            rc=os.environ.get("STRINGD_BASH_RC", ""),
            seconds=seconds,
            size=size,
        )

    def seconds_of(self, session: Session) -> float:
        """Return how long a request waits for the program before it is answered."""
        return time_limit(session.state, self.seconds)

    def check(self, variables: Mapping[str, str]) -> None:
        """Refuse invalid values of the topic's variables."""
        read_limit(variables.get(TIME_LIMIT), self.seconds)
        self._size(variables.get(_SIZE_NAME))

    def size_of(self, session: Session) -> Size:
        """Return a topic's terminal size."""
        return self._size(session.state.variable(_SIZE_NAME))

    def _size(self, text: str | None) -> Size:
        size = self.size if text is None else Size.parse(text)
        if size is None:
            raise Refusal(
                ErrorCode.INVALID_PARAMS, f"{{_size}} must be columns x rows such as 120x40, not {text!r}."
            )
        return size
