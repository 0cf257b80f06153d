"""Check values against schemas; messages name the path of the value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from stringd.plugin.text import shortened, visible_line
from stringd_openapi.model.json_schemas import types_of
from stringd_openapi.model.operations import Schema

_SHOWN = 80
_CHOICES = 20
_MOST_MESSAGES = 5
# The keywords that compare with others: what fits least badly is told instead.
_DEEPEST = 8


class SchemaChecks:
    """Checks values against the schemas of one operation."""

    def __init__(self, definitions: Mapping[str, Schema]) -> None:
        self.definitions = definitions

    def is_valid(self, value: Any, schema: Schema) -> bool:
        """Whether a value is valid."""
        return not any(True for _ in self._errors(value, schema))

    def messages(self, value: Any, schema: Schema, path: str) -> list[str]:
        """Return what is wrong with a value, the first few faults, each with the path of the value."""
        found = (_message(_closest(it), path, self.definitions) for it in self._errors(value, schema))
        return [it for it, _ in zip(dict.fromkeys(found), range(_MOST_MESSAGES), strict=False)]

    def _errors(self, value: Any, schema: Schema) -> Iterator[Any]:
        if isinstance(schema, bool):
            return iter(())
        found: Iterator[Any] = _validator({**schema, "$defs": self.definitions}).iter_errors(value)
        return found


_made: list[Any] = []


def _validator(schema: Mapping[str, Any]) -> Any:
    # The worker process imports it for the first call of an operation.
    import jsonschema

    if not _made:
        made = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"pattern": _pattern})
        _made.append(made)
    return _made[0](schema)


def _pattern(validator: Any, pattern: str, value: Any, schema: Any) -> Iterator[Any]:
    """Check a pattern if Python can read it: descriptions have patterns of JavaScript."""
    import jsonschema

    try:
        matches = not isinstance(value, str) or re.search(pattern, value)
    except (re.error, RecursionError, OverflowError):
        return
    if not matches:
        yield jsonschema.ValidationError(f"does not match {pattern!r}")


def _closest(error: Any) -> Any:
    """Return the fault of the alternative that fits best."""
    for _ in range(_DEEPEST):
        if not error.context:
            break
        error = max(error.context, key=lambda it: (len(it.absolute_path), it.validator != "type"))
    return error


def _message(error: Any, path: str, definitions: Mapping[str, Schema]) -> str:
    where = path + "".join(f"[{it}]" if isinstance(it, int) else f".{it}" for it in error.absolute_path)
    received = shortened(visible_line(repr(error.instance)), _SHOWN)
    match error.validator:
        case "required":
            missing = [it for it in error.validator_value if it not in error.instance]
            return _line(f"{where}.{missing[0]}: expected a value, received nothing" if missing else where)
        case "type":
            types = error.validator_value
            expected = " or ".join(types) if isinstance(types, list) else types
        case "enum":
            expected = f"one of {_listed(error.validator_value)}"
        case "const":
            expected = repr(error.validator_value)
        case "additionalProperties" | "unevaluatedProperties":
            return _line(f"{where}: {error.message}")
        case _:
            expected = _constraint(error)
    return _line(f"{where}: expected {expected}, received {received}")


def _constraint(error: Any) -> str:
    words = {
        "minimum": "at least {}",
        "maximum": "at most {}",
        "exclusiveMinimum": "more than {}",
        "exclusiveMaximum": "less than {}",
        "minLength": "at least {} characters",
        "maxLength": "at most {} characters",
        "minItems": "at least {} elements",
        "maxItems": "at most {} elements",
        "pattern": "a text that matches {}",
        "multipleOf": "a multiple of {}",
        "uniqueItems": "elements that differ",
        "oneOf": "exactly one of the alternatives",
        "anyOf": "one of the alternatives",
        "not": "another value",
    }
    return words.get(error.validator, f"{error.validator} {{}}").format(error.validator_value)


def _listed(values: Iterable[Any]) -> str:
    texts = [str(it) for it in values]
    more = f" … ({len(texts)} in all)" if len(texts) > _CHOICES else ""
    return ", ".join(texts[:_CHOICES]) + more


def _line(text: str) -> str:
    return shortened(visible_line(text), 400)


def expected_types(schema: Schema, definitions: Mapping[str, Schema]) -> str:
    """Return the types that a schema allows, in words."""
    types = types_of(schema, definitions) - {"null"}
    if "number" in types:
        types -= {"integer"}
    return " or ".join(sorted(types)) if len(types) < 4 else "any value"
