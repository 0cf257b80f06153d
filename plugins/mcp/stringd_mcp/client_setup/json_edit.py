"""Change one entry of a JSON file with comments and trailing commas; every other byte stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

_SPACE = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_COMMENT = re.compile(r"[ \t]*(?://[^\r\n]*)?(?=[\r\n])")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"[-+.0-9A-Za-z]+")
_DEEPEST = 200
_STEP = "  "


class InvalidFile(Exception):
    """The text is not of the format that the file should have."""


class JsonNode(Struct, frozen=True, kw_only=True):
    """A value, and where it is in the text; of an object also its members, by name."""

    start: int
    end: int
    value: Any
    members: Mapping[str, JsonNode] | None = None


def parse_json(text: str) -> Any:
    """Return the value of a text; an empty one is an empty object."""
    return _document(text).value


def with_json_entry(text: str, path: Sequence[str], entry: Mapping[str, Any]) -> str:
    """Return the text with an entry at a path of names; objects on the way are added if they are missing."""
    node, depth, value = _document(text), 0, entry
    if node.start == node.end:
        return _appended(text, _nested(path, entry))
    while depth < len(path) and node.members is not None and path[depth] in node.members:
        node, depth = node.members[path[depth]], depth + 1
    if depth == len(path):
        return _replaced(text, node, value)
    if depth and node.value is None:
        return _replaced(text, node, _nested(path[depth:], entry))
    if node.members is None:
        raise InvalidFile(f"`{'.'.join(path[:depth]) or 'the file'}` is no object")
    return _added(text, node, path[depth], _nested(path[depth + 1 :], entry))


def _appended(text: str, value: object) -> str:
    """Add the value of a text that has none, only comments."""
    newline = "\r\n" if "\r\n" in text else "\n"
    start = text.rstrip()
    gap = newline if start.strip("\ufeff") else ""
    return f"{start}{gap}{_written(value, '', text)}{newline}"


def _nested(path: Sequence[str], entry: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in reversed(path):
        entry = {name: entry}
    return entry


def _replaced(text: str, node: JsonNode, value: object) -> str:
    written = _written(value, _indent_of(text, node.start), text)
    return text[: node.start] + written + text[node.end :]


def _added(text: str, node: JsonNode, name: str, value: object) -> str:
    """Add a member behind the last one of an object."""
    members = node.members or {}
    newline = "\r\n" if "\r\n" in text else "\n"
    outer = _indent_of(text, node.start)
    first = next(iter(members.values()), None)
    inner = _indent_of(text, first.start) if first else outer
    if len(inner) <= len(outer):
        inner = outer + _STEP
    member = f"{inner}{json.dumps(name)}: {_written(value, inner, text)}"
    if not members:
        rest = text[node.start + 1 : node.end - 1].rstrip()
        return f"{text[: node.start + 1]}{rest}{newline}{member}{newline}{outer}{text[node.end - 1 :]}"
    last = max(it.end for it in members.values())
    behind = _after_comma(text, last)
    if behind is not None:
        place = _line_end(text, behind)
        return f"{text[:place]}{newline}{member},{text[place:]}"
    place = _line_end(text, last)
    return f"{text[:last]},{text[last:place]}{newline}{member}{text[place:]}"


def _line_end(text: str, place: int) -> int:
    """Return the end of the line, if only a comment is left of it."""
    found = _COMMENT.match(text, place)
    return found.end() if found else place


def _after_comma(text: str, place: int) -> int | None:
    """Return the place behind a trailing comma; None if there is none."""
    place = _skip(text, place)
    return place + 1 if text[place : place + 1] == "," else None


def _written(value: object, indent: str, text: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    return json.dumps(value, indent=_STEP, ensure_ascii=False).replace("\n", newline + indent)


def _indent_of(text: str, place: int) -> str:
    """Return the blanks at the beginning of the line of a place."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _document(text: str) -> JsonNode:
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    if start == len(text):
        return JsonNode(start=start, end=start, value={}, members={})
    node = _node(text, start, 0)
    if _skip(text, node.end) != len(text):
        raise InvalidFile(f"unexpected text in line {_line(text, _skip(text, node.end))}")
    return node


def _node(text: str, start: int, depth: int) -> JsonNode:
    if depth > _DEEPEST:
        raise InvalidFile(f"more than {_DEEPEST} levels")
    if text[start : start + 1] == "{":
        return _object(text, start, depth)
    if text[start : start + 1] == "[":
        return _array(text, start, depth)
    found = (_STRING if text[start : start + 1] == '"' else _SCALAR).match(text, start)
    try:
        return JsonNode(
            start=start, end=found.end() if found else start, value=json.loads(found[0] if found else "")
        )
    except ValueError:
        raise InvalidFile(f"invalid JSON in line {_line(text, start)}") from None


def _object(text: str, start: int, depth: int) -> JsonNode:
    members: dict[str, JsonNode] = {}
    place = _skip(text, start + 1)
    while text[place : place + 1] != "}":
        name = _node(text, place, depth + 1)
        place = _skip(text, name.end)
        if not isinstance(name.value, str) or text[place : place + 1] != ":" or name.value in members:
            raise InvalidFile(f"invalid JSON in line {_line(text, name.start)}")
        member = _node(text, _skip(text, place + 1), depth + 1)
        members[name.value] = member
        place = _next(text, member.end, "}")
    value = {name: it.value for name, it in members.items()}
    return JsonNode(start=start, end=place + 1, value=value, members=members)


def _array(text: str, start: int, depth: int) -> JsonNode:
    values = []
    place = _skip(text, start + 1)
    while text[place : place + 1] != "]":
        element = _node(text, place, depth + 1)
        values.append(element.value)
        place = _next(text, element.end, "]")
    return JsonNode(start=start, end=place + 1, value=values)


def _next(text: str, place: int, closing: str) -> int:
    """Return the place behind a comma, or that of the closing bracket."""
    place = _skip(text, place)
    if text[place : place + 1] == ",":
        return _skip(text, place + 1)
    if text[place : place + 1] != closing:
        raise InvalidFile(f"invalid JSON in line {_line(text, place)}")
    return place


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1
