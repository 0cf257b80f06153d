"""The texts of agents, one after the other, although several agents may answer at once. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct


class Piece(Struct, frozen=True):
    """A piece of an agent's text; the first one of a speech has its heading before it."""

    agent: str
    text: str
    begins: bool = False


class AgentTexts:
    """Lets one agent talk at a time, and holds back what others say meanwhile."""

    def __init__(self) -> None:
        self._speaker: str | None = None
        self._said: dict[str, str] = {}
        self._held_back: dict[str, str] = {}
        self._finished: set[str] = set()

    def add(self, agent: str, text: str) -> Iterator[Piece]:
        """Take a piece of an agent's answer, and yield what can be shown."""
        self._said[agent] = self._said.get(agent, "") + text
        if self._speaker in {None, agent}:
            yield self._piece(agent, text)
        else:
            self._held_back[agent] = self._held_back.get(agent, "") + text

    def end(self, agent: str, whole: str) -> Iterator[Piece]:
        """Take the end of an agent's answer, and its whole text, of which pieces may have been left out."""
        said = self._said.get(agent, "")
        missing = whole[len(said) :] if whole.startswith(said) else f"\n{whole}"
        if missing or not said:
            yield from self.add(agent, missing)
        del self._said[agent]
        if self._speaker != agent:
            self._finished.add(agent)
            return
        self._speaker = None
        yield from self._next()

    def _next(self) -> Iterator[Piece]:
        """Yield what was held back, up to the agent that has not finished."""
        while self._held_back and self._speaker is None:
            agent = next(iter(self._held_back))
            yield self._piece(agent, self._held_back.pop(agent))
            if agent in self._finished:
                self._finished.remove(agent)
                self._speaker = None

    def _piece(self, agent: str, text: str) -> Piece:
        begins = self._speaker is None
        self._speaker = agent
        return Piece(agent, text, begins)
