"""The action of an operation, as its page declares it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from stringd_openapi.app_pages.description_lines import plain, quoted
from stringd_openapi.model.json_schemas import follow, types_of
from stringd_openapi.model.operations import Body, Operation, Schema

METHOD = "openapi"
_CHOICE = re.compile(r"[\w.:/+-][\w .:/+-]*", re.ASCII)
_MOST_CHOICES = 30
_LONGEST = 120
_SCALARS = frozenset({"string", "number", "integer", "boolean"})


def action_fence(operation: Operation) -> str:
    """Return the fence that declares the action of an operation."""
    return "\n".join((f"```act.{operation.id}", *action_lines(operation), "```"))


def action_lines(operation: Operation) -> Iterator[str]:
    """Yield the lines of an action: the call, and each of its parameters."""
    yield f"CALL {METHOD} {operation.id}"
    for it in operation.parameters:
        yield _line(it.flag, it.schema, it.required, it.description, operation.definitions)
    if operation.body:
        yield from _body_lines(operation.body, operation.definitions)


def _body_lines(body: Body, definitions: Mapping[str, Schema]) -> Iterator[str]:
    for it in body.fields:
        described = follow(it.schema, definitions).get("description", "")
        required = body.required and it.required and not body.whole
        takes_files = it.name in body.files
        yield _line(it.flag, it.schema, required, described, definitions, takes_files=takes_files)
    if body.whole:
        required = body.required and not any(it.required for it in body.fields)
        described = body.description or "The whole body"
        if body.is_file:
            yield f"  {body.whole}: path{_constraints(required)} {quoted(described, _LONGEST)}"
        else:
            yield _line(body.whole, body.schema, required and not body.fields, described, definitions)


def _line(
    flag: str,
    schema: Schema,
    required: bool,
    description: object,
    definitions: Mapping[str, Schema],
    *,
    takes_files: bool = False,
) -> str:
    kind = parameter_type(schema, definitions)
    if takes_files:
        kind = "list" if kind in {"list", "json"} else "path"
    choices = _choices(schema, kind, definitions)
    text = description if isinstance(description, str) else ""
    shown = f" {quoted(text, _LONGEST)}" if plain(text, _LONGEST) else ""
    return f"  {flag}: {kind}{_constraints(required, choices)}{shown}"


def _constraints(required: bool, choices: str = "") -> str:
    found = ", ".join((*(["required"] if required else []), *([choices] if choices else [])))
    return f" ({found})" if found else ""


def parameter_type(schema: Schema, definitions: Mapping[str, Schema]) -> str:
    """Return the type of an action's parameter for a schema."""
    types = types_of(schema, definitions) - {"null"}
    if types == {"boolean"}:
        return "boolean"
    if types and types <= {"number", "integer"} and "null" not in types_of(schema, definitions):
        return "number"
    if types == {"array"} and _has_scalar_items(schema, definitions):
        return "list"
    if types and types <= {"array", "object"}:
        return "json"
    return "string"


def _has_scalar_items(schema: Schema, definitions: Mapping[str, Schema]) -> bool:
    items = follow(schema, definitions).get("items", True)
    return items is not True and types_of(items, definitions) - {"null"} <= _SCALARS


def _choices(schema: Schema, kind: str, definitions: Mapping[str, Schema]) -> str:
    """Return the choices of a text or of the elements of a list, if the syntax of actions can write them."""
    found = follow(schema, definitions)
    if kind == "list":
        found = follow(found.get("items", True), definitions)
    values = found.get("enum", [])
    is_fit = 1 < len(values) <= _MOST_CHOICES and kind in {"string", "list"}
    if not is_fit or not all(isinstance(it, str) and _CHOICE.fullmatch(it) for it in values):
        return ""
    return "|".join(values)
