"""Read YAML as JSON: the scalars of YAML 1.2, and aliases only as far as they can be written out."""

from __future__ import annotations

import re
from typing import Any

from stringd.plugin import ErrorCode, Refusal

MOST_NODES = 4_000_000
"""The most values of a description with all its aliases written out."""
DEEPEST = 400
"""The most levels of lists and mappings within one another."""
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUTH = {it: word == "true" for word in ("true", "false") for it in (word, word.title(), word.upper())}
_WHOLE = re.compile(r"[-+]?\d{1,400}", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?", re.ASCII)
_STRING_TAG = "tag:yaml.org,2002:str"
_MERGE = "<<"


def read_yaml_text(text: str) -> Any:
    """Return the only document of a YAML text, or refuse."""
    # Only descriptions that are not JSON need it.
    import yaml

    # The parser in C is several times as fast; wheels of all systems have it.
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Builder(yaml.parse(text, Loader=loader), yaml).document()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error)
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"Not YAML: {problem}{where}") from None


class _Builder:
    """Builds values from the events of the parser, and counts what its aliases would add."""

    def __init__(self, events: Any, yaml: Any) -> None:
        self._events = events
        self._yaml = yaml
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._count = 0

    def document(self) -> Any:
        yaml, root, documents = self._yaml, None, 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise Refusal(ErrorCode.INVALID_PAYLOAD, "Not one YAML document but several")
                root = self._value(next(self._events), 0)
        return root

    def _value(self, event: Any, depth: int) -> Any:
        if depth > DEEPEST:
            raise Refusal(ErrorCode.INVALID_PAYLOAD, f"More than {DEEPEST} levels of YAML")
        yaml, before = self._yaml, self._count
        self._add(1)
        if isinstance(event, yaml.AliasEvent):
            return self._aliased(event)
        if isinstance(event, yaml.ScalarEvent):
            value: Any = _scalar(event)
        elif isinstance(event, yaml.MappingStartEvent):
            value = self._mapping(depth)
        else:
            value = self._sequence(depth)
        if event.anchor:
            self._anchors[event.anchor] = (value, self._count - before)
        return value

    def _aliased(self, event: Any) -> Any:
        if event.anchor not in self._anchors:
            raise Refusal(
                ErrorCode.INVALID_PAYLOAD, f"Not YAML: the alias *{event.anchor} stands for nothing"
            )
        value, size = self._anchors[event.anchor]
        self._add(size)
        return value

    def _add(self, count: int) -> None:
        self._count += count
        if self._count > MOST_NODES:
            raise Refusal(ErrorCode.INVALID_PAYLOAD, f"More than {MOST_NODES:,} values, written out")

    def _sequence(self, depth: int) -> list[Any]:
        end, found = self._yaml.SequenceEndEvent, []
        while not isinstance(event := next(self._events), end):
            found.append(self._value(event, depth + 1))
        return found

    def _mapping(self, depth: int) -> dict[str, Any]:
        end, found = self._yaml.MappingEndEvent, {}
        merged: list[Any] = []
        while not isinstance(event := next(self._events), end):
            key = event.value if isinstance(event, self._yaml.ScalarEvent) else None
            if key is None:
                raise Refusal(ErrorCode.INVALID_PAYLOAD, "The name of a member is no text")
            value = self._value(next(self._events), depth + 1)
            if key == _MERGE and event.implicit[0]:
                merged += value if isinstance(value, list) else [value]
            else:
                found[key] = value
        for other in merged:
            if isinstance(other, dict):
                found = {**other, **found}
        return found


def _scalar(event: Any) -> Any:
    """Return the value of a scalar: what is quoted or tagged as a text is one, and so is a date."""
    text: str = event.value
    if not event.implicit[0] or event.tag == _STRING_TAG:
        return text
    if text in _NULL:
        return None
    if text in _TRUTH:
        return _TRUTH[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text
