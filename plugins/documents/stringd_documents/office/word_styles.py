"""The styles of a Word document."""

from __future__ import annotations

import re
from typing import TypeVar
from xml.etree.ElementTree import Element

from msgspec import Struct

_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_TITLE = "title"
_CODE = re.compile(r"code|verbatim|preformatted|monospace|macro text", re.IGNORECASE)
_OFF = {"0", "false", "off", "none"}
_DEEPEST, _LONGEST_CHAIN = 9, 20
T = TypeVar("T")


class Style(Struct, frozen=True, kw_only=True):
    """What matters of a style: a heading's level (0 is the highest), a list, the look of its text."""

    level: int | None = None
    list: tuple[str, int] | None = None
    bold: bool = False
    italic: bool = False
    code: bool = False


class Styles:
    """The styles of a document by id, each with what it inherits."""

    def __init__(self, root: Element | None) -> None:
        found = root.iterfind("style") if root is not None else ()
        self._elements = {it.get("styleId", ""): it for it in found}
        self._known: dict[str, Style] = {}

    def of(self, properties: Element | None, name: str) -> Style:
        """Return the style that properties name in an element."""
        named = properties.find(name) if properties is not None else None
        return self._style(named.get("val", "")) if named is not None else Style()

    def _style(self, style_id: str) -> Style:
        if style_id not in self._known:
            self._known[style_id] = _style(list(self._chain(style_id)))
        return self._known[style_id]

    def _chain(self, style_id: str) -> list[Element]:
        """Return the definition of a style and those that it is based on."""
        chain: list[Element] = []
        element = self._elements.get(style_id)
        while element is not None and len(chain) < _LONGEST_CHAIN:
            chain.append(element)
            base = element.find("basedOn")
            element = self._elements.get(base.get("val", "")) if base is not None else None
        return chain


def is_on(properties: Element | None, name: str) -> bool | None:
    """Whether a property such as `b` is switched on; None if nothing is said."""
    found = properties.find(name) if properties is not None else None
    return None if found is None else found.get("val", "1").lower() not in _OFF


def level_of(properties: Element | None) -> int | None:
    """Return the outline level that properties of a paragraph state, if it is one of a heading."""
    found = properties.find("outlineLvl") if properties is not None else None
    level = int(found.get("val", _DEEPEST)) if found is not None else _DEEPEST
    return level if level < _DEEPEST else None


def list_of(properties: Element | None) -> tuple[str, int] | None:
    """Return the numbering and the level of a list that properties of a paragraph name; `0` is no list."""
    found = properties.find("numPr") if properties is not None else None
    if found is None:
        return None
    numbering, level = found.find("numId"), found.find("ilvl")
    depth = int(level.get("val", 0)) if level is not None else 0
    return (numbering.get("val", "0") if numbering is not None else "0", depth)


def _style(chain: list[Element]) -> Style:
    names = [it.get("val", "") for element in chain if (it := element.find("name")) is not None]
    looks = [element.find("rPr") for element in chain]
    return Style(
        level=_level(chain, names),
        list=_first([list_of(element.find("pPr")) for element in chain]),
        bold=bool(_first([is_on(it, "b") for it in looks])),
        italic=bool(_first([is_on(it, "i") for it in looks])),
        code=any(_CODE.search(name) for name in names),
    )


def _level(chain: list[Element], names: list[str]) -> int | None:
    for name in names:
        if name.lower() == _TITLE:
            return 0
        if found := _HEADING.match(name):
            return int(found[1]) - 1
    return _first([level_of(element.find("pPr")) for element in chain])


def _first(values: list[T | None]) -> T | None:
    return next((it for it in values if it is not None), None)
