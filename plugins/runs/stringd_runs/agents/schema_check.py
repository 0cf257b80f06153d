"""Checks the JSON schemas of agents themselves, before a model is asked for an answer that fits. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from stringd_runs.agents.json_schema import SIZES, TYPES, SchemaMismatch, is_number, referenced

_CheckPart: TypeAlias = Callable[["_Walk", Any, str], None]


class SchemaInvalid(ValueError):
    """A keyword has a value that it cannot have; the text names its place in the schema."""


def check_schema(schema: Mapping[str, Any], place: str) -> None:
    """Return if the keywords of a schema can be checked, or raise `SchemaInvalid`."""
    _Walk(schema).schema(schema, place)


class _Walk:
    """A walk through a schema and what it refers to, each part once."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._seen: set[int] = set()

    def schema(self, schema: Any, place: str) -> None:
        if isinstance(schema, bool) or id(schema) in self._seen:
            return
        if not isinstance(schema, Mapping):
            raise SchemaInvalid(f"{place} must be a schema: a mapping, true or false")
        self._seen.add(id(schema))
        for keyword, check in _KEYWORDS.items():
            if keyword in schema:
                check(self, schema[keyword], f"{place}.{keyword}")

    def schemas(self, value: Any, place: str) -> None:
        if not isinstance(value, list) or not value:
            raise SchemaInvalid(f"{place} must be a list of schemas")
        for index, it in enumerate(value):
            self.schema(it, f"{place}[{index}]")

    def named_schemas(self, value: Any, place: str) -> None:
        if not isinstance(value, Mapping):
            raise SchemaInvalid(f"{place} must be a mapping of schemas")
        for name, it in value.items():
            self.schema(it, f"{place}.{name}")

    def reference(self, value: Any, place: str) -> None:
        if not isinstance(value, str):
            raise SchemaInvalid(f"{place} must be a text")
        try:
            found = referenced(self._root, value)
        except SchemaMismatch as mismatch:
            raise SchemaInvalid(f"{place}: {mismatch}") from None
        self.schema(found, value)

    def types(self, value: Any, place: str) -> None:
        names = value if isinstance(value, list) else [value]
        if not names or not all(isinstance(it, str) and it in TYPES for it in names):
            raise SchemaInvalid(f"{place} must be one or a list of {', '.join(TYPES)}")

    def texts(self, value: Any, place: str) -> None:
        if not isinstance(value, list) or not all(isinstance(it, str) for it in value):
            raise SchemaInvalid(f"{place} must be a list of texts")

    def choices(self, value: Any, place: str) -> None:
        if not isinstance(value, list):
            raise SchemaInvalid(f"{place} must be a list")

    def bound(self, value: Any, place: str) -> None:
        if not is_number(value):
            raise SchemaInvalid(f"{place} must be a number")


_KEYWORDS: Mapping[str, _CheckPart] = {
    "$ref": _Walk.reference,
    "type": _Walk.types,
    "enum": _Walk.choices,
    "properties": _Walk.named_schemas,
    "required": _Walk.texts,
    "additionalProperties": _Walk.schema,
    "items": _Walk.schema,
    "anyOf": _Walk.schemas,
    "oneOf": _Walk.schemas,
    "allOf": _Walk.schemas,
    "not": _Walk.schema,
    **dict.fromkeys(SIZES, _Walk.bound),
}
