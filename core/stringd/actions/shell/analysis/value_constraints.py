"""The possible values of parameters, and the constraints on values in a context."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct

from stringd.actions.shell.analysis.shell_syntax import PlaceholderPart
from stringd.actions.values.typed_values import NUMBER
from stringd.documents.syntax.parameters import JSON, LIST, Parameter

_COMPOSED = frozenset({"tuple", LIST, JSON})


class ValueKind(Enum):
    """The values that a parameter accepts: any text, declared words, or numbers."""

    TEXT = "any text"
    WORDS = "one of the declared words"
    NUMBER = "a number"


class Constraint(Enum):
    """A constraint on a value, which is checked when the command runs."""

    NOTHING = "any text"
    NO_OPTION = "a text that does not begin with -"
    DECLARED = "a number or one of the declared words"
    WHOLE = "a whole number"


class ParameterKinds(Struct, frozen=True, kw_only=True):
    """The kinds of an action's parameters, and which of them are lists or may have no value."""

    by_name: Mapping[str, ValueKind]
    words: Mapping[str, tuple[str, ...]]
    optional: frozenset[str]
    lists: frozenset[str]

    @classmethod
    def of(cls, parameters: tuple[Parameter, ...]) -> ParameterKinds:
        """Return the kinds of an action's parameters, and which of them may have no value."""
        return cls(
            by_name={it.name: _kind(it) for it in parameters},
            words={it.name: _words(it) for it in parameters},
            optional=frozenset(it.name for it in parameters if not it.required and it.default is None),
            lists=frozenset(it.name for it in parameters if it.type == LIST),
        )

    def kind_of(self, part: PlaceholderPart) -> ValueKind:
        """Return the kind of a placeholder's value; an element of a tuple or a modified value is any text."""
        is_whole = part.placeholder.index is None and not part.placeholder.modifiers
        return self.by_name[part.placeholder.name] if is_whole else ValueKind.TEXT


def _kind(parameter: Parameter) -> ValueKind:
    """Return the kind of a parameter; its default counts too, because it is not validated."""
    default, words = parameter.default, _words(parameter)
    if parameter.type in _COMPOSED:
        return ValueKind.TEXT
    if parameter.type == "number" and (not default or NUMBER.fullmatch(default)):
        return ValueKind.NUMBER
    return ValueKind.WORDS if words and (default is None or default in words) else ValueKind.TEXT


def _words(parameter: Parameter) -> tuple[str, ...]:
    return ("true", "false") if parameter.type == "boolean" else parameter.choices
