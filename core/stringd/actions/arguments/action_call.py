"""Parse the arguments of an action call into typed parameter values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from stringd.actions.arguments.argument_words import assign_words
from stringd.actions.arguments.schema import expectation, usage_of
from stringd.actions.environment.action_environment import Environment, unset_variable_refusal
from stringd.actions.values.conversion import convert, is_valid
from stringd.actions.values.typed_values import Value, split_choices
from stringd.api.provenance import Attributed, plain
from stringd.api.sessions import NamedValue, Session
from stringd.documents.syntax.actions import Action, Parameter
from stringd.documents.syntax.forms import CONFIRM
from stringd.documents.syntax.parameters import CHOICES, JSON, LIST
from stringd.errors import ErrorCode, Refusal
from stringd.text.action_words import Word, fill, fill_text, split_words
from stringd.text.formatting import counted
from stringd.text.masking import MASK
from stringd.text.nearest import nearest

T = TypeVar("T", bound=NamedValue)

_SHORTCUT = re.compile(r"@(?P<id>[\w.-]+)")
_SECRET = re.compile(r"(?<!\\)\$([A-Za-z_]\w*)", re.ASCII)
_SHOWN = 80
_JSON_QUOTED = """Write it in single quotes: '{"a": [1, true]}'"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of an action: its arguments, with defaults for those that were not given.

    `values` omits parameters without an argument or default; the required ones among them are `missing`.
    `given` are the parameters that the caller named. `references` are the remembered values that were used,
    by the typed reference. `secrets` are the `$NAME`s whose values the parameters get when a form is sent, by
    parameter. `confirmed` lifts the restrictions on documents that are not the user's own.
    """

    action: Action
    values: Mapping[str, Value]
    missing: tuple[Parameter, ...] = ()
    is_bare: bool = False
    wants_help: bool = False
    given: frozenset[str] = frozenset()
    references: Mapping[str, Attributed[NamedValue]] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)
    confirmed: bool = False

    def require_all(self) -> None:
        """Refuse a call with missing required parameters."""
        if self.missing:
            missing = ", ".join(
                f"{it.name}: expected {expectation(it)}, received nothing" for it in self.missing
            )
            raise Refusal(ErrorCode.INVALID_PARAMS, missing, f"Usage: {usage_of(self.action)}")


def read_call(action: Action, typed: str, session: Session, environment: Environment) -> Call:
    """Parse the typed arguments, or refuse those that do not match the action's declaration."""
    words = split_words(typed, secret=action.takes_secrets)
    given = assign_words(words, action)
    if given.wants_help:
        return Call(action=action, values={}, wants_help=True)
    reader = _Reader(action, session, environment)
    by_name = {it.name: reader.value(it, given.by_name.get(it.name, [])) for it in action.parameters}
    values = {name: value for name, value in by_name.items() if value is not None}
    confirmed = any(it.confirms for it in action.parameters) and values.pop(CONFIRM, False) is True
    nothing = (None, "", ()) if action.form else (None,)
    missing = tuple(it for it in action.parameters if it.required and values.get(it.name) in nothing)
    return Call(
        action=action,
        values=values,
        missing=missing,
        is_bare=not words,
        given=frozenset(given.by_name),
        references=reader.references,
        secrets=reader.secrets,
        confirmed=confirmed,
    )


