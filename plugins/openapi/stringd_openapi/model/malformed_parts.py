"""What is malformed in a description that has no operations, so that its author can be told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from stringd.plugin.text import shortened, visible_line
from stringd_openapi.reading.references import members
from stringd_openapi.reading.swagger_2 import METHODS

_LONGEST = 200
_TYPES = {str: "a text", bool: "a truth value", int: "a number", float: "a number", list: "a list"}


def malformed_parts(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is no object among the parts that lead to the operations, each with its place."""
    yield from _others(document, ("info", "paths"), "")
    paths = members(document.get("paths"))
    items = [str(it) for it in paths if not str(it).startswith("x-")]
    yield from _others(paths, items, "paths.")
    for path in items:
        yield from _others(members(paths.get(path)), METHODS, f"paths.{path}.")


def _others(parts: Mapping[str, Any], names: Iterable[str], where: str) -> Iterator[str]:
    for name in names:
        if parts.get(name) is not None and not isinstance(parts[name], Mapping):
            received = _TYPES.get(type(parts[name]), "another value")
            place = shortened(visible_line(where + name), _LONGEST)
            yield f"{place}: expected an object, received {received}"
