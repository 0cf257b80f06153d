"""Markdown with marks becomes the text that is read, and the places of what is in it."""

from __future__ import annotations

import re
from collections.abc import Callable

from stringd.plugin import Heading, Link, Span
from stringd.plugin.documents import slug
from stringd_web.html.marks import MARK, Marks, Target

_MOST_IN_PREFIX = 32
_ENDS_PREFIX = {" ", ">"}
_EMPTY = {"", " ", "\n"}
_NOT_PREFIX = re.compile(r"[^> ]")
_PREFIX = re.compile(r"(?:[ >]|[-:] |\d+[.)] )*")
_EMPTY_LINES = re.compile(r" *(?:\n[ >]*(?=\n))*\n([ >]*)")
_EMPTY_END = re.compile(r"(?:\n[ >]*)+\Z")
_ITEM = re.compile(r"(?:\n[ >]*)?(?:\n[ >]*|\A[ >]*)- \Z")
_BLANKS = re.compile(r" +\Z")
_TAKEN_BACK = "- >\n"
_IN_LABEL = str.maketrans({"[": "\\[", "]": "\\]"})


class OutlineBuilder:
    """A text as it grows, and where its parts stand in it."""

    def __init__(self, marks: Marks) -> None:
        self.links: list[Link] = []
        self.headings: list[Heading] = []
        self._marks = marks
        self._parts: list[str] = []
        self._length = 0
        self._counted = 0
        self._lines = 0
        self._open: list[tuple[int, int]] = []
        self._begun: dict[int, int] = {}
        self._ended: dict[int, int] = {}
        self._put: dict[str, Callable[[int, str], str]] = {
            "b": self._put_block,
            "d": self._put_definition,
            "e": self._end_name,
            "h": self._put_heading,
            "i": self._put_image,
            "l": self._begin_link,
            "s": self._begin_name,
            "z": self._end_link,
        }

    def fill(self, markdown: str) -> str:
        """Return the text, without marks."""
        pieces = MARK.split(markdown)
        self._write(pieces[0])
        for kind, number, text in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
            put = self._put.get(kind)
            self._write(put(int(number or 0), text) if put else text)
        return "".join(self._parts)

    def ids(self) -> dict[str, Span]:
        """Return the parts that have ids: what begins with a heading is its section."""
        sections = _sections(self.headings, self._line() + 1)
        spans: dict[str, Span] = {}
        for number, first in self._begun.items():
            last = self._ended.get(number, first) + 1
            spans[self._marks.names[number]] = Span(
                first=first, last=max(first + 1, last, sections.get(first, last))
            )
        return spans

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _line(self) -> int:
        """Return the number of the line in which the text ends so far."""
        last = len(self._parts) - 1
        self._lines += "".join(self._parts[self._counted : last]).count("\n")
        self._counted = last
        # Of the last part, something can still be taken back.
        return self._lines + self._parts[last].count("\n")

    def _prefix(self) -> str | None:
        """Return what stands in the line so far, if its text has not begun yet."""
        line = ""
        for part in reversed(self._parts[-_MOST_IN_PREFIX:]):
            _before, newline, rest = part.rpartition("\n")
            line = rest + line
            if newline:
                break
            if rest and rest[-1] not in _ENDS_PREFIX:
                return None
        else:
            if len(self._parts) > _MOST_IN_PREFIX:
                return None
        return line if _PREFIX.fullmatch(line) else None

    def _take_back(self, empty: re.Pattern[str]) -> None:
        """Take back what the text ends with."""
        last = self._parts[-1]
        if found := empty.search(last, len(last.rstrip(_TAKEN_BACK))):
            self._parts[-1] = last[: found.start()]
            self._length -= len(found[0])

    def _joined(self, text: str) -> str:
        """Return what follows a mark; if the mark is alone in its line, that is the text below."""
        prefix = self._prefix() if text[:1] in _EMPTY else None
        if prefix is None:
            return text
        below = _EMPTY_LINES.match(text)
        if below is None:
            return text.lstrip(" ")
        indent = _NOT_PREFIX.sub(" ", prefix)
        is_inside = below[1].startswith(indent)
        return below[1].removeprefix(indent) + text[below.end() :] if is_inside else text

    def _put_block(self, number: int, text: str) -> str:
        first, *rest = self._marks.blocks[number]
        before = self._prefix()
        if before is None:
            return f"{' '.join(rest[:-1])}{text}"
        prefix = _NOT_PREFIX.sub(" ", before)
        bare = prefix.rstrip()
        self._write("\n".join([first, *(f"{prefix}{line}" if line else bare for line in rest)]))
        return text

    def _put_definition(self, _: int, text: str) -> str:
        """Write a definition below its term."""
        prefix = self._prefix() or ""
        if not prefix.endswith("- ") or not self._parts[-1].endswith("- "):
            return text
        prefix = prefix.removesuffix("- ")
        self._take_back(_ITEM)
        self._write(f"\n{prefix}: " if self._length else ": ")
        return self._joined(text)

    def _put_heading(self, number: int, text: str) -> str:
        title = self._marks.titles[number]
        line = self._line()
        self.headings.append(
            Heading(first=line, last=line + 1, level=title.level, text=title.text, id=slug(title.text))
        )
        return text

    def _put_image(self, number: int, text: str) -> str:
        image = self._marks.images[number]
        self._write("![")
        start = self._length
        self._write(image.label.translate(_IN_LABEL))
        return f"{self._label_end(start, image, is_image=True)}{text}"

    def _begin_link(self, number: int, text: str) -> str:
        """Begin a label; blanks stand before it."""
        bracket = " [" if text[:1] == " " and self._prefix() is None else "["
        self._open.append((number, self._length + len(bracket)))
        return bracket + text.lstrip(" ")

    def _end_link(self, _: int, text: str) -> str:
        """End a label; blanks stand behind it."""
        if not self._open:
            return text
        number, start = self._open.pop()
        blank = ""
        if self._parts[-1][-1:] == " ":
            blank = " " if self._length > start else ""
            self._take_back(_BLANKS)
        return f"{self._label_end(start, self._marks.links[number])}{blank}{text}"

    def _label_end(self, start: int, leads: Target, *, is_image: bool = False) -> str:
        """Return what ends a label that began there, and ends here."""
        written = f"]({leads.target})"
        self.links.append(
            Link(
                label_start=start,
                label_end=self._length,
                end=self._length + len(written),
                label=leads.label,
                target=leads.target,
                image=is_image,
            )
        )
        return written

    def _begin_name(self, number: int, text: str) -> str:
        self._begun[number] = self._line()
        return self._joined(text)

    def _end_name(self, number: int, text: str) -> str:
        """End a part; a mark that is alone in its line ends what is above."""
        if text[:1] in _EMPTY and self._prefix() is not None:
            self._take_back(_EMPTY_END)
        self._ended[number] = self._line()
        return text


def _sections(headings: list[Heading], end: int) -> dict[int, int]:
    """Return for the lines where headings stand the lines where their sections end."""
    ends: dict[int, int] = {}
    open_headings: list[Heading] = []
    for heading in headings:
        while open_headings and open_headings[-1].level >= heading.level:
            ends[open_headings.pop().first] = heading.first
        open_headings.append(heading)
    ends.update((it.first, end) for it in open_headings)
    return ends
