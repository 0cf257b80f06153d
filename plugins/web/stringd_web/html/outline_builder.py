"""Replaces the marks in Markdown by text, recording the positions of links, headings and ids."""

from __future__ import annotations

import re
from collections.abc import Callable

from stringd.plugin import Heading, Link, Span
from stringd.plugin.documents import slug
from stringd_web.html.marks import MARK, LinkTarget, Marks, Title

_MAX_PREFIX_PARTS = 32
_ENDS_PREFIX = {" ", ">"}
_STARTS_EMPTY = {"", " ", "\n"}
_NOT_PREFIX = re.compile(r"[^> ]")
_LINE_PREFIX = re.compile(r"(?:[ >]|[-:] |\d+[.)] )*")
_EMPTY_LINES = re.compile(r" *(?:\n[ >]*(?=\n))*\n([ >]*)")
_EMPTY_END = re.compile(r"(?:\n[ >]*)+\Z")
_ITEM = re.compile(r"(?:\n[ >]*)?(?:\n[ >]*|\A[ >]*)- \Z")
_BLANKS = re.compile(r" +\Z")
_REMOVABLE = "- >\n"
_IN_LABEL = str.maketrans({"[": "\\[", "]": "\\]"})


class OutlineBuilder:
    """Builds the final text and its outline."""

    def __init__(self, marks: Marks) -> None:
        self.links: list[Link] = []
        self.headings: list[Heading] = []
        self._marks = marks
        self._titles: list[tuple[int, Title]] = []
        self._parts: list[str] = []
        self._length = 0
        self._counted_parts = 0
        self._lines = 0
        self._open_links: list[tuple[int, int]] = []
        self._first_lines: dict[int, int] = {}
        self._last_lines: dict[int, int] = {}
        self._handlers: dict[str, Callable[[int, str], str]] = {
            "b": self._put_block,
            "d": self._put_definition,
            "e": self._end_id,
            "h": self._put_heading,
            "i": self._put_image,
            "l": self._begin_link,
            "s": self._begin_id,
            "z": self._end_link,
        }

    def build(self, markdown: str) -> str:
        """Return the text with all marks replaced."""
        pieces = MARK.split(markdown)
        self._write(pieces[0])
        kinds = pieces[1::3]
        marked = zip(kinds, [*kinds[1:], ""], pieces[2::3], pieces[3::3], strict=False)
        for kind, following, number, text in marked:
            if kind == "l" and following == "z" and text and text[0] != " " != text[-1]:
                _, _, _, after = next(marked)
                self._put_link(self._marks.links[int(number)], text, after)
            else:
                put = self._handlers.get(kind)
                self._write(put(int(number or 0), text) if put else text)
        self.headings = [
            Heading(first=line, last=line + 1, level=title.level, text=title.text, id=slug(title.text))
            for line, title in self._titles
        ]
        return "".join(self._parts)

    def ids(self) -> dict[str, Span]:
        """Return the line ranges of ids; an id at a heading covers its section."""
        sections = _sections(self.headings, self._line() + 1)
        spans: dict[str, Span] = {}
        for number, first in self._first_lines.items():
            last = self._last_lines.get(number, first) + 1
            spans[self._marks.names[number]] = Span(
                first=first, last=max(first + 1, last, sections.get(first, last))
            )
        return spans

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _line(self) -> int:
        """Return the number of the current line."""
        last = len(self._parts) - 1
        self._lines += "".join(self._parts[self._counted_parts : last]).count("\n")
        self._counted_parts = last
        # The last part may still be shortened.
        return self._lines + self._parts[last].count("\n")

    def _prefix(self) -> str | None:
        """Return the prefix of the current line (quotes, bullets), or None if it already has text."""
        line = ""
        for part in reversed(self._parts[-_MAX_PREFIX_PARTS:]):
            _before, newline, rest = part.rpartition("\n")
            line = rest + line
            if newline:
                break
            if rest and rest[-1] not in _ENDS_PREFIX:
                return None
        else:
            if len(self._parts) > _MAX_PREFIX_PARTS:
                return None
        return line if _LINE_PREFIX.fullmatch(line) else None

    def _remove_trailing(self, empty: re.Pattern[str]) -> None:
        """Remove trailing text that matches."""
        last = self._parts[-1]
        if found := empty.search(last, len(last.rstrip(_REMOVABLE))):
            self._parts[-1] = last[: found.start()]
            self._length -= len(found[0])

    def _join_next_line(self, text: str) -> str:
        """Return the text after a mark; a mark alone in its line is joined with the next line."""
        prefix = self._prefix() if text[:1] in _STARTS_EMPTY else None
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
        """Write a definition below its term, as Markdown's `: `."""
        prefix = self._prefix() or ""
        if not prefix.endswith("- ") or not self._parts[-1].endswith("- "):
            return text
        prefix = prefix.removesuffix("- ")
        self._remove_trailing(_ITEM)
        self._write(f"\n{prefix}: " if self._length else ": ")
        return self._join_next_line(text)

    def _put_heading(self, number: int, text: str) -> str:
        self._titles.append((self._line(), self._marks.titles[number]))
        return text

    def _put_image(self, number: int, text: str) -> str:
        image = self._marks.images[number]
        self._write("![")
        start = self._length
        self._write(image.label.translate(_IN_LABEL))
        return f"{self._close_label(start, image, is_image=True)}{text}"

    def _begin_link(self, number: int, text: str) -> str:
        """Open a link label; move leading blanks before the bracket."""
        bracket = " [" if text[:1] == " " and self._prefix() is None else "["
        self._open_links.append((number, self._length + len(bracket)))
        return bracket + text.lstrip(" ")

    def _put_link(self, link: LinkTarget, label: str, text: str) -> None:
        """Write a whole link whose label has neither marks nor blanks at its edges, and the text after it."""
        start = self._length + len("[")
        written = f"[{label}]({link.target})"
        self.links.append(
            Link(
                label_start=start,
                label_end=start + len(label),
                end=self._length + len(written),
                label=link.label,
                target=link.target,
                image=False,
            )
        )
        self._write(written + text)

    def _end_link(self, _: int, text: str) -> str:
        """Close a link label; move trailing blanks behind the link."""
        if not self._open_links:
            return text
        number, start = self._open_links.pop()
        blank = ""
        if self._parts[-1][-1:] == " ":
            blank = " " if self._length > start else ""
            self._remove_trailing(_BLANKS)
        return f"{self._close_label(start, self._marks.links[number])}{blank}{text}"

    def _close_label(self, start: int, link: LinkTarget, *, is_image: bool = False) -> str:
        """Return the end of a label that started at an offset, and record its link."""
        written = f"]({link.target})"
        self.links.append(
            Link(
                label_start=start,
                label_end=self._length,
                end=self._length + len(written),
                label=link.label,
                target=link.target,
                image=is_image,
            )
        )
        return written

    def _begin_id(self, number: int, text: str) -> str:
        self._first_lines[number] = self._line()
        return self._join_next_line(text)

    def _end_id(self, number: int, text: str) -> str:
        """End the range of an id; a mark alone in its line ends the range at the line above."""
        if text[:1] in _STARTS_EMPTY and self._prefix() is not None:
            self._remove_trailing(_EMPTY_END)
        self._last_lines[number] = self._line()
        return text


def _sections(headings: list[Heading], end: int) -> dict[int, int]:
    """Return the end line of each heading's section, by the heading's line."""
    ends: dict[int, int] = {}
    open_headings: list[Heading] = []
    for heading in headings:
        while open_headings and open_headings[-1].level >= heading.level:
            ends[open_headings.pop().first] = heading.first
        open_headings.append(heading)
    ends.update((it.first, end) for it in open_headings)
    return ends