class _Reader:
    """Converts words to values, by the types of the action's parameters."""

    def __init__(self, action: Action, session: Session, environment: Environment) -> None:
        self._action = action
        self._state = session.state
        self._environment = environment
        # The defaults of functions are in their signatures.
        self._is_function = action.id in environment.functions
        self._implicit = plain(environment.variables.all)
        self.references: dict[str, Attributed[NamedValue]] = {}
        self.secrets: dict[str, str] = {}

    def value(self, parameter: Parameter, given: Sequence[Word | None]) -> Value | None:
        """Return the last argument given, or all of them for a list or a parameter of several choices."""
        if not given:
            return None if self._action.form else self._not_given(parameter)
        if parameter.type == LIST and len(given) > 1:
            return self._joined(parameter, given)
        if parameter.type == CHOICES:
            return tuple(dict.fromkeys(self._elements(parameter, given)))
        return self._read(parameter, given[-1])

    def _joined(self, parameter: Parameter, given: Sequence[Word | None]) -> tuple[str, ...]:
        """Return the elements of a repeated flag; the bounds are about all of them together."""
        elements = self._elements(replace(parameter, minimum=None, maximum=None), given)
        if not is_valid(parameter, elements):
            raise self._mismatch(parameter, f"{counted(len(elements), 'element')} together")
        return elements

    def _elements(self, parameter: Parameter, given: Sequence[Word | None]) -> tuple[str, ...]:
        read = (self._read(parameter, it) for it in given)
        return tuple(element for it in read if isinstance(it, tuple) for element in it)

    def _read(self, parameter: Parameter, word: Word | None) -> Value:
        try:
            return self._convert(parameter, word)
        except Refusal as refusal:
            if not parameter.secret or word is None:
                raise
            # The message of the original refusal would quote the secret.
            received = counted(len(word.text), "character")
            mismatch = self._mismatch(parameter, received, "For the text itself write \\{, \\$ and \\@")
            raise Refusal(refusal.code, mismatch.message, *mismatch.context) from None

    def _convert(self, parameter: Parameter, word: Word | None) -> Value:
        if word is None:
            if parameter.type == "boolean":
                return True
            raise self._mismatch(parameter, "a flag without a value")
        whole = None if any(it.literal for it in word.pieces) else word.text
        if whole and self._names_secret(parameter, whole):
            return whole
        shortcut = _SHORTCUT.fullmatch(whole) if whole else None
        if shortcut:
            return self._shortcut(parameter, shortcut["id"])
        return self._validated(parameter, fill(word, partial(self._variable, parameter)))

    def _names_secret(self, parameter: Parameter, whole: str) -> bool:
        """Whether a word is a `$NAME` for the password field of a form, which is filled when it is sent."""
        name = _SECRET.fullmatch(whole) if self._action.form and parameter.secret else None
        if name:
            self.secrets[parameter.name] = name[1]
        return name is not None

    def _not_given(self, parameter: Parameter) -> Value | None:
        """Return the default, or else the topic's variable of the same name for an optional parameter."""
        if parameter.default is not None:
            return self._default(parameter, parameter.default)
        text = self._implicit.get(parameter.name)
        if text is None or parameter.required or parameter.confirms or self._is_function:
            return None
        return self._validated(parameter, text, f"It is the variable {{{parameter.name}}} of the topic.")

    def _default(self, parameter: Parameter, default: str) -> Value:
        text = self._resolved(parameter, default)
        # The author's default is not validated. An empty default of a number means that there is none.
        return convert(parameter, text) if text else text

    def _resolved(self, parameter: Parameter, text: str) -> str:
        """Fill in the variables and secrets of a default; neither is expanded inside a value of the other."""
        pieces = []
        for number, part in enumerate(_SECRET.split(text)):
            secrets = self._environment.secrets
            if number % 2 == 0:
                pieces.append(fill_text(part, self._implicit.get))
            elif part in secrets:
                pieces.append(secrets[part])
            else:
                raise unset_variable_refusal(
                    part, self._environment, f"The default of {parameter.name} needs it."
                )
        return "".join(pieces)

    def _shortcut(self, parameter: Parameter, name: str) -> Value:
        known = self._state.values
        if name not in known:
            suggestion = nearest(name, known)
            received = f"@{name}, which is not defined"
            hints = [f"nearest: @{suggestion}"] if suggestion else []
            raise self._mismatch(parameter, received, *hints, f"For the text itself write \\@{name}")
        value = self._recorded(parameter, f"@{name}", known[name])
        if parameter.type in {"tuple", LIST}:
            return self._several(parameter, name, value if isinstance(value, tuple) else (value,))
        if isinstance(value, tuple) and parameter.type == CHOICES:
            return tuple(choice for it in value for choice in self._chosen(parameter, it))
        if isinstance(value, tuple):
            raise self._mismatch(parameter, f"@{name}, a tuple of {len(value)}")
        return self._validated(parameter, value)

    def _several(self, parameter: Parameter, name: str, elements: tuple[str, ...]) -> tuple[str, ...]:
        """Return the elements that a `@name` stands for if the parameter accepts them."""
        if not is_valid(parameter, elements):
            raise self._mismatch(parameter, f"@{name}, {counted(len(elements), 'element')}")
        return elements

    def _variable(self, parameter: Parameter, name: str) -> str | None:
        found = self._state.variables.get(name)
        return None if found is None else self._recorded(parameter, f"{{{name}}}", found)

    def _recorded(self, parameter: Parameter, typed: str, found: Attributed[T]) -> T:
        """Return a remembered value, and record the reference with the value's provenance."""
        value = MASK if parameter.secret else found.value
        self.references[typed] = Attributed(value=value, provenance=found.provenance)
        return found.value

    def _validated(self, parameter: Parameter, text: str, *hints: str) -> Value:
        if parameter.type == CHOICES:
            return self._chosen(parameter, text)
        value = convert(parameter, text)
        if not is_valid(parameter, value):
            hints = (*_spelling(parameter, text), *hints)
            raise self._mismatch(parameter, _received(parameter, text), *hints)
        return value

    def _chosen(self, parameter: Parameter, text: str) -> tuple[str, ...]:
        chosen = split_choices(text, parameter.choices)
        if chosen is None:
            raise self._mismatch(parameter, _received(parameter, text))
        return chosen

    def _mismatch(self, parameter: Parameter, received: str, *hints: str) -> Refusal:
        message = f"{parameter.name}: expected {expectation(parameter)}, received {received}"
        return Refusal(ErrorCode.INVALID_PARAMS, message, *hints, f"Usage: {usage_of(self._action)}")


def _received(parameter: Parameter, text: str) -> str:
    if parameter.secret:
        return counted(len(text), "character")
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


def _spelling(parameter: Parameter, text: str) -> list[str]:
    if parameter.type == JSON:
        return [_JSON_QUOTED]
    suggestion = nearest(text, parameter.choices)
    return [f"nearest: {suggestion}"] if suggestion else []
