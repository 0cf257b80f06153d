"""Read schemas of any version of OpenAPI as JSON Schema, each closed over what it refers to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stringd_openapi.model.operations import Schema
from stringd_openapi.reading.references import REF, References

TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")
_ONE = (
    *("not", "additionalProperties", "items", "contains", "propertyNames", "if", "then", "else"),
    *("unevaluatedProperties", "unevaluatedItems"),
)
_SEVERAL = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED = ("properties", "dependentSchemas")
_NUMBERS = ("maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum")
_COUNTS = ("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties")
_NOTES = (
    *("title", "description", "format", "default", "example", "const", "contentMediaType"),
    *("contentEncoding", "readOnly", "writeOnly", "deprecated"),
)
_COMBINED = ("allOf", "anyOf", "oneOf")
_DEEPEST = 12


class Definitions(Mapping[str, Schema]):
    """The schemas that others refer to, each read when it is first needed."""

    def __init__(self, reader: SchemaReader, references: References) -> None:
        self._reader = reader
        self._references = references
        self._names: dict[str, str] = {}
        self._sources: list[str] = []
        self._read: dict[str, Schema] = {}

    def name_of(self, reference: str) -> str:
        """Return the name of what a reference of the description stands for."""
        if reference not in self._names:
            self._names[reference] = str(len(self._sources))
            self._sources.append(reference)
        return self._names[reference]

    def __getitem__(self, name: str) -> Schema:
        if name not in self._read:
            if not name.isdecimal() or int(name) >= len(self._sources):
                raise KeyError(name)
            self._read[name] = self._reader.read(self._references.find(self._sources[int(name)]))
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        number = 0
        while number < len(self._sources):
            yield str(number)
            number += 1

    def __len__(self) -> int:
        return len(self._sources)

    def closed(self) -> dict[str, Schema]:
        """Return all schemas that are referred to, also by one another."""
        return {name: self[name] for name in self}


class SchemaReader:
    """Reads schemas of one operation; `definitions` are those that they refer to."""

    def __init__(self, references: References) -> None:
        self.definitions = Definitions(self, references)

    def read(self, schema: Any) -> Schema:
        """Return a schema as JSON Schema; what is malformed in it says nothing."""
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, Mapping):
            return True
        if isinstance(schema.get(REF), str):
            return self._referring(schema)
        read = {name: schema[name] for name in _NOTES if name in schema}
        read.update(self._parts(schema))
        read.update(_bounds(schema))
        read.update(_types(schema))
        return _nullable(read) if _is_nullable(schema) else read

    def follow(self, schema: Schema) -> Mapping[str, Any]:
        """Return the schema that a read schema is or refers to."""
        return follow(schema, self.definitions)

    def _referring(self, schema: Mapping[str, Any]) -> Schema:
        read: dict[str, Any] = {REF: f"#/$defs/{self.definitions.name_of(schema[REF])}"}
        notes = {name: schema[name] for name in _NOTES if name in schema}
        return _nullable({**read, **notes}) if _is_nullable(schema) else {**read, **notes}

    def _parts(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in _ONE:
            if isinstance(schema.get(name), Mapping | bool):
                found[name] = self.read(schema[name])
        for name in _SEVERAL:
            several = schema.get(name)
            if isinstance(several, list) and several:
                found[name] = [self.read(it) for it in several]
        for name in _NAMED:
            if isinstance(schema.get(name), Mapping):
                found[name] = {str(key): self.read(it) for key, it in schema[name].items()}
        self._require(schema, found)
        return found

    def _require(self, schema: Mapping[str, Any], found: dict[str, Any]) -> None:
        required = schema.get("required")
        if isinstance(required, list):
            properties = found.get("properties", {})
            found["required"] = [
                it
                for it in dict.fromkeys(required)
                if isinstance(it, str) and not self.follow(properties.get(it, True)).get("readOnly")
            ]
        if isinstance(schema.get("patternProperties"), Mapping):
            # Which of them a name matches is not checked, since a pattern may take forever.
            found.pop("additionalProperties", None)


def _bounds(schema: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: schema[name] for name in _NUMBERS if _is_number(schema.get(name)) and name in schema
    }
    for name, bound in (("exclusiveMaximum", "maximum"), ("exclusiveMinimum", "minimum")):
        if schema.get(name) is True and bound in found:
            found[name] = found.pop(bound)
    for name in _COUNTS:
        if isinstance(schema.get(name), int) and not isinstance(schema[name], bool) and schema[name] >= 0:
            found[name] = schema[name]
    if _is_number(schema.get("multipleOf")) and schema["multipleOf"] > 0:
        found["multipleOf"] = schema["multipleOf"]
    if isinstance(schema.get("pattern"), str):
        found["pattern"] = schema["pattern"]
    if schema.get("uniqueItems") is True:
        found["uniqueItems"] = True
    return found


def _types(schema: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    given = schema.get("type")
    types = [it for it in (given if isinstance(given, list) else [given]) if it in TYPES]
    if types and (not isinstance(given, list) or len(types) == len(given)):
        found["type"] = types if isinstance(given, list) else types[0]
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        found["enum"] = _fitting(schema["enum"], types)
    return found


def _fitting(values: list[Any], types: list[str]) -> list[Any]:
    """Return the values of an enumeration; those of a text are texts, however YAML or JSON wrote them."""
    if types != ["string"]:
        return values
    return [str(it).lower() if isinstance(it, bool) else str(it) for it in values if it is not None]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_nullable(schema: Mapping[str, Any]) -> bool:
    return schema.get("nullable") is True or schema.get("x-nullable") is True


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    if REF in schema or any(name in schema for name in (*_COMBINED, "const")):
        notes = {name: schema.pop(name) for name in _NOTES if name in schema and name != "const"}
        return {"anyOf": [schema, {"type": "null"}], **notes}
    if "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        schema["type"] = [*types, *(["null"] if "null" not in types else [])]
    if "enum" in schema and None not in schema["enum"]:
        schema["enum"] = [*schema["enum"], None]
    return schema


def follow(schema: Schema, definitions: Mapping[str, Schema]) -> Mapping[str, Any]:
    """Return the schema that one is or refers to, with what stands beside its reference."""
    beside: dict[str, Any] = {}
    for _ in range(_DEEPEST):
        if not isinstance(schema, Mapping):
            break
        if REF not in schema:
            return {**schema, **beside} if beside else schema
        beside = {**{name: it for name, it in schema.items() if name != REF}, **beside}
        schema = definitions.get(str(schema[REF]).removeprefix("#/$defs/"), True)
    return beside


def types_of(schema: Schema, definitions: Mapping[str, Schema], depth: int = 0) -> frozenset[str]:
    """Return the types that a schema allows; all of them if it does not say."""
    found = follow(schema, definitions)
    every = frozenset(TYPES)
    if depth > _DEEPEST:
        return every
    types = _own_types(found)
    for name in ("anyOf", "oneOf"):
        if name in found:
            types &= frozenset[str]().union(*(types_of(it, definitions, depth + 1) for it in found[name]))
    for it in found.get("allOf", ()):
        types &= types_of(it, definitions, depth + 1)
    return types


def _own_types(schema: Mapping[str, Any]) -> frozenset[str]:
    given = schema.get("type")
    if given is not None:
        types = frozenset(given if isinstance(given, list) else [given])
        return types | {"integer"} if "number" in types else types
    if "enum" in schema:
        return frozenset(type_of(it) for it in schema["enum"])
    if (
        "properties" in schema
        or "required" in schema
        or isinstance(schema.get("additionalProperties"), Mapping)
    ):
        return frozenset({"object", "null"})
    return frozenset(TYPES)


def type_of(value: Any) -> str:
    """Return the type of a JSON value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"
