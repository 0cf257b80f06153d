"""Checks of single values of a strategy file, beyond those that all files have."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from stringd.plugin.strict_files import FileInvalid, Value, shown
from stringd.plugin.text import nearest
from stringd_runs.model_provider import MOST_RETRIES

log = logging.getLogger(__name__)

ReadValue: TypeAlias = Callable[[Value], Any]
_WHOLE = "a whole number greater than 0"
_RETRIES = f"a whole number from 0 to {MOST_RETRIES}"


def optional_text(value: Value | None) -> str:
    """Return a text, which is empty if it is not given."""
    return value.text() if value else ""


def filled_text(value: Value) -> str:
    """Return a text that has more than blanks."""
    text = value.text() if value.is_scalar else ""
    if not text.strip():
        raise value.invalid("a text that is not empty")
    return text


def positive(value: Value, expected: str = _WHOLE) -> int:
    """Return a positive whole number."""
    number = value.number(expected)
    if not isinstance(number, int) or number < 1:
        raise value.invalid(expected)
    return number


def free_mapping(value: Value) -> Mapping[str, Any]:
    """Return a mapping whose keys others define, as JSON has it."""
    value.entries()
    data: Mapping[str, Any] = value.data()
    return data


def required(given: Mapping[str, Value], key: str, value: Value) -> Value:
    """Return the value of a key that must be given."""
    if key not in given:
        raise FileInvalid(value.line, f"{value.name} has no {key}")
    return given[key]


def plugin_failed(doing: str, value: Value, error: Exception) -> FileInvalid:
    """Log what the code of a plugin has raised; return the refusal, which tells no values."""
    log.error("%s failed", doing, exc_info=error)
    return FileInvalid(value.line, f"{doing} failed with {type(error).__name__}: see the log")


def unknown_word(
    word: str, known: Mapping[str, Any] | tuple[str, ...], value: Value, what: str
) -> FileInvalid:
    """Return the refusal of a word that names nothing, with the known one that is most like it."""
    known = tuple(known)
    meant = nearest(word, known)
    hint = f"nearest: {meant}" if meant else f"known: {', '.join(known)}"
    return FileInvalid(value.line, f"unknown {what} {shown(word)}; {hint}")


def read_model_options(value: Value) -> Mapping[str, Any]:
    """Return the options for calls of a model, which all providers understand."""
    given = value.mapping(tuple(_MODEL_OPTIONS))
    return {name: _MODEL_OPTIONS[name](it) for name, it in given.items()}


def _number_from(least: float, most: float) -> ReadValue:
    expected = f"a number from {least:g} to {most:g}"

    def read(value: Value) -> int | float:
        number = value.number(expected)
        if not least <= number <= most:
            raise value.invalid(expected)
        return number

    return read


def _whole(value: Value) -> int:
    number = value.number("a whole number")
    if not isinstance(number, int):
        raise value.invalid("a whole number")
    return number


def _retries(value: Value) -> int:
    number = value.number(_RETRIES)
    if not isinstance(number, int) or not 0 <= number <= MOST_RETRIES:
        raise value.invalid(_RETRIES)
    return number


def _texts(value: Value) -> list[str]:
    return [filled_text(it) for it in value.items()]


_MODEL_OPTIONS: Mapping[str, ReadValue] = {
    "temperature": _number_from(0, 2),
    "topP": _number_from(0, 1),
    "topK": positive,
    "maxOutputTokens": positive,
    "presencePenalty": _number_from(-2, 2),
    "frequencyPenalty": _number_from(-2, 2),
    "stopSequences": _texts,
    "seed": _whole,
    "maxRetries": _retries,
}
