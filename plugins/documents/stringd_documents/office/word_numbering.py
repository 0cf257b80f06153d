"""The numbers and bullets of the lists of a Word document."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

_DEEPEST = 9
_PLACE = re.compile(r"%(\d)")
_MOST_ROMAN = 4000
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)


class Numbering:
    """The numbers and bullets of lists; it counts the items.

    Lists of one abstract numbering count on, except where one of them is told to start again.
    """

    def __init__(self, root: Element | None) -> None:
        elements = list(root) if root is not None else []
        abstract = {it.get("abstractNumId", ""): it for it in elements if it.tag == "abstractNum"}
        self._abstract: dict[str, str] = {}
        self._levels: dict[tuple[str, int], Element] = {}
        self._restarts: dict[tuple[str, int], int] = {}
        for number in (it for it in elements if it.tag == "num"):
            self._add(number.get("numId", ""), number, abstract)
        self._numbers: dict[tuple[str, int], int] = {}

    def _add(self, name: str, number: Element, abstract: dict[str, Element]) -> None:
        self._abstract[name] = _value(number, "abstractNumId") or ""
        base = abstract.get(self._abstract[name])
        for level in (*(base.iterfind("lvl") if base is not None else ()), *number.iterfind(".//lvl")):
            self._levels[name, int(level.get("ilvl", 0))] = level
        for override in number.iterfind("lvlOverride"):
            if start := _value(override, "startOverride"):
                self._restarts[name, int(override.get("ilvl", 0))] = int(start)

    def label(self, place: tuple[str, int]) -> str | None:
        """Count an item and return its label, such as `2.1.`; empty for a bullet, None for no list."""
        level = self._levels.get(place)
        if level is None:
            return None
        self._count(place)
        if _value(level, "numFmt") in {"bullet", "none"}:
            return ""
        text = _value(level, "lvlText") or ""
        return _PLACE.sub(lambda it: self._formatted(place[0], int(it[1]) - 1), text)

    def _count(self, place: tuple[str, int]) -> None:
        name, depth = place
        counter = self._abstract[name], depth
        restart = self._restarts.pop(place, None)
        if restart is not None:
            self._numbers[counter] = restart
        elif counter in self._numbers:
            self._numbers[counter] += 1
        else:
            self._numbers[counter] = self._start(place)
        for deeper in range(depth + 1, _DEEPEST):
            self._numbers.pop((counter[0], deeper), None)

    def _formatted(self, name: str, depth: int) -> str:
        level = self._levels.get((name, depth))
        if level is None:
            return ""
        number = self._numbers.get((self._abstract[name], depth), self._start((name, depth)))
        return formatted_number(number, _value(level, "numFmt") or "decimal")

    def _start(self, place: tuple[str, int]) -> int:
        return int(_value(self._levels[place], "start") or 1)


def _value(level: Element, name: str) -> str | None:
    found = level.find(name)
    return None if found is None else found.get("val")


def formatted_number(number: int, kind: str) -> str:
    """Return a number as a letter, as Roman or as decimal digits."""
    if kind in {"lowerLetter", "upperLetter"} and number > 0:
        letters = chr(ord("a") + (number - 1) % 26) * min(1 + (number - 1) // 26, 9)
        return letters.upper() if kind == "upperLetter" else letters
    if kind in {"lowerRoman", "upperRoman"} and 0 < number < _MOST_ROMAN:
        return _roman(number).upper() if kind == "upperRoman" else _roman(number)
    return str(number)


def _roman(number: int) -> str:
    text = ""
    for value, digits in _ROMAN:
        text += digits * (number // value)
        number %= value
    return text
