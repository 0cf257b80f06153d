"""Where the steps of a flow are in its picture: boxes for agents, frames for flows, arrows between them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from stringd_runs.run_pages.flow_nodes import CYCLE, FlowNode

BOX_WIDTH, BOX_HEIGHT = 212, 62
_GAP, _ROW_GAP = 40, 26
_PADDING, _TITLE = 18, 34
_SIDE = 46
"""The room beside the steps for lines that fork, join or lead back."""
_WIDEST = 1080
_MOST_FORKED = 6
_BROADCAST, _SEQUENTIAL = "broadcast", "sequential"


class Box(Struct, frozen=True, kw_only=True):
    """The place of a step; a frame is around those of its steps."""

    node: FlowNode
    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """The height at which lines enter and leave it."""
        return self.y + self.height / 2

    @property
    def right(self) -> float:
        """Its right side."""
        return self.x + self.width


class Line(Struct, frozen=True, kw_only=True):
    """A line to a step; `head` is the point of its arrow, which points to the left if `leads_back`."""

    path: str
    to: FlowNode | None = None
    head: tuple[float, float] | None = None
    leads_back: bool = False


class Picture(Struct, kw_only=True):
    """All that is drawn: frames first, then lines, then boxes."""

    width: float = 0
    height: float = 0
    frames: list[Box] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)


def picture_of(flow: FlowNode) -> Picture:
    """Return the picture of a flow."""
    block = _Block(flow, _WIDEST)
    picture = Picture(width=block.width + 2, height=block.height + 2)
    block.place(picture, 1, 1)
    return picture


class _Block:
    """A step with its size, which is known before its place."""

    def __init__(self, node: FlowNode, widest: float) -> None:
        self.node = node
        if not node.steps:
            self.width, self.height = float(BOX_WIDTH), float(BOX_HEIGHT)
            return
        inside = widest - 2 * _SIDE
        self.children = [_Block(it, inside) for it in node.steps]
        self.extras = [_Block(it, inside) for it in node.extras.values()]
        self.is_forked = node.kind == _BROADCAST and len(node.steps) <= _MOST_FORKED
        self.rows = list(self._rows(inside))
        self.side = _SIDE if self.is_forked or node.kind == CYCLE or len(self.rows) > 1 else _PADDING
        self.steps_width = max(map(_width, self.rows))
        self.steps_height = sum(map(_height, self.rows)) + _ROW_GAP * (len(self.rows) - 1)
        extras_width = _width(self.extras) if self.extras else 0
        self.width = max(self.steps_width, extras_width) + 2 * self.side
        self.height = _TITLE + self.steps_height + self._lane + _PADDING

    @property
    def _lane(self) -> float:
        """The room below the steps, for the way back or further steps."""
        if self.extras:
            return _ROW_GAP + max(it.height for it in self.extras)
        return _ROW_GAP if self.node.kind == CYCLE else 0

    def _rows(self, widest: float) -> Iterator[Sequence[_Block]]:
        if self.is_forked:
            yield from ([it] for it in self.children)
            return
        columns = len(self.children)
        if self.node.kind == _BROADCAST:
            columns = min(4, math.ceil(len(self.children) / 3))
        row: list[_Block] = []
        for child in self.children:
            if row and (len(row) >= columns or _width([*row, child]) > widest):
                yield row
                row = []
            row.append(child)
        yield row

    def place(self, picture: Picture, x: float, y: float) -> Box:
        box = Box(node=self.node, x=x, y=y, width=self.width, height=self.height)
        if not self.node.steps:
            picture.boxes.append(box)
            return box
        picture.frames.append(box)
        rows = list(self._placed_rows(picture, x + self.side, y + _TITLE))
        extras = self._placed_extras(picture, box)
        if self.is_forked:
            picture.lines += _forks(box, [row[0] for row in rows])
        elif self.node.kind in (_SEQUENTIAL, CYCLE):
            picture.lines += _chain(rows, x + self.side)
        if self.node.kind == CYCLE:
            picture.lines += _way_back(box, rows, extras[:1])
        return box

    def _placed_rows(self, picture: Picture, x: float, y: float) -> Iterator[Sequence[Box]]:
        for row in self.rows:
            height, left = _height(row), x
            if self.is_forked:
                left += (self.steps_width - row[0].width) / 2
            placed = []
            for child in row:
                placed.append(child.place(picture, left, y + (height - child.height) / 2))
                left += child.width + _GAP
            yield placed
            y += height + _ROW_GAP

    def _placed_extras(self, picture: Picture, box: Box) -> Sequence[Box]:
        placed = []
        if self.extras:
            left = box.x + (box.width - _width(self.extras)) / 2
            bottom = box.y + box.height - _PADDING
            for it in self.extras:
                placed.append(it.place(picture, left, bottom - it.height))
                left += it.width + _GAP
        return placed


def _width(row: Sequence[_Block]) -> float:
    return sum(it.width for it in row) + _GAP * (len(row) - 1)


def _height(row: Sequence[_Block]) -> float:
    return max(it.height for it in row)


def _chain(rows: Sequence[Sequence[Box]], left: float) -> Iterator[Line]:
    """Lead from each step to the next one, and from the end of a row to the beginning of the next."""
    before: Box | None = None
    for row in rows:
        for index, box in enumerate(row):
            if before and index:
                yield _arrow(box, f"M{before.right:g} {before.middle:g}H{box.x:g}")
            elif before:
                lane = min(it.y for it in row) - _ROW_GAP / 2
                turn, back = before.right + 14, left - 20
                path = (
                    f"M{before.right:g} {before.middle:g}H{turn:g}V{lane:g}H{back:g}V{box.middle:g}H{box.x:g}"
                )
                yield _arrow(box, path)
            before = box


def _forks(frame: Box, boxes: Sequence[Box]) -> Iterator[Line]:
    """Lead from the left side of a frame to all boxes, and from these to the right side."""
    left, right, middle = frame.x, frame.right, frame.middle
    for box in boxes:
        bend = f"{left + 24:g} {middle:g} {left + 12:g} {box.middle:g}"
        yield _arrow(box, f"M{left:g} {middle:g}C{bend} {box.x:g} {box.middle:g}")
        bend = f"{right - 12:g} {box.middle:g} {right - 24:g} {middle:g}"
        yield Line(path=f"M{box.right:g} {box.middle:g}C{bend} {right:g} {middle:g}")


def _way_back(frame: Box, rows: Sequence[Sequence[Box]], observers: Sequence[Box]) -> Iterator[Line]:
    """Lead from the last step to the first one, by the observer if there is one."""
    first, last = rows[0][0], rows[-1][-1]
    right, left = frame.right - 16, frame.x + 16
    up = f"V{first.middle:g}H{first.x:g}"
    if not observers:
        lane = frame.y + frame.height - _PADDING - 4
        yield _arrow(first, f"M{last.right:g} {last.middle:g}H{right:g}V{lane:g}H{left:g}{up}")
        return
    observer = observers[0]
    path = f"M{last.right:g} {last.middle:g}H{right:g}V{observer.middle:g}H{observer.right:g}"
    yield Line(path=path, to=observer.node, head=(observer.right, observer.middle), leads_back=True)
    yield _arrow(first, f"M{observer.x:g} {observer.middle:g}H{left:g}{up}")


def _arrow(box: Box, path: str) -> Line:
    return Line(path=path, to=box.node, head=(box.x, box.middle))
