"""The picture of a flow as SVG, with the state of each step in words as well as in colours."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator

from markupsafe import Markup
from msgspec import Struct

from stringd_console import shown_text
from stringd_runs.run_pages.figures import compact, money
from stringd_runs.run_pages.flow_layout import Box, Line, picture_of
from stringd_runs.run_pages.flow_nodes import CYCLE, FlowNode, NodeState
from stringd_runs.run_pages.page_templates import TEMPLATES

_NAME_COLUMNS = 22
_MARKS = {
    NodeState.IDLE: "",
    NodeState.ACTIVE: "●",
    NodeState.DONE: "✓",
    NodeState.FAILED: "✕",
    NodeState.STOPPED: "■",
}
_KINDS = {
    "sequential": "one after the other",
    "broadcast": "all at once",
    "function": "called by code",
}


class DrawnStep(Struct, frozen=True, kw_only=True):
    """A step as the picture and the list show it."""

    key: str
    name: str
    short_name: str
    state: str
    mark: str
    figures: str
    label: str
    """All of it, for people who cannot see the picture."""
    is_selected: bool
    box: Box | None = None
    steps: tuple[DrawnStep, ...] = ()


def flow_picture(flow: FlowNode, *, path: str, selected: str, asked: Collection[str]) -> Markup:
    """Return the picture of a flow, in which each step is a link to what it says."""
    picture = picture_of(flow)
    drawing = _Drawing(selected, frozenset(asked))
    return TEMPLATES.render(
        "flow.html",
        boxes=[drawing.step(it.node, it) for it in picture.boxes],
        flow=drawing.step(flow),
        frames=[drawing.step(it.node, it) for it in picture.frames],
        height=f"{picture.height:g}",
        path=path,
        lines=[(it, _state_of(it), _head(it)) for it in picture.lines],
        width=f"{picture.width:g}",
    )


def short(text: str, columns: int) -> str:
    """Return a text of at most so many columns of a terminal, in which wide letters take two."""
    shown = shown_text(" ".join(text.split()))
    taken = 0
    for index, letter in enumerate(shown):
        taken += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if taken > columns:
            return f"{shown[: index - 1]}…"
    return shown


class _Drawing:
    def __init__(self, selected: str, asked: frozenset[str]) -> None:
        self._selected = selected
        self._asked = asked

    def step(self, node: FlowNode, box: Box | None = None) -> DrawnStep:
        state = self._state(node)
        figures = " · ".join(_figures(node, state))
        words = (node.name, node.kind, state, *_figures(node, state))
        return DrawnStep(
            key=node.key,
            name=node.name,
            short_name=short(node.name, _NAME_COLUMNS if node.is_agent else 40),
            state=state,
            mark="?" if state == "waiting" else _MARKS[NodeState(state)],
            figures=figures,
            label=", ".join(dict.fromkeys(words)),
            is_selected=node.key == self._selected,
            box=box,
            steps=tuple(self.step(it) for it in node.inner) if box is None else (),
        )

    def _state(self, node: FlowNode) -> str:
        is_asked = node.is_agent and node.is_active and node.name in self._asked
        return "waiting" if is_asked else str(node.state)


def _figures(node: FlowNode, state: str) -> Iterator[str]:
    if node.is_agent:
        yield from _agent_figures(node, state)
    elif node.kind == CYCLE:
        yield _rounds(node)
    else:
        yield _KINDS.get(node.kind, node.kind)


def _agent_figures(node: FlowNode, state: str) -> Iterator[str]:
    if not node.calls:
        yield "not yet"
    elif state == "waiting":
        yield "waits for an answer"
    elif not node.tokens:
        yield "works" if state == NodeState.ACTIVE else state
    if node.calls > 1:
        yield f"{compact(node.calls)} calls"
    if node.tokens:
        yield f"{compact(node.tokens)} tok" if node.cost is not None else f"{compact(node.tokens)} tokens"
    if node.cost is not None:
        yield money(node.cost)


def _rounds(node: FlowNode) -> str:
    most = node.options.get("cycles", 1)
    bound = node.options.get("maxRounds")
    if isinstance(bound, int):
        most = bound if most == "Infinity" else min(most, bound)
    limit = "without a limit" if most == "Infinity" else f"{most:,}" if isinstance(most, int) else "?"
    if not node.round:
        return "rounds without a limit" if most == "Infinity" else f"at most {limit} rounds"
    return f"round {node.round:,}" if most == "Infinity" else f"round {node.round:,} of {limit}"


def _state_of(line: Line) -> str:
    return str(line.to.state) if line.to else str(NodeState.IDLE)


def _head(line: Line) -> str:
    if line.head is None:
        return ""
    x, y = line.head
    back = x + 8 if line.leads_back else x - 8
    return f"M{back:g} {y - 5:g}L{x:g} {y:g}L{back:g} {y + 5:g}"
