"""The body of an action's call: a JSON object of parameters, below the command."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.actions.arguments.schema import declared_flags
from stringd.actions.values.nested_values import DEEPEST, is_too_deep
from stringd.actions.values.typed_values import as_json, as_text, read_exactly
from stringd.documents.syntax.actions import Action
from stringd.documents.syntax.parameters import JSON
from stringd.errors import ErrorCode, Refusal
from stringd.text.action_words import line_end

_OPENING = "{"
_EXAMPLE = """A body is a JSON object of parameters, such as {"name": "value"}"""


def split_body(typed: str) -> tuple[str, str]:
    """Return the words of a call and the JSON object below them; empty unless the next line begins one."""
    end = line_end(typed) if "\n" in typed else None
    if end is None or not typed[end:].lstrip().startswith(_OPENING):
        return typed, ""
    return typed[:end], typed[end:]


def read_body(body: str, action: Action) -> Mapping[str, object]:
    """Return the values of a body by parameter, without null for those that are not JSON; or refuse."""
    if not body:
        return {}
    try:
        read = read_exactly(body)
    except (ValueError, RecursionError) as error:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"The body is not JSON: {error}", _EXAMPLE) from None
    assert isinstance(read, dict)
    if is_too_deep(read):
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"The body has more than {DEEPEST} levels.", _EXAMPLE)
    types = {it.name: it.type for it in action.parameters if not it.confirms}
    for name in read:
        if name not in types:
            declared = f"declared: {declared_flags(action)}"
            raise Refusal(ErrorCode.INVALID_PAYLOAD, f"Unknown parameter in the body: {name}", declared)
    return {name: value for name, value in read.items() if value is not None or types[name] == JSON}


def text_of_scalar(value: object) -> str | None:
    """Return a text, number or truth value of a body as a flag would have it; None for others."""
    return as_text(value) if isinstance(value, str | int | float) else None


def texts_of_array(value: object) -> tuple[str, ...] | None:
    """Return the elements of an array of a body as texts; None for other values."""
    if not isinstance(value, list):
        return None
    return tuple(it if isinstance(it, str) else as_json(it) for it in value)
