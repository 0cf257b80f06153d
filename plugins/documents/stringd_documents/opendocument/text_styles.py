"""The styles of an OpenDocument file: the look of text, and what begins the items of lists."""

from __future__ import annotations

import re
from itertools import chain
from xml.etree.ElementTree import Element

from msgspec import Struct

_BOLD = re.compile(r"bold|[6-9]00")
_ITALIC = {"italic", "oblique"}
_CODE = re.compile(r"preformatted|source|code|verbatim", re.IGNORECASE)
_TITLE = "Title"
_LONGEST_CHAIN = 20


class Look(Struct, frozen=True, kw_only=True):
    """What a style says about text; None is not said."""

    bold: bool | None = None
    italic: bool | None = None
    struck: bool | None = None


class TextStyles:
    """The styles of a document by name, each with what it inherits."""

    def __init__(self, *roots: Element | None) -> None:
        known = [root for root in roots if root is not None]
        self._styles = {it.get("name", ""): it for it in chain(*(root.iter("style") for root in known))}
        self._lists = {it.get("name", ""): it for it in chain(*(root.iter("list-style") for root in known))}

    def look(self, name: str) -> Look:
        """Return the look of text in a style, without what is said about whole paragraphs."""
        properties = [
            it for element in self._chain(name) if (it := element.find("text-properties")) is not None
        ]
        weight = next((it.get("font-weight") for it in properties if it.get("font-weight")), None)
        slant = next((it.get("font-style") for it in properties if it.get("font-style")), None)
        line = next((it for it in map(_line_through, properties) if it), None)
        return Look(
            bold=None if weight is None else _BOLD.fullmatch(weight) is not None,
            italic=None if slant is None else slant in _ITALIC,
            struck=None if line is None else line != "none",
        )

    def is_code(self, name: str) -> bool:
        """Whether a style, or one that it is based on, is one of code."""
        return any(map(_CODE.search, self._names(name)))

    def is_title(self, name: str) -> bool:
        """Whether a style is that of the document's title."""
        return _TITLE in self._names(name)

    def is_numbered(self, list_style: str, depth: int) -> bool:
        """Whether the items of a list at a depth from 0 have numbers."""
        style = self._lists.get(list_style)
        levels = style.iterfind("list-level-style-number") if style is not None else ()
        return any(it.get("level") == str(depth + 1) and it.get("num-format") for it in levels)

    def _names(self, name: str) -> list[str]:
        """Return the name of a style and of those that it is based on, defined in the file or not."""
        return [name, *(it.get("parent-style-name", "") for it in self._chain(name))]

    def _chain(self, name: str) -> list[Element]:
        found: list[Element] = []
        style = self._styles.get(name)
        while style is not None and len(found) < _LONGEST_CHAIN:
            found.append(style)
            style = self._styles.get(style.get("parent-style-name", ""))
        return found


def _line_through(properties: Element) -> str | None:
    return properties.get("text-line-through-style")
