"""The values of a call, as the schemas of its operation read them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from stringd_openapi.call_requests.value_checks import SchemaChecks
from stringd_openapi.model.json_schemas import follow, type_of, types_of
from stringd_openapi.model.object_members import object_members
from stringd_openapi.model.operations import Schema


class TypedText(Struct, frozen=True):
    """A text as it was typed: its schema says whether it is a number, JSON or just a text."""

    text: str


def typed(value: Any, schema: Schema, checks: SchemaChecks) -> Any:
    """Return a value with its typed texts read as its schema says."""
    definitions = checks.definitions
    if isinstance(value, TypedText):
        return _read(value.text, schema, checks)
    if isinstance(value, list):
        items = follow(schema, definitions).get("items", True)
        return [typed(it, items, checks) for it in value]
    if isinstance(value, dict):
        found = object_members(schema, definitions)
        schemas = found.schemas if found else {}
        return {name: typed(it, schemas.get(name, True), checks) for name, it in value.items()}
    return value


def _read(text: str, schema: Schema, checks: SchemaChecks) -> Any:
    """Return a text if the schema allows it, else the JSON value that it writes."""
    types = types_of(schema, checks.definitions)
    if types == {"string"} or ("string" in types and checks.is_valid(text, schema)):
        return text
    value = _json(text)
    is_list = types in ({"array"}, {"array", "null"})
    if type_of(value) in types or (isinstance(value, str) and not is_list):
        return value if not isinstance(value, str) or "string" not in types else text
    if "integer" in types and isinstance(value, float) and value.is_integer():
        return int(value)
    if is_list:
        items = follow(schema, checks.definitions).get("items", True)
        return [_read(it.strip(), items, checks) for it in text.split(",")]
    return text


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def without_read_only(value: Any, schema: Schema, definitions: Mapping[str, Schema]) -> Any:
    """Return a value without the members that only answers have."""
    found = follow(schema, definitions)
    if isinstance(value, list):
        items = found.get("items", True)
        return [without_read_only(it, items, definitions) for it in value]
    if not isinstance(value, dict):
        return value
    schemas = dict(found.get("properties", {}))
    for it in found.get("allOf", ()):
        schemas.update(follow(it, definitions).get("properties", {}))
    return {
        name: without_read_only(it, schemas.get(name, True), definitions)
        for name, it in value.items()
        if not follow(schemas.get(name, True), definitions).get("readOnly")
    }
