"""What programs ask their terminal, and would wait for the answer to."""

from __future__ import annotations

import re

_ANSWERS = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[5n": b"\x1b[0n",
    b"\x1b[c": b"\x1b[?6c",
    b"\x1b[0c": b"\x1b[?6c",
}
_QUESTION = re.compile(b"|".join(map(re.escape, _ANSWERS)))
_BEGUN = re.compile(rb"\x1b(?:\[[056]?)?\Z")
_LONGEST_BEGUN = 3
# Nobody who listens asks more than that at once.
_MOST = 32


class Questions:
    """Finds questions in output that comes in pieces."""

    def __init__(self) -> None:
        self._begun = b""

    def answers(self, data: bytes) -> bytes:
        """Return the answers to what a piece of output asks, or a question that it ends."""
        if not self._begun and b"\x1b" not in data:
            return b""
        data = self._begun + data
        begun = _BEGUN.search(data, max(len(data) - _LONGEST_BEGUN, 0))
        self._begun = begun[0] if begun else b""
        return b"".join(_ANSWERS[question] for question in _QUESTION.findall(data)[:_MOST])
