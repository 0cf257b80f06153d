"""The parameters of an action, each declared on one line of strict syntax."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

CHOICES = "choices"
LIST, JSON = "list", "json"
_QUOTED = r'"(?:[^"\\]|\\.)*+"'
_LINE = re.compile(
    r"[ \t]+(?P<name>[^\W\d][\w-]*)(?:,[ \t]*-(?P<alias>[A-Za-z]))?[ \t]*:"
    r"[ \t]+(?P<type>string|number|boolean|path|tuple|list|json)"
    r"(?:[ \t]*\((?P<constraints>[^()]*)\))?"
    rf"(?:[ \t]+(?P<description>{_QUOTED}))?"
    rf"(?:[ \t]*=[ \t]*(?P<default>{_QUOTED}))?[ \t]*"
)
_BOUND = re.compile(r"(?P<edge>min|max):[ \t]*(?P<value>[+-]?\d+(?:\.\d+)?)", re.ASCII)
_ESCAPE = re.compile(r'\\(["\\])')


class Parameter(Struct, frozen=True, kw_only=True):
    """A parameter of an action; `minimum` and `maximum` bound a text's length and a list's elements.

    `default` is the author's text. `labels` name the choices where these differ from their values. A
    `secret` value is never shown. `confirms` marks the runtime's own `--confirm`. Only form fields have the
    type `choices`: any number of them, separated by commas.
    """

    name: str
    alias: str | None
    type: str
    required: bool
    description: str
    default: str | None
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...]
    labels: tuple[str, ...] = ()
    secret: bool = False
    confirms: bool = False


def read_parameter(line: str) -> tuple[Parameter, tuple[str, ...]] | None:
    """Parse a parameter and the constraints that are not understood; None if it is not a parameter."""
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    constraints = list(_constraints(found["constraints"]))
    bounds = {edge["edge"]: float(edge["value"]) for it in constraints if (edge := _BOUND.fullmatch(it))}
    parameter = Parameter(
        name=found["name"],
        alias=found["alias"],
        type=found["type"],
        required="required" in constraints,
        description=_unquoted(found["description"]) or "",
        default=_unquoted(found["default"]),
        minimum=bounds.get("min"),
        maximum=bounds.get("max"),
        choices=tuple(choice.strip() for it in constraints if "|" in it for choice in it.split("|")),
    )
    return parameter, tuple(it for it in constraints if not _is_known(it))


def _constraints(text: str | None) -> Iterator[str]:
    yield from filter(None, (it.strip() for it in (text or "").split(",")))


def _is_known(constraint: str) -> bool:
    return constraint in {"required", "optional"} or "|" in constraint or bool(_BOUND.fullmatch(constraint))


def _unquoted(text: str | None) -> str | None:
    return None if text is None else _ESCAPE.sub(r"\1", text[1:-1])
