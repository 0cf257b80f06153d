"""A writer of Markdown that records the positions of links and headings."""

from __future__ import annotations

import re

from stringd.api.outlines import Heading, Link, Outline
from stringd.documents.syntax.blocks import Names, slug

_SPECIAL_IN_LABEL = re.compile(r"([\\\[\]])")
_UNSAFE_IN_TARGET = re.compile(r"[\s()<>]")
_DEEPEST = 6


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

    @property
    def size(self) -> int:
        """The number of characters written so far."""
        return self._size

    def heading(self, text: str, target: str = "", level: int = 1) -> None:
        """Add a heading on a line of its own, as a link if there is a target."""
        number, level = self._lines, min(level, _DEEPEST)
        self.put(f"{'#' * level} ")
        self.link(text, target)
        self.put("\n")
        name = self._names.take(slug(text) or "section")
        self._headings.append(Heading(first=number, last=number + 1, level=level, text=text, id=name))

    def put_outlined(self, text: str, outline: Outline) -> None:
        """Add a text with the structure that is known of it, beginning on a line of its own."""
        for heading in outline.headings:
            self._headings.append(
                heading._replace(
                    first=heading.first + self._lines,
                    last=heading.last + self._lines,
                    id=self._names.take(heading.id),
                    mark=None,
                )
            )
        self._links += [_moved(link, self._size) for link in outline.links]
        self.put(text)

    def link(self, label: str, target: str, *, image: bool = False) -> None:
        """Add a link or an image, or just its label if there is no target."""
        escaped = _SPECIAL_IN_LABEL.sub(r"\\\1", label)
        if not target:
            self.put(label)
            return
        self.put("![" if image else "[")
        start = self._size
        self.put(escaped)
        end = self._size
        self.put(f"]({_UNSAFE_IN_TARGET.sub(_percent_encoded, target)})")
        self._links.append(
            Link(label_start=start, label_end=end, end=self._size, label=label, target=target, image=image)
        )


def _moved(link: Link, distance: int) -> Link:
    return link._replace(
        label_start=link.label_start + distance,
        label_end=link.label_end + distance,
        end=link.end + distance,
    )


def _percent_encoded(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())
