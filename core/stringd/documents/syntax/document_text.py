"""Rendering of a document: its text without markers, directives, definitions and action fences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from stringd.api.outlines import Heading
from stringd.documents.syntax.lines import Lines
from stringd.documents.syntax.parser import Parsed
from stringd.documents.syntax.shortcuts import Replacement, Shortcuts


class Rendered(Struct, frozen=True, kw_only=True):
    """A text as it is shown, and the positions in it of the headings that begin sections."""

    text: str
    headings: tuple[tuple[int, Heading], ...]


def render(parsed: Parsed, shortcuts: Shortcuts, first: int = 0, last: int | None = None) -> str:
    """Return the lines from `first` to `last` (exclusive) as they are shown; by default all of them."""
    return rendered(parsed, shortcuts, first, last).text


def rendered(parsed: Parsed, shortcuts: Shortcuts, first: int = 0, last: int | None = None) -> Rendered:
    """Return the lines from `first` to `last` (exclusive) as they are shown, with their headings."""
    end = len(parsed.lines) if last is None else last
    replacements = sorted((*shortcuts.replacements, *_hidden_spans(parsed)), key=lambda it: it.start)
    headings = [it for it in parsed.structure.headings if first <= it.first < end]
    visible = _VisibleText(parsed.lines, replacements, headings)
    for start, stop in _visible(parsed.hidden, first, end):
        visible.take(start, stop)
    if any(stop == end for _, stop in parsed.hidden):
        visible.end()
    return Rendered(text=visible.text(), headings=tuple(visible.headings))


def _hidden_spans(parsed: Parsed) -> Iterator[Replacement]:
    """Yield the hidden parts of visible lines: ids of headings, definitions that begin a list item."""
    marks = (heading.mark for heading in parsed.structure.headings)
    definitions = (definition.hidden for definition in parsed.definitions)
    return (Replacement(start=it[0], end=it[1], text="") for it in (*marks, *definitions) if it)


def _visible(hidden: Iterable[tuple[int, int]], first: int, end: int) -> Iterator[tuple[int, int]]:
    for start, stop in hidden:
        if first < min(start, end):
            yield first, min(start, end)
        first = max(first, stop)
    if first < end:
        yield first, end


class _VisibleText:
    """Builder of the visible text; blank lines are kept on only one side of a hidden part."""

    def __init__(
        self, lines: Lines, replacements: Sequence[Replacement], headings: Sequence[Heading]
    ) -> None:
        self.headings: list[tuple[int, Heading]] = []
        self._pending = list(reversed(headings))
        self._lines = lines
        self._replacements = replacements
        self._next = 0
        self._parts: list[str] = []
        self._length = 0
        self._after_blank = False

    def take(self, first: int, last: int) -> None:
        if self._after_blank or (not self._parts and first > 0):
            while first < last and not self._lines[first].strip():
                first += 1
        if first == last:
            return
        while self._pending and self._pending[-1].first < last:
            heading = self._pending.pop()
            self._keep(first, heading.first)
            self.headings.append((self._length, heading))
            first = heading.first
        self._keep(first, last)
        self._after_blank = not self._lines[last - 1].strip()

    def text(self) -> str:
        return "".join(self._parts)

    def end(self) -> None:
        """Drop the blank lines before a hidden part at the end."""
        if self._parts and self._after_blank:
            self._parts[-1] = self._parts[-1].rstrip("\r\n \t") + self._lines.newline

    def _keep(self, first: int, last: int) -> None:
        text = self._replaced(self._lines.start(first), self._lines.start(last))
        self._parts.append(text)
        self._length += len(text)

    def _replaced(self, start: int, end: int) -> str:
        pieces = []
        while self._next < len(self._replacements) and self._replacements[self._next].start < end:
            replacement = self._replacements[self._next]
            self._next += 1
            if replacement.start >= start:
                pieces += [self._lines.text[start : replacement.start], replacement.text]
                start = replacement.end
        return "".join((*pieces, self._lines.text[start:end]))
