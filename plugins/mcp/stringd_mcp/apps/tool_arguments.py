"""The parameters of a tool by its schema, and the arguments that typed values are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from stringd.plugin.actions import FlagText, JsonText, Value
from stringd.plugin.documents import Names

_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_CHOICE = re.compile(r"[\w.:/+-]+(?: [\w.:/+-]+)*")
_RESERVED = ("help", "h", "confirm")
_DEEPEST = 8
_MOST_PARAMETERS = 1000
_TYPES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}
_SCALARS = frozenset(_TYPES)


class ToolParameter(Struct, frozen=True, kw_only=True):
    """A parameter of an action, and the property of the tool's arguments that it stands for."""

    name: str
    key: str
    type: str
    required: bool
    description: str
    choices: tuple[str, ...] = ()


def parameters_of(schema: Mapping[str, Any]) -> Sequence[ToolParameter]:
    """Return the parameters of a tool, the required ones first."""
    properties = _resolved(schema, schema).get("properties")
    required = _resolved(schema, schema).get("required")
    needed = {it for it in required if isinstance(it, str)} if isinstance(required, list) else set()
    names = Names(_RESERVED)
    listed = properties.items() if isinstance(properties, dict) else ()
    found = [_parameter(names, key, it, schema, key in needed) for key, it in list(listed)[:_MOST_PARAMETERS]]
    return sorted(found, key=lambda it: not it.required)


def arguments_of(schema: Mapping[str, Any], values: Mapping[str, Value]) -> dict[str, Any]:
    """Return the arguments of a tool by the values of its parameters, converted as the schema says."""
    properties = _resolved(schema, schema).get("properties")
    known = properties if isinstance(properties, dict) else {}
    keys = {it.name: it.key for it in parameters_of(schema)}
    named = {keys.get(name, name): value for name, value in values.items()}
    return {key: _converted(value, known.get(key), schema, 0) for key, value in named.items()}


