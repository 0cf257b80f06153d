"""Values for the parameters and bodies of real descriptions, made without the plugin."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from re import _parser  # type: ignore[attr-defined]
from typing import Any
from urllib.parse import unquote

_TEXTS = {
    "date": "2026-11-19",
    "date-time": "2026-11-19T20:00:00Z",
    "email": "ann@example.com",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "uri": "https://example.com/a",
    "url": "https://example.com/a",
    "ipv4": "192.0.2.1",
    "byte": "YWJj",
    "time": "20:00:00Z",
}
_DEEPEST = 6


class ExampleValues:
    """Makes values by the schemas of one description."""

    def __init__(self, document: dict[str, Any], random: Random) -> None:
        self._document = document
        self._random = random

    def follow(self, value: Any) -> dict[str, Any]:
        """What a reference stands for."""
        for _ in range(20):
            if not isinstance(value, dict) or not isinstance(value.get("$ref"), str):
                break
            found: Any = self._document
            for part in value["$ref"].removeprefix("#/").split("/"):
                name = unquote(part).replace("~1", "/").replace("~0", "~")
                found = found[int(name)] if isinstance(found, list) else found.get(name, {})
            value = found
        return value if isinstance(value, dict) else {}

    def value(self, given: Any, depth: int = 0) -> Any:
        """A value that a schema allows, as simple as it may be."""
        schema = self.follow(given)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self._random.choice([it for it in schema["enum"] if it is not None] or [None])
        for name in ("oneOf", "anyOf"):
            if schema.get(name):
                base = {key: it for key, it in schema.items() if key != name}
                return self.value(_joined([base, self.follow(schema[name][0])], self), depth)
        if schema.get("allOf"):
            return self.value(_joined([schema, *map(self.follow, schema["allOf"])], self), depth)
        return self._typed(schema, depth)

    def _typed(self, schema: dict[str, Any], depth: int) -> Any:
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = next((it for it in kind if it != "null"), "null")
        if kind in {"integer", "number"}:
            return _number(schema, kind)
        if kind == "boolean":
            return True
        if kind == "array":
            return self._list(schema, depth)
        if kind == "object" or "properties" in schema:
            return self._object(schema, depth)
        return None if kind == "null" else _text(schema)

    def _list(self, schema: dict[str, Any], depth: int) -> list[Any]:
        least = schema.get("minItems", 0)
        if depth > _DEEPEST:
            return []
        count = max(least, 1) if schema.get("uniqueItems") else max(least, 2)
        count = min(count, schema.get("maxItems", count))
        return [self.value(schema.get("items", {}), depth + 1) for _ in range(count)]

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        properties, required = schema.get("properties", {}), schema.get("required", [])
        chosen = {}
        for name, it in properties.items():
            is_wanted = name in required or (depth < 2 and self._random.random() < 0.4)
            if is_wanted and not self.follow(it).get("readOnly") and depth <= _DEEPEST:
                chosen[name] = self.value(it, depth + 1)
        return chosen


def _joined(schemas: list[dict[str, Any]], values: ExampleValues) -> dict[str, Any]:
    made: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    required: list[str] = []
    for it in schemas:
        if it.get("allOf") and it is not schemas[0]:
            it = _joined([it, *map(values.follow, it["allOf"])], values)
        properties.update(it.get("properties", {}))
        required += it["required"] if isinstance(it.get("required"), list) else []
        made.update({key: value for key, value in it.items() if key != "allOf"})
    return {**made, **({"properties": properties} if properties else {}), "required": required}


def _number(schema: dict[str, Any], kind: str) -> Any:
    low, high = schema.get("minimum"), schema.get("maximum")
    value = low if low is not None else min(3, high) if high is not None else 3
    if schema.get("exclusiveMinimum") is True or isinstance(schema.get("exclusiveMinimum"), int):
        value = (low if low is not None else schema["exclusiveMinimum"]) + 1
    return int(value) if kind == "integer" else value


def matching(pattern: str) -> str:
    """A text that a simple pattern matches."""
    return "".join(_matching(_parser.parse(pattern)))


def _matching(parsed: Any) -> Iterator[str]:
    for kind, details in parsed:
        match str(kind):
            case "LITERAL":
                yield chr(details)
            case "NOT_LITERAL" | "ANY":
                yield "x"
            case "IN":
                yield _one_of(details)
            case "MAX_REPEAT" | "MIN_REPEAT":
                least, _, repeated = details
                yield from (it for _ in range(least) for it in _matching(repeated))
            case "SUBPATTERN":
                yield from _matching(details[-1])
            case "BRANCH":
                yield from _matching(details[1][0])


def _one_of(choices: Any) -> str:
    kind, details = choices[0]
    match str(kind):
        case "LITERAL":
            return chr(details)
        case "RANGE":
            return chr(details[0])
        case "CATEGORY":
            return {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " "}.get(str(details), "a")
    return "-"


def _text(schema: dict[str, Any]) -> str:
    for name in ("example", "default"):
        if isinstance(schema.get(name), str) and schema[name]:
            return str(schema[name])
    if "pattern" in schema:
        return matching(schema["pattern"])
    text = _TEXTS.get(schema.get("format", ""), "a b&c=d/é")
    if "maxLength" in schema or "minLength" in schema:
        text = "x" * max(schema.get("minLength", 1), min(3, schema.get("maxLength", 3)))
    return text
