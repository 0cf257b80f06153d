"""References within a description: `#/components/schemas/Pet`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

REF = "$ref"
_LONGEST_CHAIN = 50


class References:
    """Follows the references of one description; what leads nowhere is empty."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document

    def find(self, reference: str) -> Any:
        """Return what a reference stands for; None if there is nothing."""
        if not reference.startswith("#"):
            return None
        value: Any = self.document
        for part in reference[1:].split("/")[1:]:
            value = _member(value, unquote(part).replace("~1", "/").replace("~0", "~"))
            if value is None:
                return None
        return value

    def follow(self, value: Any) -> Mapping[str, Any]:
        """Return the object that a value is or refers to; members beside the reference win."""
        beside: dict[str, Any] = {}
        for _ in range(_LONGEST_CHAIN):
            if not isinstance(value, Mapping):
                return beside
            reference = value.get(REF)
            if not isinstance(reference, str):
                return {**value, **beside} if beside else value
            beside = {**{name: it for name, it in value.items() if name != REF}, **beside}
            value = self.find(reference)
        return beside


def _member(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name)
    if isinstance(value, list) and name.isdecimal() and len(name) < 9 and int(name) < len(value):
        return value[int(name)]
    return None


def references_in(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object with a reference in a value, whatever it is nested in."""
    waiting, seen = [value], set[int]()
    while waiting:
        current = waiting.pop()
        if isinstance(current, dict):
            # Aliases of YAML may share objects.
            if id(current) in seen:
                continue
            seen.add(id(current))
            if isinstance(current.get(REF), str):
                yield current
            waiting.extend(current.values())
        elif isinstance(current, list):
            waiting.extend(current)


def objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a list; anything else in it is left out."""
    return (it for it in value if isinstance(it, Mapping)) if isinstance(value, list) else iter(())


def members(value: Any) -> Mapping[str, Any]:
    """Return a value that should be an object; empty if it is none."""
    return value if isinstance(value, Mapping) else {}


def text_of(value: Any) -> str:
    """Return a value that should be a text; empty if it is none."""
    return value if isinstance(value, str) else ""
