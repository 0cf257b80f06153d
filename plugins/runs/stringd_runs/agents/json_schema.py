"""Checks JSON values against the JSON schemas of agents. Pure.

It checks the keywords that describe the shape of a value. Others, such as `pattern` and `format`, are only
told to the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sized
from typing import Any, TypeAlias

_DEEPEST = 64
_MOST_STEPS = 1_000_000
"""The most comparisons for one value, of which a value within it takes several."""
_STEPS_OF_VALUE = 10
_LISTS = ("type", "enum", "required")
Schema: TypeAlias = Mapping[str, Any] | bool


class SchemaMismatch(ValueError):
    """A value does not fit; the text names the place in it and what is expected there."""


class _TooManySteps(Exception):
    """Alternatives within alternatives can take time that grows exponentially, or lists be very long."""


def check_value(value: Any, schema: Schema) -> None:
    """Return if a value fits a schema, or raise `SchemaMismatch`."""
    try:
        _Check(schema).check(value, schema, "the value", 0)
    except _TooManySteps:
        raise SchemaMismatch("the value takes too many steps to check") from None


def referenced(root: Schema, reference: str) -> Schema:
    """Return the part of a schema that a `$ref` names, or raise `SchemaMismatch`."""
    found: Any = root
    for part in reference.removeprefix("#").split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        found = found.get(key) if isinstance(found, Mapping) else None
    if not reference.startswith("#") or not isinstance(found, Mapping | bool):
        raise SchemaMismatch(f"the schema refers to {reference!r}, which is not in it")
    return found


class _Check:
    def __init__(self, root: Schema) -> None:
        self._root = root
        self._steps = 0

    def check(self, value: Any, schema: Schema, place: str, depth: int) -> None:
        self._count(schema)
        if depth > _DEEPEST:
            raise SchemaMismatch(f"{place} is nested too deeply")
        if not isinstance(schema, Mapping):
            if schema is False:
                raise SchemaMismatch(f"{place} is not allowed")
            return
        if isinstance(reference := schema.get("$ref"), str):
            self.check(value, referenced(self._root, reference), place, depth + 1)
        _check_type(value, schema, place)
        _check_choice(value, schema, place)
        _check_size(value, schema, place)
        self._check_parts(value, schema, place, depth)
        self._check_combinations(value, schema, place, depth)

    def _count(self, schema: Schema) -> None:
        lists = sum(len(schema.get(it, ())) for it in _LISTS) if isinstance(schema, Mapping) else 0
        self._steps += _STEPS_OF_VALUE + lists
        if self._steps > _MOST_STEPS:
            raise _TooManySteps

    def _check_parts(self, value: Any, schema: Mapping[str, Any], place: str, depth: int) -> None:
        if isinstance(value, dict):
            properties = schema.get("properties", {})
            for name in schema.get("required", ()):
                if name not in value:
                    raise SchemaMismatch(f"{place} has no {name!r}")
            for name, part in value.items():
                allowed = properties.get(name, schema.get("additionalProperties", True))
                self.check(part, allowed, f"{place}.{name}", depth + 1)
        elif isinstance(value, list):
            for index, part in enumerate(value):
                self.check(part, schema.get("items", True), f"{place}[{index}]", depth + 1)

    def _check_combinations(self, value: Any, schema: Mapping[str, Any], place: str, depth: int) -> None:
        for part in schema.get("allOf", ()):
            self.check(value, part, place, depth + 1)
        for keyword, fits in _COMBINATIONS.items():
            if keyword in schema:
                count = sum(self._fits(value, it, place, depth + 1) for it in schema[keyword])
                if not fits(count):
                    raise SchemaMismatch(f"{place} fits {count} of the schemas of {keyword}")
        if "not" in schema and self._fits(value, schema["not"], place, depth + 1):
            raise SchemaMismatch(f"{place} fits the schema of not")

    def _fits(self, value: Any, schema: Schema, place: str, depth: int) -> bool:
        try:
            self.check(value, schema, place, depth)
        except SchemaMismatch:
            return False
        return True


_COMBINATIONS: Mapping[str, Callable[[int], bool]] = {
    "anyOf": lambda count: count > 0,
    "oneOf": lambda count: count == 1,
}
TYPES: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda it: isinstance(it, dict),
    "array": lambda it: isinstance(it, list),
    "string": lambda it: isinstance(it, str),
    "boolean": lambda it: isinstance(it, bool),
    "null": lambda it: it is None,
    "number": lambda it: is_number(it),
    "integer": lambda it: is_number(it) and (isinstance(it, int) or it.is_integer()),
}


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_type(value: Any, schema: Mapping[str, Any], place: str) -> None:
    names = schema.get("type", ())
    names = [names] if isinstance(names, str) else names
    if names and not any(TYPES[it](value) for it in names if it in TYPES):
        raise SchemaMismatch(f"{place} is not of type {' or '.join(names)}")


def _check_choice(value: Any, schema: Mapping[str, Any], place: str) -> None:
    if "const" in schema and not _is_same(value, schema["const"]):
        raise SchemaMismatch(f"{place} is not {schema['const']!r}")
    if "enum" in schema and not any(_is_same(value, it) for it in schema["enum"]):
        raise SchemaMismatch(f"{place} is none of {', '.join(map(repr, schema['enum']))}")


def _is_same(value: Any, other: Any) -> bool:
    # For Python, True equals 1.
    return value == other and isinstance(value, bool) == isinstance(other, bool)


def _check_size(value: Any, schema: Mapping[str, Any], place: str) -> None:
    for keyword, (measure, allows) in SIZES.items():
        if keyword in schema and (size := measure(value)) is not None and not allows(size, schema[keyword]):
            raise SchemaMismatch(f"{place} breaks {keyword}: {schema[keyword]}")


def _number(value: Any) -> float | None:
    return value if is_number(value) else None


def _length_of(kind: type[Sized]) -> Callable[[Any], float | None]:
    return lambda value: len(value) if isinstance(value, kind) else None


def _at_least(size: float, bound: float) -> bool:
    return size >= bound


def _at_most(size: float, bound: float) -> bool:
    return size <= bound


SIZES: Mapping[str, tuple[Callable[[Any], float | None], Callable[[float, float], bool]]] = {
    "minimum": (_number, _at_least),
    "maximum": (_number, _at_most),
    "exclusiveMinimum": (_number, lambda size, bound: size > bound),
    "exclusiveMaximum": (_number, lambda size, bound: size < bound),
    "minLength": (_length_of(str), _at_least),
    "maxLength": (_length_of(str), _at_most),
    "minItems": (_length_of(list), _at_least),
    "maxItems": (_length_of(list), _at_most),
    "minProperties": (_length_of(dict), _at_least),
    "maxProperties": (_length_of(dict), _at_most),
}
