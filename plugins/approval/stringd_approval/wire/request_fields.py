"""The fields of a request with their types: nothing is converted, and a known field occurs once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct, field

from stringd_approval.exec_request import DEFAULT_DIRECTORY, Pipeline
from stringd_approval.wire.strict_json import JsonObject, parse_object
from stringd_approval.wire.wire_error import WireError

EXEC = "exec"


class RequestFields(Struct, frozen=True, kw_only=True):
    """The known fields of a request as they were sent; `pipeline` is None if it was not."""

    id: str = ""
    host: str = ""
    session: str = ""
    time: str = ""
    reason: str = ""
    version: str = ""
    action: str = EXEC
    cwd: str = DEFAULT_DIRECTORY
    pipeline: Pipeline | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    privileged: bool = True
    forward_agent: bool = False


def read_fields(line: bytes) -> RequestFields:
    """Return the known fields in a line of JSON; raise `WireError` for invalid JSON and wrong types."""
    found: dict[str, Any] = {}
    for name, value in parse_object(line):
        if name not in _READERS:
            continue
        if name in found:
            raise WireError(f"invalid JSON: duplicate field `{name}`")
        found[name] = _READERS[name](name, value)
    fields = RequestFields(**found)
    if fields.pipeline is None and fields.action == EXEC:
        raise WireError("invalid JSON: missing field `pipeline`")
    return fields


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise _wrong_type(name, "a string", value)
    return value


def _truth(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _wrong_type(name, "true or false", value)
    return value


def _stages(name: str, value: object) -> Pipeline:
    return tuple(
        _words(f"{name}: stage {number}", stage) for number, stage in enumerate(_array(name, value), 1)
    )


def _words(name: str, value: object) -> tuple[str, ...]:
    words = _array(name, value)
    if not {str}.issuperset(map(type, words)):
        raise _wrong_type(name, "a string", next(it for it in words if not isinstance(it, str)))
    return tuple(words)


def _array(name: str, value: object) -> list[Any]:
    if not isinstance(value, list) or isinstance(value, JsonObject):
        raise _wrong_type(name, "an array", value)
    return value


def _variables(name: str, value: object) -> Mapping[str, str]:
    if not isinstance(value, JsonObject):
        raise _wrong_type(name, "an object", value)
    variables: dict[str, str] = {}
    for key, text in value:
        if key in variables:
            raise WireError(f"invalid JSON: `{name}` has a duplicate variable")
        variables[key] = _text(f"{name}: the value of a variable", text)
    return variables


def _wrong_type(name: str, expected: str, value: object) -> WireError:
    field_name, colon, part = name.partition(":")
    return WireError(f"invalid JSON: `{field_name}`{colon}{part} must be {expected}, not {_kind(value)}")


def _kind(value: object) -> str:
    if isinstance(value, JsonObject):
        return "an object"
    return _KINDS.get(type(value), "a number")


_KINDS: Mapping[type, str] = {
    type(None): "null",
    bool: "a truth value",
    str: "a string",
    list: "an array",
}

_Read: TypeAlias = Callable[[str, object], object]

_READERS: Mapping[str, _Read] = {
    **dict.fromkeys(("id", "host", "session", "time", "reason", "version", "action", "cwd"), _text),
    **dict.fromkeys(("privileged", "forward_agent"), _truth),
    "pipeline": _stages,
    "env": _variables,
}
