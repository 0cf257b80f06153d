"""Parameter values: text, numbers that keep their notation, booleans, tuples, lists and JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from stringd.api.sessions import NamedValue

Value: TypeAlias = str | int | float | bool | tuple[str, ...]

NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
# Python refuses to convert much longer integers from or to text.
_MOST_DIGITS = 1000
_COMMA = ","
_ELEMENT = re.compile(r'\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*+)"\s*|(?P<bare>[^,]*))(?P<comma>,|\Z)', re.DOTALL)
_ESCAPED = re.compile(r'\\(["\\])')


class WrittenInt(int):
    """An integer that prints in its original notation."""

    written: str

    def __str__(self) -> str:
        return self.written


class WrittenFloat(float):
    """A number that prints in its original notation."""

    written: str

    def __str__(self) -> str:
        return self.written


class JsonText(str):
    """A text that is JSON, with the value that it encodes."""

    __slots__ = ("value",)
    value: object


def read_json_text(text: str) -> JsonText | None:
    """Return a text that is JSON, or None."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None
    return _json_text(text.strip(), value)


def json_text_of(value: object) -> JsonText:
    """Return a decoded value as JSON."""
    return _json_text(json.dumps(value, ensure_ascii=False), value)


def _json_text(text: str, value: object) -> JsonText:
    read = JsonText(text)
    read.value = value
    return read


def read_exactly(text: str) -> object:
    """Decode JSON; raise `ValueError` for what it leaves open: names that occur twice, NaN, huge numbers."""
    return json.loads(
        text,
        parse_int=_written,
        parse_float=_written,
        parse_constant=_refuse_constant,
        object_pairs_hook=_unique,
    )


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"it has two values for {next(it for it in names if names.count(it) > 1)!r}")
    return made


def _refuse_constant(name: str) -> None:
    """Refuse `NaN` and `Infinity`, which Python takes for JSON."""
    raise ValueError(f"not JSON: {name}")


def read_tuple(text: str) -> tuple[str, ...] | None:
    """Return the elements of a text such as `(a, "b, c")`, or None if it is not in parentheses."""
    text = text.strip()
    if text[:1] != "(" or text[-1:] != ")" or len(text) < len("()"):
        return None
    inside = text[1:-1].strip()
    return tuple(_elements(inside)) if inside else ()


def read_list(text: str) -> tuple[str, ...] | None:
    """Return the elements of a text such as `a, "b, c"` or of a JSON array, or None."""
    text = text.strip()
    if text[:1] != "[":
        return tuple(_elements(text)) if text else ()
    try:
        array = json.loads(text, parse_int=_written, parse_float=_written, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None
    return tuple(it if isinstance(it, str) else as_json(it) for it in array)


def _written(number: str) -> WrittenInt | WrittenFloat:
    """Return a number of an array, which keeps its notation."""
    if (read := read_number(number)) is None:
        raise ValueError(f"out of range: {number}")
    return read


def _elements(text: str) -> Iterator[str]:
    position, follows = 0, True
    while follows and (found := _ELEMENT.match(text, position)):
        bare = found["bare"]
        yield _ESCAPED.sub(r"\1", found["quoted"]) if bare is None else bare.strip()
        position, follows = found.end(), bool(found["comma"])


def read_number(text: str) -> WrittenInt | WrittenFloat | None:
    """Return the number in a text, or None; it keeps its notation in text and JSON."""
    if not NUMBER.fullmatch(text) or len(text) > _MOST_DIGITS:
        return None
    number = WrittenInt(text) if _WHOLE.fullmatch(text) else WrittenFloat(text)
    if number in (float("inf"), float("-inf")):
        return None
    number.written = text
    return number


def display_value(value: NamedValue) -> str:
    """Return a remembered value as listings show it."""
    return value if isinstance(value, str) else f"({', '.join(value)})"


def as_text(value: Value) -> str:
    """Return a value as text: numbers in their notation, tuples separated by commas."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if isinstance(value, tuple) else str(value)


def as_json(value: object) -> str:
    """Return a value as JSON; a number keeps its notation if that is valid JSON."""
    if isinstance(value, JsonText):
        return str(value)
    if isinstance(value, WrittenInt | WrittenFloat) and _JSON_NUMBER.fullmatch(value.written):
        return value.written
    return json.dumps(value, ensure_ascii=False)


def as_json_object(values: Mapping[str, Value]) -> str:
    """Return named values as a JSON object."""
    return f"{{{', '.join(f'{json.dumps(name)}: {as_json(value)}' for name, value in values.items())}}}"


def split_choices(text: str, choices: Sequence[str]) -> tuple[str, ...] | None:
    """Split a comma-separated list of choices; return None if it contains anything else.

    Choices may contain commas, so the longest matching choice is taken.
    """
    if not text and text not in choices:
        return ()
    chosen = tuple(_chosen(text.split(_COMMA), frozenset(choices)))
    return None if None in chosen else tuple(it for it in chosen if it is not None)


def _chosen(parts: Sequence[str], choices: frozenset[str]) -> Iterator[str | None]:
    longest = 1 + max((it.count(_COMMA) for it in choices), default=0)
    position = 0
    while position < len(parts):
        sizes = range(min(longest, len(parts) - position), 0, -1)
        named = ((size, _COMMA.join(parts[position : position + size]).strip()) for size in sizes)
        size, choice = next(((size, it) for size, it in named if it in choices), (1, None))
        yield choice
        position += size
