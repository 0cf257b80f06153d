"""Answer what programs ask of their terminal: they would wait for the answer."""

from __future__ import annotations

import re

_ANSWERS = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[5n": b"\x1b[0n",
    b"\x1b[c": b"\x1b[?6c",
    b"\x1b[0c": b"\x1b[?6c",
}
_QUERY = re.compile(b"|".join(map(re.escape, _ANSWERS)))
_INCOMPLETE = re.compile(rb"\x1b(?:\[[056]?)?\Z")
_LONGEST_INCOMPLETE = 3
# No program that reads the answers asks more at once.
_MOST = 32


class TerminalQueries:
    """Finds queries in output that comes in pieces."""

    def __init__(self) -> None:
        self._incomplete = b""

    def answers(self, data: bytes) -> bytes:
        """Return the answers to the queries that end in a piece of output."""
        if not self._incomplete and b"\x1b" not in data:
            return b""
        data = self._incomplete + data
        incomplete = _INCOMPLETE.search(data, max(len(data) - _LONGEST_INCOMPLETE, 0))
        self._incomplete = incomplete[0] if incomplete else b""
        return b"".join(_ANSWERS[query] for query in _QUERY.findall(data)[:_MOST])
