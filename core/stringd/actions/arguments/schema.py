"""Describe actions by their flags: usage lines and parameter lists."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from stringd.documents.syntax.actions import Action, Parameter
from stringd.documents.syntax.parameters import CHOICES, JSON, LIST
from stringd.text.escaping import printable
from stringd.text.formatting import counted, listed

_KINDS = {
    "boolean": "true or false",
    "tuple": 'an @shortcut of an earlier answer or "(a, b)"',
    LIST: 'a list such as a,b or ["a", "b"]',
    JSON: "JSON",
}
_EMPTY = '""'
_MOST_SHOWN = 200


def usage_of(action: Action) -> str:
    """Return the usage line of an action, with optional flags in brackets."""
    return " ".join((f"/act.{action.id}", *map(_in_call, action.parameters)))


def declared_flags(action: Action) -> str:
    """Return the declared flags of an action."""
    return ", ".join(map(_flag, action.parameters)) or "none"


def schema_of(action: Action, summary: str = "", *, most: int = sys.maxsize) -> str:
    """Return the usage of an action and a line for each parameter, without what the action runs.

    Choices beyond `most` are only counted.
    """
    more = f"/act.{action.id} --help"
    rows = [(_flag(it), "  ".join(_facts(it, most, more))) for it in action.parameters]
    width = max((len(flag) for flag, _ in rows), default=0)
    lines = (f"{flag:<{width}}  {facts}" for flag, facts in rows)
    return "\n".join((usage_of(action), *filter(None, [summary]), "", *lines)).rstrip()


def expectation(parameter: Parameter) -> str:
    """Return a description of the valid values of a parameter."""
    bounds = " and ".join(_bounds(parameter))
    if parameter.choices:
        number = "any" if parameter.type in {CHOICES, LIST} else "one"
        choices = f"{number} of {listed([*map(_shown, parameter.choices)], '--help lists them')}"
        return f"{choices}, {bounds}" if bounds else choices
    kind = _KINDS.get(parameter.type, f"a {parameter.type}")
    return f"{kind} of {bounds}" if bounds else kind


def _in_call(parameter: Parameter) -> str:
    flag = f"--{parameter.name} <{parameter.type}>"
    return flag if parameter.required and parameter.default is None else f"[{flag}]"


def _flag(parameter: Parameter) -> str:
    alias = f", -{parameter.alias}" if parameter.alias else ""
    return f"--{parameter.name}{alias} <{parameter.type}>"


def _facts(parameter: Parameter, most: int, more: str) -> Iterator[str]:
    yield "required" if parameter.required else "optional"
    if parameter.secret:
        yield "secret"
    if parameter.choices:
        yield listed(_choices(parameter), more, most=most, between="|")
    yield from _bounds(parameter)
    if parameter.description:
        yield parameter.description
    if parameter.default is not None:
        yield _default(parameter.default)


def _default(text: str) -> str:
    """Return a default in one line; a long one is shortened, with the number of characters left out."""
    first = text.partition("\n")[0][:_MOST_SHOWN]
    if first == text:
        return f'(default: "{printable(text)}")'
    return (
        f'(default: "{printable(first)}", which goes on for {counted(len(text) - len(first), "character")})'
    )


def _choices(parameter: Parameter) -> list[str]:
    values = [*map(_shown, parameter.choices)]
    if not parameter.labels:
        return values
    pairs = zip(parameter.choices, values, parameter.labels, strict=True)
    return [shown if label == value else f"{shown} ({label})" for value, shown, label in pairs]


def _shown(choice: str) -> str:
    return printable(choice) or _EMPTY


def _bounds(parameter: Parameter) -> Iterator[str]:
    for word, bound in (("least", parameter.minimum), ("most", parameter.maximum)):
        if bound is not None:
            yield f"at {word} {_measured(bound, parameter)}"


def _measured(bound: float, parameter: Parameter) -> str:
    if parameter.type == "number":
        return f"{bound:g}"
    return counted(int(bound), "element" if parameter.type in {"tuple", LIST} else "character")
