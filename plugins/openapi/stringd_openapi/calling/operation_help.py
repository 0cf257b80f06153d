"""What `/act.id --help` says below the flags: the request, its values in detail, and its answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from stringd.plugin import Refusal
from stringd.plugin.actions import flaw_of_action
from stringd.plugin.documents import Action, Diagnostic
from stringd.plugin.text import foreign_code, shortened, visible_line
from stringd_openapi.app_pages.action_text import parameter_type
from stringd_openapi.app_pages.description_lines import inline
from stringd_openapi.call_requests.value_checks import expected_types
from stringd_openapi.calling.installed_description import flags_of, operation_of
from stringd_openapi.model.json_schemas import follow
from stringd_openapi.model.names import NEXT
from stringd_openapi.model.object_members import object_members
from stringd_openapi.model.operations import Body, Operation, Parameter, Schema

_DEEPEST = 3
_MOST_MEMBERS = 60
_MOST_LINES = 300
_TEXT = 300
_EXAMPLE = 120
_MOST_CHOICES = 40


def describe_action(action: Action, package: Path | None) -> str:
    """Return the help for an action below its flags."""
    if action.target == NEXT:
        return "Shows the next page of this topic's last answer."
    try:
        operation = operation_of(package, action.target)
    except Refusal as refusal:
        return "\n".join((refusal.message, *refusal.context))
    lines = list(_lines(operation))
    more = [f"- … {len(lines) - _MOST_LINES} more lines"] if len(lines) > _MOST_LINES else []
    return "\n".join((*lines[:_MOST_LINES], *more))


def check_action(action: Action, package: Path | None) -> Iterator[Diagnostic]:
    """Yield what is wrong with an action: an operation or parameters that its description does not have."""
    if action.target == NEXT:
        return
    try:
        known = flags_of(package).get(action.target) if package else None
    except (Refusal, OSError) as error:
        yield flaw_of_action(action, str(error), "/install --update brings back what a package lacks.")
        return
    if known is None:
        reason = f"there is no operation {action.target}"
        yield flaw_of_action(action, reason, "Name an operation of the app's openapi.json.")
        return
    for it in action.parameters:
        if it.name not in known:
            reason = f"the operation has no parameter {it.name}"
            yield flaw_of_action(action, reason, f"It has: {', '.join(sorted(known)) or 'none'}.")


def _lines(operation: Operation) -> Iterator[str]:
    yield f"Request: {operation.method} {foreign_code(operation.path, _TEXT)}"
    for text in (operation.summary, operation.description):
        if shown := inline(text, 2 * _TEXT):
            yield f"About: {shown}"
    if operation.parameters:
        yield ""
        yield "Parameters:"
        for it in operation.parameters:
            yield from _parameter_lines(it, operation.definitions)
    if operation.body:
        yield ""
        yield from _body_lines(operation.body, operation.definitions)
    if operation.responses:
        yield ""
        yield "Answers:"
        for status, text in operation.responses.items():
            yield f"- {inline(status, 20)}: {inline(text, _TEXT) or 'no description'}"


def _parameter_lines(parameter: Parameter, definitions: Mapping[str, Schema]) -> Iterator[str]:
    where = f"{parameter.location} {foreign_code(parameter.name, 80)}"
    notes = [
        where,
        *(["required"] if parameter.required else []),
        *(["deprecated"] if parameter.deprecated else []),
    ]
    yield from _value_lines(
        f"--{parameter.flag}", parameter.schema, definitions, notes, parameter.description, parameter.example
    )


def _body_lines(body: Body, definitions: Mapping[str, Schema]) -> Iterator[str]:
    required = ", required" if body.required else ""
    described = inline(body.description, _TEXT)
    yield f"Body ({inline(body.media_type, 80)}{required}):{' ' if described else ''}{described}"
    for it in body.fields:
        notes = ["required"] if it.required else []
        if it.name in body.files:
            notes.append("path of a file")
        if it.flag != it.name:
            notes.append(f"sent as {foreign_code(it.name, 80)}")
        yield from _value_lines(f"--{it.flag}", it.schema, definitions, notes)
    if body.whole:
        notes = ["path of a file"] if body.is_file else []
        yield from _value_lines(f"--{body.whole}", True if body.fields else body.schema, definitions, notes)
    if body.example is not None:
        yield f"- example: {foreign_code(_json(body.example), 4 * _EXAMPLE)}"


def _value_lines(
    name: str,
    schema: Schema,
    definitions: Mapping[str, Schema],
    notes: list[str],
    description: str = "",
    example: Any = None,
    depth: int = 0,
) -> Iterator[str]:
    found = follow(schema, definitions)
    told = [_type_word(schema, definitions), *notes, *_constraints(found)]
    shown = inline(description or str(found.get("description", "")), _TEXT)
    line = f"{'  ' * depth}- {name}: {', '.join(told)}{' — ' if shown else ''}{shown}"
    example = found.get("example") if example is None else example
    if example is not None:
        line += f" e.g. {foreign_code(_json(example), _EXAMPLE)}"
    yield line
    if depth < _DEEPEST:
        yield from _member_lines(name, schema, definitions, depth)


def _member_lines(name: str, schema: Schema, definitions: Mapping[str, Schema], depth: int) -> Iterator[str]:
    if parameter_type(schema, definitions) != "json":
        return
    items = follow(schema, definitions).get("items")
    if items is not None:
        name, schema = f"{name}[0]", items
    found = object_members(schema, definitions)
    members = list(found.schemas.items()) if found else []
    for member, it in members[:_MOST_MEMBERS]:
        notes = ["required"] if found and member in found.required else []
        yield from _value_lines(f"{name}.{inline(member, 80)}", it, definitions, notes, depth=depth + 1)
    if len(members) > _MOST_MEMBERS:
        yield f"{'  ' * (depth + 1)}- … {len(members) - _MOST_MEMBERS} more members"


def _type_word(schema: Schema, definitions: Mapping[str, Schema]) -> str:
    found = follow(schema, definitions)
    word = expected_types(schema, definitions)
    if word == "array":
        word = f"array of {expected_types(found.get('items', True), definitions)}"
    shape = str(found.get("format", ""))
    return f"{word} ({inline(shape, 40)})" if shape else word


def _constraints(schema: Mapping[str, Any]) -> Iterator[str]:
    if "enum" in schema:
        values = [inline(str(it), 80) for it in schema["enum"][:_MOST_CHOICES]]
        more = len(schema["enum"]) - len(values)
        yield f"one of {' | '.join(values)}{f' … and {more} more' if more else ''}"
    words = (
        ("minimum", "at least"),
        ("maximum", "at most"),
        ("minLength", "length from"),
        ("maxLength", "length to"),
    )
    for keyword, word in words:
        if keyword in schema:
            yield f"{word} {schema[keyword]}"
    if "pattern" in schema:
        yield f"matches {foreign_code(schema['pattern'], 80)}"
    if "default" in schema:
        yield f"default {foreign_code(_json(schema['default']), 80)}"


def _json(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return shortened(visible_line(json.dumps(value, ensure_ascii=False, default=str)), 1000)
    except (ValueError, RecursionError):
        return "…"
