"""What has happened in a run, as its events tell it: bounded, however long the run is."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

from stringd_runs.messages.run_progress import RunState
from stringd_runs.run_pages.excerpt import Excerpt
from stringd_runs.run_pages.flow_nodes import FlowNode, flow_nodes
from stringd_runs.run_pages.run_entries import CallEntry, CallState, Note

MOST_ENTRIES = 400
LARGEST = 8_000_000
"""How many characters of all entries are kept."""

Message: TypeAlias = Mapping[str, Any]
RunEntry: TypeAlias = CallEntry | Note


class RunStory:
    """The flow of the latest execution, and the latest entries of all of them."""

    def __init__(self) -> None:
        self.strategy = ""
        self.flow: FlowNode | None = None
        self.state: RunState | None = None
        self.executions = 0
        self.started_at = self.ended_at = ""
        self.steps = 0
        self.tokens = 0
        self.cost: float | None = None
        self.failure = ""
        self.unused_steering = 0
        self.entries: deque[RunEntry] = deque()
        self.dropped = 0
        """How many earlier entries are not kept."""
        self.version = 0
        """Grows with each change of the flow or the figures."""
        self._numbers = 0
        self._size = 0
        self._active: dict[str, CallEntry] = {}
        self._given: dict[str, str] = {}

    def prepare(self, strategy: str, tree: Any) -> None:
        """Note what is going to be run."""
        self.strategy = strategy
        self.flow = flow_nodes(tree)
        self.version += 1

    def settle_people(self, asked: Collection[str]) -> None:
        """Note which people are still asked: within a nested flow, no event tells that one has answered."""
        for agent, call in tuple(self._active.items()):
            if call.is_person and agent not in asked:
                self.end_call(agent)
                call.close(CallState.DONE, "")
                self.version += 1

    def note_given(self, node: FlowNode, text: str) -> None:
        """Remember what a step is given, until its agent begins."""
        self._given[node.key] = text

    def call_of(self, message: Message) -> CallEntry:
        """Return the call that an agent is in, which begins with its first event."""
        agent = message["agentName"]
        call = self._active.get(agent)
        if call is None:
            node = self._begin_agent(agent)
            given = self._given.pop(_top_key(node.key), "") if node else ""
            call = CallEntry(
                number=self._next_number(),
                at=message.get("ts", ""),
                node=node.key if node else "",
                agent=agent,
                turn=node.calls if node else 1,
                given=Excerpt(given, head=4_000, tail=1_000) if given else None,
            )
            self._active[agent] = call
            self._keep(call)
        if model := message.get("model"):
            call.model = model
        return call

    def end_call(self, agent: str) -> tuple[CallEntry | None, FlowNode | None]:
        """Forget the call that an agent is in; return it with its step."""
        call = self._active.pop(agent, None)
        node = self.find(call.node) if call else None
        if node and not self._is_top(node):
            node.completed += 1
        return call, node

    def find(self, key: str) -> FlowNode | None:
        """Return the step with a key."""
        return next((it for it in self.flow.all() if it.key == key), None) if self.flow else None

    def step_named(self, name: str) -> FlowNode | None:
        """Return the top-level step of a name that has begun the least often."""
        named = [it for it in self.flow.inner if it.name == name] if self.flow else []
        return min(named, key=lambda it: it.begun, default=None)

    def open_step(self, name: str) -> FlowNode | None:
        """Return an active top-level step of a name."""
        named = (it for it in self.flow.inner if it.name == name) if self.flow else ()
        return next((it for it in named if it.begun > it.completed), None)

    @property
    def active_calls(self) -> Sequence[CallEntry]:
        """The calls that agents are in."""
        return tuple(self._active.values())

    def note(self, message: Message, kind: str, title: str, text: str = "", node: str = "") -> None:
        """Add an entry that is not a call."""
        note = Note(
            number=self._next_number(),
            at=message.get("ts", ""),
            node=node,
            kind=kind,
            title=title,
            text=Excerpt(text),
        )
        self._keep(note)

    def close_calls(self, state: CallState, at: str, within: FlowNode | None = None) -> None:
        """Note that the calls of a step, or all, are over."""
        for agent, call in tuple(self._active.items()):
            if within is None or within.holds(call.node):
                self.end_call(agent)
                call.close(state, at)

    def forget_calls(self) -> None:
        """Note that no agent is in a call any more."""
        self._active.clear()

    def begin(self) -> None:
        """Forget the figures of an earlier execution."""
        self.executions += 1
        self.steps = self.tokens = self.unused_steering = 0
        self.cost = None
        self.failure = self.ended_at = ""
        self._active.clear()
        self._given.clear()

    def _begin_agent(self, agent: str) -> FlowNode | None:
        """Return the step in which an agent begins: within an active top-level step."""
        if self.flow is None:
            return None
        top = [it for it in self.flow.inner if it.begun > it.completed]
        for step in top:
            if step.is_agent and step.name == agent:
                return step
        nodes = [it for step in top for it in step.all() if it.is_agent and it.name == agent]
        node = min(nodes, key=lambda it: it.begun, default=None)
        if node:
            node.begun += 1
            self.version += 1
        return node

    def _is_top(self, node: FlowNode) -> bool:
        return self.flow is not None and node in self.flow.inner

    def _next_number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _keep(self, entry: RunEntry) -> None:
        self.entries.append(entry)
        if self._numbers % 20 == 0:
            self._size = sum(it.size for it in self.entries)
        while len(self.entries) > MOST_ENTRIES or (self._size > LARGEST and len(self.entries) > 1):
            self._size -= self.entries.popleft().size
            self.dropped += 1


def _top_key(key: str) -> str:
    """Return the key of the top-level step that a step is, or is within."""
    return ".".join(key.split(".")[:2])
