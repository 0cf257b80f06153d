"""From what was typed behind an action's name to the values of its parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from stringd.actions.action_environment import Environment
from stringd.actions.arguments.choices import split_choices
from stringd.actions.arguments.flags import sort_words
from stringd.actions.arguments.schema import call_of, expectation
from stringd.actions.arguments.values import Value, read_number
from stringd.actions.requirements import unset_secret
from stringd.api.provenance import Attributed, plain
from stringd.api.sessions import NamedValue, Session
from stringd.documents.syntax.actions import Action, Parameter
from stringd.documents.syntax.forms import CONFIRM
from stringd.documents.syntax.parameters import CHOICES
from stringd.errors import Refusal
from stringd.text.action_words import Word, fill, fill_text, split_words
from stringd.text.counts import counted
from stringd.text.masking import MASK
from stringd.text.nearest import nearest

T = TypeVar("T", bound=NamedValue)

_SHORTCUT = re.compile(r"@(?P<id>[\w.-]+)")
_SECRET = re.compile(r"(?<!\\)\$([A-Za-z_]\w*)", re.ASCII)
_SHOWN = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of an action: the values that were given, or that the author set.

    An optional parameter that has neither is not among them; `missing` are the required ones without, and
    `given` those that the caller names. `named` are the values that were typed by a name, by that name.
    `confirmed` tells that it may go farther, and take more, than its document may by itself.
    """

    action: Action
    values: Mapping[str, Value]
    missing: tuple[Parameter, ...] = ()
    is_bare: bool = False
    wants_help: bool = False
    given: frozenset[str] = frozenset()
    named: Mapping[str, Attributed[NamedValue]] = field(default_factory=dict)
    confirmed: bool = False

    def require_all(self) -> None:
        """Refuse a call that lacks a required value."""
        if self.missing:
            wanted = ", ".join(
                f"{it.name}: expected {expectation(it)}, received nothing" for it in self.missing
            )
            raise Refusal("INVALID_PARAMS", wanted, f"Usage: {call_of(self.action)}")


def read_call(action: Action, typed: str, session: Session, environment: Environment) -> Call:
    """Return the call that was typed, or refuse what does not fit what the action declares."""
    words = split_words(typed, secret=action.takes_secrets)
    given = sort_words(words, action)
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
        named=reader.named,
        confirmed=confirmed,
    )


