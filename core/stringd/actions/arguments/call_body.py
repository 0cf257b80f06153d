"""The body of an action's call below the command: a JSON object of parameters, or the parameter `body`."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.actions.arguments.schema import declared_flags
from stringd.actions.values.nested_flags import DEEPEST, is_too_deep
from stringd.actions.values.typed_values import as_json, as_text, read_exactly
from stringd.documents.syntax.actions import CALL, Action, Parameter
from stringd.documents.syntax.parameters import JSON, LIST
from stringd.errors import ErrorCode, Refusal
from stringd.text.action_words import line_end

_OPENING = "{"
_WHOLE = "body"
_IN_JSON = frozenset({JSON, LIST, "tuple"})
_EXAMPLE = """A body is a JSON object of parameters, such as {"name": "value"}"""


def split_body(typed: str, action: Action) -> tuple[str, str]:
    """Return the words of a call and the body below them, which is empty unless the action takes it."""
    end = line_end(typed) if "\n" in typed else None
    if end is None or not typed[end:].strip():
        return typed, ""
    is_taken = _is_object(typed[end:]) or _whole(action) is not None
    return (typed[:end], typed[end:]) if is_taken else (typed, "")


def _is_object(body: str) -> bool:
    return body.lstrip().startswith(_OPENING)


def _whole(action: Action) -> Parameter | None:
    """Return the parameter that a body is which is no JSON object; only those of plugins have one."""
    named = (it for it in action.parameters if it.name == _WHOLE)
    return next(named, None) if action.method == CALL else None


def read_body(body: str, action: Action) -> Mapping[str, object]:
    """Return the values of a body by parameter, without null for those that are not JSON; or refuse."""
    if not body:
        return {}
    whole = None if _is_object(body) else _whole(action)
    if whole is not None:
        text = body.removeprefix("\r").removeprefix("\n")
        return {whole.name: _read(text) if whole.type in _IN_JSON else text}
    read = _read(body)
    assert isinstance(read, dict)
    types = {it.name: it.type for it in action.parameters if not it.confirms}
    for name in read:
        if name not in types:
            declared = f"declared: {declared_flags(action)}"
            raise Refusal(ErrorCode.INVALID_PAYLOAD, f"Unknown parameter in the body: {name}", declared)
    return {name: value for name, value in read.items() if value is not None or types[name] == JSON}


def _read(body: str) -> object:
    try:
        read = read_exactly(body)
    except (ValueError, RecursionError) as error:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"The body is not JSON: {error}", _EXAMPLE) from None
    if is_too_deep(read):
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"The body has more than {DEEPEST} levels.", _EXAMPLE)
    return read


def text_of_scalar(value: object) -> str | None:
    """Return a text, number or truth value of a body as a flag would have it; None for others."""
    return as_text(value) if isinstance(value, str | int | float) else None


def texts_of_array(value: object) -> tuple[str, ...] | None:
    """Return the elements of an array of a body as texts; None for other values."""
    if not isinstance(value, list):
        return None
    return tuple(it if isinstance(it, str) else as_json(it) for it in value)
