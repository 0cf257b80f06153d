"""Convert texts to the types of parameters, and check whether they fit."""

from __future__ import annotations

from stringd.actions.values.typed_values import (
    JsonText,
    Value,
    read_json_text,
    read_list,
    read_number,
    read_tuple,
)
from stringd.documents.syntax.parameters import JSON, LIST, Parameter

_SEVERAL = frozenset({"tuple", LIST})


def fits(parameter: Parameter, text: str) -> bool:
    """Return whether a text is a valid value of a parameter."""
    return is_valid(parameter, convert(parameter, text))


def convert(parameter: Parameter, text: str) -> Value:
    """Return the text converted to the parameter's type, or unchanged if it cannot be converted."""
    converted: Value | None = text
    match parameter.type:
        case "number":
            converted = read_number(text)
        case "boolean" if text.lower() in {"true", "false"}:
            converted = text.lower() == "true"
        case "tuple":
            converted = read_tuple(text)
        case "list":
            converted = read_list(text)
        case "json":
            converted = read_json_text(text)
    return text if converted is None else converted


def is_valid(parameter: Parameter, value: Value) -> bool:
    """Return whether a converted value has the parameter's type and is within its bounds."""
    return _has_type(parameter, value) and _is_within(parameter, value)


def _has_type(parameter: Parameter, value: Value) -> bool:
    if parameter.type in _SEVERAL:
        is_absent = parameter.type == "tuple" and parameter.required and not value
        return isinstance(value, tuple) and not is_absent
    if parameter.type == JSON:
        return isinstance(value, JsonText)
    return parameter.type not in {"number", "boolean"} or not isinstance(value, str)


def _is_within(parameter: Parameter, value: Value) -> bool:
    values = value if isinstance(value, tuple) else (str(value),)
    if parameter.choices and not all(it in parameter.choices for it in values):
        return False
    size = len(value) if isinstance(value, str | tuple) else value
    low, high = parameter.minimum, parameter.maximum
    return (low is None or size >= low) and (high is None or size <= high)