class _Reader:
    """Makes values of words, by what the action's parameters want."""

    def __init__(self, action: Action, session: Session, environment: Environment) -> None:
        self._action = action
        self._state = session.state
        self._environment = environment
        self._implicit = plain(environment.shared.all)
        self.named: dict[str, Attributed[NamedValue]] = {}

    def value(self, parameter: Parameter, given: Sequence[Word | None]) -> Value | None:
        """Return what was given last, or all of it where a parameter takes any number of choices."""
        if not given:
            return None if self._action.form else self._default(parameter)
        if parameter.type != CHOICES:
            return self._read(parameter, given[-1])
        read = (self._read(parameter, it) for it in given)
        return tuple(dict.fromkeys(choice for it in read if isinstance(it, tuple) for choice in it))

    def _read(self, parameter: Parameter, word: Word | None) -> Value:
        try:
            return self._meant(parameter, word)
        except Refusal as refusal:
            if not parameter.secret or word is None:
                raise
            # Whatever it says is a part of the secret.
            received = counted(len(word.text), "character")
            misfit = self._misfit(parameter, received, "For the text itself write \\{, \\$ and \\@")
            raise Refusal(refusal.code, misfit.message, *misfit.context) from None

    def _meant(self, parameter: Parameter, word: Word | None) -> Value:
        if word is None:
            if parameter.type == "boolean":
                return True
            raise self._misfit(parameter, "a flag without a value")
        shortcut = _SHORTCUT.fullmatch(word.text) if not any(it.literal for it in word.pieces) else None
        if shortcut:
            return self._shortcut(parameter, shortcut["id"])
        return self._fitting(parameter, fill(word, partial(self._variable, parameter)))

    def _default(self, parameter: Parameter) -> Value | None:
        if parameter.default is None:
            return None
        text = self._resolved(parameter, parameter.default)
        # The author's word is taken: an empty default of a number says that there is none.
        return _typed(parameter, text) if text else text

    def _resolved(self, parameter: Parameter, text: str) -> str:
        """Fill in the variables of a default, and the secrets between them, never one inside of the other."""
        pieces = []
        for number, part in enumerate(_SECRET.split(text)):
            secrets = self._environment.secrets
            if number % 2 == 0:
                pieces.append(fill_text(part, self._implicit.get))
            elif part in secrets:
                pieces.append(secrets[part])
            else:
                raise unset_secret(part, self._environment, f"The default of {parameter.name} needs it.")
        return "".join(pieces)

    def _shortcut(self, parameter: Parameter, name: str) -> Value:
        known = self._state.values
        if name not in known:
            meant = nearest(name, known)
            received = f"@{name}, which no answer has brought"
            hints = [f"nearest: @{meant}"] if meant else []
            raise self._misfit(parameter, received, *hints, f"For the text itself write \\@{name}")
        value = self._noted(parameter, f"@{name}", known[name])
        if parameter.type == "tuple":
            return value if isinstance(value, tuple) else (value,)
        if isinstance(value, tuple) and parameter.type == CHOICES:
            return tuple(choice for it in value for choice in self._chosen(parameter, it))
        if isinstance(value, tuple):
            raise self._misfit(parameter, f"@{name}, a tuple of {len(value)}")
        return self._fitting(parameter, value)

    def _variable(self, parameter: Parameter, name: str) -> str | None:
        found = self._state.variables.get(name)
        return None if found is None else self._noted(parameter, f"{{{name}}}", found)

    def _noted(self, parameter: Parameter, typed: str, found: Attributed[T]) -> T:
        """Return a value that was typed by a name, and keep in mind who has brought it."""
        shown = MASK if parameter.secret else found.value
        self.named[typed] = Attributed(value=shown, provenance=found.provenance)
        return found.value

    def _fitting(self, parameter: Parameter, text: str) -> Value:
        if parameter.type == CHOICES:
            return self._chosen(parameter, text)
        if not fits(parameter, text):
            raise self._misfit(parameter, _received(parameter, text), *_nearest_choice(parameter, text))
        return _typed(parameter, text)

    def _chosen(self, parameter: Parameter, text: str) -> tuple[str, ...]:
        chosen = split_choices(text, parameter.choices)
        if chosen is None:
            raise self._misfit(parameter, _received(parameter, text))
        return chosen

    def _misfit(self, parameter: Parameter, received: str, *hints: str) -> Refusal:
        message = f"{parameter.name}: expected {expectation(parameter)}, received {received}"
        return Refusal("INVALID_PARAMS", message, *hints, f"Usage: {call_of(self._action)}")


def _received(parameter: Parameter, text: str) -> str:
    if parameter.secret:
        return counted(len(text), "character")
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


def _nearest_choice(parameter: Parameter, text: str) -> list[str]:
    meant = nearest(text, parameter.choices)
    return [f"nearest: {meant}"] if meant else []


def fits(parameter: Parameter, text: str) -> bool:
    """Tell whether a text may be the value of a parameter."""
    value = _typed(parameter, text)
    return parameter.type != "tuple" and _has_type(parameter, value) and _is_within(parameter, value)


def _typed(parameter: Parameter, text: str) -> Value:
    """Return a text as what its parameter wants, or as it is where it can't be that."""
    match parameter.type:
        case "number":
            number = read_number(text)
            return text if number is None else number
        case "boolean" if text.lower() in {"true", "false"}:
            return text.lower() == "true"
        case "tuple":
            return (text,)
        case _:
            return text


def _has_type(parameter: Parameter, value: Value) -> bool:
    return parameter.type not in {"number", "boolean"} or not isinstance(value, str)


def _is_within(parameter: Parameter, value: Value) -> bool:
    if parameter.choices and str(value) not in parameter.choices:
        return False
    size = len(value) if isinstance(value, str | tuple) else value
    low, high = parameter.minimum, parameter.maximum
    return (low is None or size >= low) and (high is None or size <= high)
