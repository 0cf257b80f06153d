"""The events of what a model thinks, where its server tells only the texts and not where they begin and end.

Whatever else arrives ends the thinking: such a server sends one stretch of it at a time.
"""

from __future__ import annotations

from collections.abc import Iterator

from stringd_runs.agent_events import Thinking, ThinkingEnd, ThinkingStart

_ID = "thinking"


class ThinkingEvents:
    """Makes the events of one answer's thinking."""

    def __init__(self) -> None:
        self._has_begun = False

    def add(self, text: str) -> Iterator[ThinkingStart | Thinking]:
        """Yield the next piece, behind the beginning if it is the first one."""
        if not self._has_begun:
            yield ThinkingStart(id=_ID)
        self._has_begun = True
        yield Thinking(id=_ID, text=text)

    def end(self) -> Iterator[ThinkingEnd]:
        """Yield the end of what has begun."""
        if self._has_begun:
            yield ThinkingEnd(id=_ID)
        self._has_begun = False