def schema_lines(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a tool takes, a line for each property, also of nested objects."""
    yield from _described("", schema, schema, 0)


def _parameter(
    names: Names, key: str, described: object, root: Mapping[str, Any], required: bool
) -> ToolParameter:
    slug = _NOT_IN_NAME.sub("-", key).strip("-")
    name = names.take(slug if slug[:1].isalpha() or slug[:1] == "_" else f"p-{slug}".rstrip("-"))
    schema = _resolved(described, root)
    kind = _type_of(schema, root)
    return ToolParameter(
        name=name,
        key=key,
        type=kind,
        required=required,
        description=_summary(schema),
        choices=_choices(schema) if kind == "string" else (),
    )


def _type_of(schema: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    kinds = _types(schema, root)
    if len(kinds) == 1 and (kind := next(iter(kinds))) in _SCALARS:
        return _TYPES[kind]
    if kinds == {"integer", "number"}:
        return "number"
    if kinds == {"array"} and _types(_resolved(schema.get("items"), root), root) <= _SCALARS:
        return "list" if "items" in schema else "json"
    if "string" in kinds and kinds <= _SCALARS:
        return "string"
    return "json"


def _types(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int = 0) -> set[str]:
    """Return the JSON types that a schema allows, without null; none if it does not say."""
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    found = {it for it in kinds if isinstance(it, str)}
    for each in _alternatives(schema) if depth < _DEEPEST else ():
        found |= _types(_resolved(each, root), root, depth + 1)
    if not found and isinstance(values := schema.get("enum"), list) and values:
        found = {"string"} if all(map(_is_text, values)) else {"json"}
    if not found and isinstance(schema.get("properties"), dict):
        found = {"object"}
    return found - {"null"}


def _alternatives(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = [it for key in ("anyOf", "oneOf") if isinstance(each := schema.get(key), list) for it in each]
    return [it for it in found if isinstance(it, dict)]


def _choices(schema: Mapping[str, Any]) -> tuple[str, ...]:
    values = schema.get("enum")
    if not isinstance(values, list) or not all(_is_text(it) and _CHOICE.fullmatch(it) for it in values):
        return ()
    return tuple(values) if len(values) > 1 else ()


def _resolved(schema: object, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a schema says, or the one that it refers to within the document."""
    for _ in range(_DEEPEST):
        if not isinstance(schema, dict):
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        schema = _pointed_to(reference[1:], root)
    return {}


def _pointed_to(pointer: str, root: Mapping[str, Any]) -> object:
    node: Any = root
    for step in filter(None, pointer.split("/")):
        key = step.replace("~1", "/").replace("~0", "~")
        node = node.get(key) if isinstance(node, dict) else None
    return node


def _converted(value: object, described: object, root: Mapping[str, Any], depth: int) -> Any:
    schema = _resolved(described, root)
    if isinstance(value, JsonText):
        return _converted(value.value, schema, root, depth)
    if isinstance(value, tuple | list):
        items = schema.get("items")
        return [_element(it, items, root, depth) for it in value]
    if isinstance(value, Mapping):
        properties = schema.get("properties")
        known = properties if isinstance(properties, dict) and depth < _DEEPEST * 4 else {}
        return {key: _converted(it, known.get(key), root, depth + 1) for key, it in value.items()}
    if isinstance(value, FlagText):
        return _read(str(value), schema, root)
    if isinstance(value, bool) or value is None:
        return value
    return _number(value, schema, root) if isinstance(value, int | float) else value


def _element(value: object, items: object, root: Mapping[str, Any], depth: int) -> Any:
    schema = _resolved(items, root)
    if type(value) is str and (kinds := _types(schema, root)) and "string" not in kinds:
        return _read(value, schema, root)
    return _converted(value, schema, root, depth + 1)


def _number(value: float, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    plain = int(value) if isinstance(value, int) else float(value)
    is_whole = isinstance(plain, float) and plain.is_integer() and _types(schema, root) == {"integer"}
    return int(plain) if is_whole else plain


def _read(text: str, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """Return what a typed text means: JSON where the schema allows such a value, else the text."""
    kinds = _types(schema, root)
    if not kinds or kinds == {"string"}:
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    if _json_type(value) & (kinds | {"null"}):
        return value
    if kinds != {"array"}:
        return text
    items = schema.get("items")
    return [_element(FlagText(it.strip()), items, root, _DEEPEST) for it in text.split(",")]


def _json_type(value: object) -> set[str]:
    if isinstance(value, bool):
        return {"boolean"}
    if isinstance(value, int | float):
        return {"number", "integer"} if isinstance(value, int) else {"number"}
    names = {str: "string", list: "array", dict: "object", type(None): "null"}
    return {names[type(value)], "json"}


def _described(where: str, schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> Iterator[str]:
    properties = schema.get("properties")
    if not isinstance(properties, dict) or depth > _DEEPEST:
        return
    required = schema.get("required")
    needed = required if isinstance(required, list) else []
    for key, each in list(properties.items())[:_MOST_PARAMETERS]:
        found = _resolved(each, root)
        path = f"{where}.{key}" if where else key
        kinds = " or ".join(sorted(_types(found, root))) or "any"
        more = ", required" if key in needed else ""
        described = _summary(found)
        yield f"{path}: {kinds}{more}{f' - {described}' if described else ''}"
        inner = _resolved(found.get("items"), root) if "items" in found else found
        if inner is not root:
            yield from _described(f"{path}[]" if "items" in found else path, inner, root, depth + 1)


def _summary(schema: Mapping[str, Any]) -> str:
    """Return what a schema says of a value beside its type, on one line."""
    facts = [str(schema.get("description") or schema.get("title") or "")]
    for key, word in (
        ("default", "default"),
        ("minimum", "at least"),
        ("maximum", "at most"),
        ("format", "format"),
        ("pattern", "pattern"),
        ("const", "always"),
    ):
        if key in schema:
            facts.append(f"{word} {_short(schema[key])}")
    if isinstance(schema.get("enum"), list) and not _choices(schema):
        facts.append(f"one of {_short(schema['enum'])}")
    if isinstance(examples := schema.get("examples"), list) and examples:
        facts.append(f"such as {_short(examples[0])}")
    return "; ".join(filter(None, facts))


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
    return text if len(text) <= 200 else f"{text[:200]}…"


def _is_text(value: object) -> bool:
    return isinstance(value, str)
