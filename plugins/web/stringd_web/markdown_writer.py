"""A writer of Markdown that records the positions of links and headings."""

from __future__ import annotations

import re

from stringd.plugin import Heading, Link, Outline
from stringd.plugin.documents import Names, slug

_SPECIAL_IN_LABEL = re.compile(r"([\\\[\]])")
_UNSAFE_IN_TARGET = re.compile(r"[\s()<>]")


class MarkdownWriter:
    """Collects text and its outline."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._size = 0
        self._lines = 0
        self._links: list[Link] = []
        self._headings: list[Heading] = []
        self._names = Names()

    @property
    def text(self) -> str:
        """The text written so far."""
        return "".join(self._parts)

    @property
    def outline(self) -> Outline:
        """The links and headings written so far."""
        return Outline(links=tuple(self._links), headings=tuple(self._headings))

    def put(self, text: str) -> None:
        """Add text unchanged."""
        self._parts.append(text)
        self._size += len(text)
        self._lines += text.count("\n")

    def heading(self, text: str, target: str = "") -> None:
        """Add a heading of the first level, as a link if there is a target."""
        number = self._lines
        self.put("# ")
        self.link(text, target)
        self.put("\n")
        name = self._names.take(slug(text) or "section")
        self._headings.append(Heading(first=number, last=number + 1, level=1, text=text, id=name))

    def link(self, label: str, target: str) -> None:
        """Add a link, or just its label if there is no target."""
        escaped = _SPECIAL_IN_LABEL.sub(r"\\\1", label)
        if not target:
            self.put(label)
            return
        self.put("[")
        start = self._size
        self.put(escaped)
        end = self._size
        self.put(f"]({_UNSAFE_IN_TARGET.sub(_percent_encoded, target)})")
        self._links.append(Link(label_start=start, label_end=end, end=self._size, label=label, target=target))


def _percent_encoded(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())
