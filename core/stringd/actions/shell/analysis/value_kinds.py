"""What the values of a parameter can be, and what a place asks of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from stringd.actions.arguments.values import NUMBER
from stringd.actions.shell.analysis.syntax import Place
from stringd.documents.syntax.parameters import Parameter


class Kind(Enum):
    """All that a parameter lets through: any text, words that the author wrote, or numbers."""

    TEXT = "any text"
    WORDS = "one of the author's words"
    NUMBER = "a number"


class Demand(Enum):
    """What a value must be to stand in its place; who runs the command sees to it."""

    NOTHING = "any text"
    NO_OPTION = "a text that does not begin with -"
    DECLARED = "a number or one of the declared words"
    WHOLE = "a whole number"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds:
    """The parameters of an action by what they let through."""

    by_name: Mapping[str, Kind]
    words: Mapping[str, tuple[str, ...]]
    optional: frozenset[str]

    @classmethod
    def of(cls, parameters: tuple[Parameter, ...]) -> Kinds:
        """Return what an action's parameters let through, and which of them may have no value."""
        return cls(
            by_name={it.name: _kind(it) for it in parameters},
            words={it.name: _words(it) for it in parameters},
            optional=frozenset(it.name for it in parameters if not it.required and it.default is None),
        )

    def of_place(self, place: Place) -> Kind:
        """Return what can stand in a place: a part of a value, or what is made of it, is any text."""
        is_whole = place.slot.index is None and not place.slot.modifiers
        return self.by_name[place.slot.name] if is_whole else Kind.TEXT


def _kind(parameter: Parameter) -> Kind:
    """Return what a parameter lets through; its default is taken as it is, so it must fit as well."""
    default, words = parameter.default, _words(parameter)
    if parameter.type == "number" and (not default or NUMBER.fullmatch(default)):
        return Kind.NUMBER
    return Kind.WORDS if words and (default is None or default in words) else Kind.TEXT


def _words(parameter: Parameter) -> tuple[str, ...]:
    return ("true", "false") if parameter.type == "boolean" else parameter.choices
