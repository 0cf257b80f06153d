"""The members of an object, gathered from all parts of its schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from stringd_openapi.model.json_schemas import follow, types_of
from stringd_openapi.model.operations import Schema

_DEEPEST = 12


class ObjectMembers(Struct):
    """The members of an object: their schemas, which are required, and whether it takes any others."""

    schemas: dict[str, Schema] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    is_open: bool = False


def object_members(schema: Schema, definitions: Mapping[str, Schema]) -> ObjectMembers | None:
    """Return the members of an object without those that only answers have; None if it may be no object."""
    if types_of(schema, definitions) - {"object", "null"}:
        return None
    members = _members(follow(schema, definitions), definitions, 0)
    written = {
        name: it for name, it in members.schemas.items() if not follow(it, definitions).get("readOnly")
    }
    return ObjectMembers(written, members.required & written.keys(), members.is_open or not written)


def _members(schema: Mapping[str, Any], definitions: Mapping[str, Schema], depth: int) -> ObjectMembers:
    found = ObjectMembers(dict(schema.get("properties", {})), set(schema.get("required", ())))
    found.is_open = schema.get("additionalProperties", False) is not False
    if depth > _DEEPEST:
        return found
    for it in schema.get("allOf", ()):
        part = _members(follow(it, definitions), definitions, depth + 1)
        _add(found, part)
        found.required |= part.required
    for name in ("anyOf", "oneOf"):
        parts = [_members(follow(it, definitions), definitions, depth + 1) for it in schema.get(name, ())]
        for part in parts:
            _add(found, part)
        found.required |= set.intersection(*(it.required for it in parts)) if parts else set()
    return found


def _add(found: ObjectMembers, part: ObjectMembers) -> None:
    found.is_open |= part.is_open
    for name, it in part.schemas.items():
        known = found.schemas.get(name)
        if known is None or known is True:
            found.schemas[name] = it
        elif known != it:
            found.schemas[name] = _either(known, it)


def _either(one: Schema, other: Schema) -> Schema:
    known = one["anyOf"] if isinstance(one, Mapping) and set(one) == {"anyOf"} else [one]
    return one if other in known else {"anyOf": [*known, other]}
