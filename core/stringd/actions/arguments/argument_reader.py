"""Convert the words and the body of a call to values, by the types of the action's parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from stringd.actions.arguments.argument_words import ArgumentWords
from stringd.actions.arguments.call_body import text_of_scalar, texts_of_array
from stringd.actions.arguments.schema import expectation, usage_of
from stringd.actions.environment.action_environment import Environment, unset_variable_refusal
from stringd.actions.values.conversion import convert, is_valid
from stringd.actions.values.nested_flags import FlagText, Path, PathConflict, merged, path_text
from stringd.actions.values.typed_values import JsonText, Value, as_json, json_text_of, split_choices
from stringd.api.provenance import Attributed, plain
from stringd.api.sessions import NamedValue, Session
from stringd.documents.syntax.actions import CALL, Action, Parameter
from stringd.documents.syntax.parameters import CHOICES, JSON, LIST
from stringd.errors import ErrorCode, Refusal
from stringd.text.action_words import Word, fill, fill_text
from stringd.text.formatting import counted
from stringd.text.masking import MASK
from stringd.text.nearest import nearest

T = TypeVar("T", bound=NamedValue)

_SHORTCUT = re.compile(r"@(?P<id>[\w.-]+)")
_SECRET = re.compile(r"(?<!\\)\$([A-Za-z_]\w*)", re.ASCII)
_SHOWN = 80
_JSON_QUOTED = """Write it in single quotes: '{"a": [1, true]}'"""


class ArgumentReader:
    """Converts words to values, by the types of the action's parameters."""

    def __init__(
        self, action: Action, session: Session, environment: Environment, body: Mapping[str, object]
    ) -> None:
        self._action = action
        self._state = session.state
        self._environment = environment
        # Functions and plugins have defaults of their own for what is not given.
        self._falls_back = action.id not in environment.functions and action.method != CALL
        self._implicit = plain(environment.variables.all)
        self.body = body
        self.references: dict[str, Attributed[NamedValue]] = {}
        self.secrets: dict[str, str] = {}

    def argument(self, parameter: Parameter, given: ArgumentWords) -> Value | None:
        """Return the value that flags, operands and the body give to a parameter, or else its default."""
        words, parts = given.by_name.get(parameter.name, []), given.parts.get(parameter.name, [])
        # What a plugin gets is limited in depth, since it may visit values by functions that call themselves.
        is_merged = parameter.name in self.body or self._action.method == CALL
        if parts or (words and parameter.type == JSON and is_merged):
            return self._built(parameter, words, parts)
        if parameter.name not in self.body:
            return self._value(parameter, words)
        if words:
            raise self._mismatch(parameter, "it twice: on the line and in the body")
        return self._of_body(parameter, self.body[parameter.name])

    def _built(
        self, parameter: Parameter, words: Sequence[Word | None], parts: Sequence[tuple[Path, Word | None]]
    ) -> JsonText:
        """Return the JSON that whole values and parts make up together."""
        wholes = [
            it.value for it in map(partial(self._read, parameter), words[-1:]) if isinstance(it, JsonText)
        ]
        wholes += [self.body[parameter.name]] if parameter.name in self.body else []
        leaves = [(path, self._leaf(parameter, path, word)) for path, word in parts]
        try:
            return json_text_of(merged(parameter.name, wholes, leaves))
        except PathConflict as conflict:
            raise self._mismatch(parameter, str(conflict)) from None

    def _leaf(self, parameter: Parameter, path: Path, word: Word | None) -> object:
        if word is None:
            raise self._mismatch(parameter, f"--{path_text(parameter.name, path)} without a value")
        text = replace(
            parameter, type=LIST if self._is_several(word) else "string", minimum=None, maximum=None
        )
        value = self._convert(text, word)
        return [FlagText(it) for it in value] if isinstance(value, tuple) else FlagText(value)

    def _is_several(self, word: Word) -> bool:
        """Whether a word is a `@name` that stands for several values."""
        shortcut = _SHORTCUT.fullmatch(word.text)
        known = self._state.values.get(shortcut["id"]) if shortcut else None
        return known is not None and isinstance(known.value, tuple)

    def _of_body(self, parameter: Parameter, value: object) -> Value:
        """Return a value of the body as one of the parameter's type; nothing is substituted in it."""
        if parameter.type == JSON:
            read: Value | None = json_text_of(value)
        elif parameter.type in {"tuple", LIST, CHOICES} and (texts := texts_of_array(value)) is not None:
            read = texts
        else:
            text = text_of_scalar(value)
            read = None if text is None else convert(parameter, text)
        if read is None or not is_valid(parameter, read):
            raise self._mismatch(parameter, _received(parameter, as_json(value)))
        return read

    def _value(self, parameter: Parameter, given: Sequence[Word | None]) -> Value | None:
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
        if text is None or parameter.required or parameter.confirms or not self._falls_back:
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
