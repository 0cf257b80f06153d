"""What a run's page shows of a run, one entry for each call of an agent and for each other occurrence."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TypeAlias

from markupsafe import Markup
from msgspec import Struct, field

from stringd_runs.run_pages.excerpt import Excerpt

_MOST_PARTS = 100
_SHORT = {"head": 3_000, "tail": 1_000}


class CallState(StrEnum):
    """What happens to a call."""

    ACTIVE = "active"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


class Said(Struct, kw_only=True, eq=False):
    """A text of the agent; `html` is its Markdown once it has been rendered."""

    text: Excerpt
    html: Markup | None = None


class Thought(Struct, kw_only=True, eq=False):
    """What a model thinks."""

    id: str
    text: Excerpt = field(default_factory=lambda: Excerpt(head=6_000, tail=2_000))
    is_over: bool = False


class ToolUsed(Struct, kw_only=True, eq=False):
    """A call of a tool; `output` is None while it works."""

    id: str
    name: str
    arguments: Excerpt
    output: Excerpt | None = None
    has_failed: bool = False


Part: TypeAlias = Said | Thought | ToolUsed


class Entry(Struct, kw_only=True, eq=False):
    """An entry, whose `version` grows with each change."""

    number: int
    at: str
    """When, in ISO 8601."""
    node: str = ""
    """The key of its step."""
    version: int = 0


class CallEntry(Entry, kw_only=True, eq=False):
    """A call of an agent."""

    agent: str
    model: str = ""
    turn: int = 1
    given: Excerpt | None = None
    parts: list[Part] = field(default_factory=list)
    omitted_parts: int = 0
    state: CallState = CallState.ACTIVE
    ended_at: str = ""
    tokens: int | None = None
    cost: float | None = None
    context_tokens: int | None = None
    context_window: int | None = None
    is_person: bool = False

    def add(self, part: Part) -> None:
        """Add a part; beyond a number, the oldest ones are dropped."""
        self.parts.append(part)
        if len(self.parts) > _MOST_PARTS:
            del self.parts[0]
            self.omitted_parts += 1
        self.version += 1

    def say(self, text: str) -> None:
        """Add a piece of text."""
        last = self.parts[-1] if self.parts else None
        if isinstance(last, Said):
            last.text.add(text)
            self.version += 1
        else:
            self.add(Said(text=Excerpt(text)))

    def think(self, thought_id: str, text: str) -> None:
        """Add a piece of what the model thinks."""
        thought = next((it for it in reversed(self.parts) if isinstance(it, Thought)), None)
        if thought is None or thought.id != thought_id or thought.is_over:
            thought = Thought(id=thought_id)
            self.add(thought)
        thought.text.add(text)
        self.version += 1

    def end_thought(self) -> None:
        """Note that the model thinks no more."""
        for it in self.parts:
            if isinstance(it, Thought):
                it.is_over = True
        self.version += 1

    def use(self, tool_id: str, name: str, arguments: str) -> None:
        """Add a call of a tool."""
        self.add(ToolUsed(id=tool_id, name=name, arguments=Excerpt(arguments, **_SHORT)))

    def note_result(self, tool_id: str, output: str, *, has_failed: bool) -> None:
        """Note what a tool has returned."""
        for it in reversed(self.parts):
            if isinstance(it, ToolUsed) and it.id == tool_id and it.output is None:
                it.output = Excerpt(output, **_SHORT)
                it.has_failed = has_failed
                self.version += 1
                return

    def end(self, text: str, at: str) -> None:
        """Note the whole answer."""
        if self.parts and isinstance(self.parts[-1], Said):
            self.parts.pop()
        if text:
            self.parts.append(Said(text=Excerpt(text)))
        self.close(CallState.DONE, at)

    def close(self, state: CallState, at: str) -> None:
        """Note that the call is over."""
        self.state, self.ended_at = state, at
        self.end_thought()

    def texts(self) -> Iterator[Said]:
        """Return the texts, the latest first."""
        return (it for it in reversed(self.parts) if isinstance(it, Said))

    @property
    def size(self) -> int:
        """About how many characters are kept."""
        texts = [self.given] if self.given else []
        for it in self.parts:
            texts += (it.arguments, it.output or Excerpt()) if isinstance(it, ToolUsed) else (it.text,)
        return sum(map(len, texts))


class Note(Entry, kw_only=True, eq=False):
    """Something else: the beginning of an execution, a steering text, a question, or the end."""

    kind: str
    """`start`, `steer`, `asked`, `completed`, `failed` or `cancelled`."""
    title: str
    text: Excerpt = field(default_factory=Excerpt)
    html: Markup | None = None

    @property
    def size(self) -> int:
        """About how many characters are kept."""
        return len(self.text)
