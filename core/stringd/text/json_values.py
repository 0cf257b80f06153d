"""JSON values in Python: checked, encoded, and decoded as read-only values."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

# The path of the container, and the key in it; empty for the whole value.
_Path: TypeAlias = tuple[()] | tuple["_Path", object]


class TooLarge(ValueError):
    """A value whose JSON exceeds the size limit."""


def encode_json(value: object, what: str, most: int) -> str:
    """Return a value as JSON of limited size, or raise `TooLarge`.

    Raises `TypeError` for anything but None, truth values, numbers, texts, sequences, and mappings whose keys
    are texts; the message names the part of `what` that is none of them.
    """
    _check(value, what, most)
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=dict)
        size = len(text.encode())
    except UnicodeEncodeError:
        # A lone surrogate can only be written as an escape.
        text = json.dumps(value, allow_nan=False, separators=(",", ":"), default=dict)
        size = len(text)
    except (ValueError, RecursionError) as error:
        raise TypeError(f"{what} can't be JSON: {error}") from None
    if size > most:
        raise TooLarge
    return text


def decode_json(text: str) -> Any:
    """Return the value of a JSON text: tuples for arrays, read-only mappings for objects."""
    return _frozen(json.loads(text))


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    if isinstance(value, dict):
        return MappingProxyType({name: _frozen(it) for name, it in value.items()})
    return value


def _check(value: object, what: str, most: int) -> None:
    """Check all parts of a value, and stop once they certainly exceed the size limit."""
    waiting: list[tuple[object, _Path]] = [(value, ())]
    size = 0
    while waiting:
        part, path = waiting.pop()
        # Each part takes one character in addition to its text.
        size += 1 + (len(part) if isinstance(part, str) else 0)
        if size > most:
            raise TooLarge
        if isinstance(part, Mapping):
            waiting += ((it, (path, _checked_key(name, path, what))) for name, it in part.items())
        elif isinstance(part, list | tuple):
            waiting += ((it, (path, number)) for number, it in enumerate(part))
        elif not _is_scalar(part):
            raise TypeError(f"{_shown(path, what)} is no JSON value: {part!r}")


def _checked_key(name: object, path: _Path, what: str) -> object:
    if not isinstance(name, str):
        raise TypeError(f"{_shown(path, what)} has the key {name!r}, but keys of JSON are texts")
    return name


def _shown(path: _Path, what: str) -> str:
    keys = []
    while path:
        path, key = path
        keys.append(f"[{key!r}]")
    return what + "".join(reversed(keys))


def _is_scalar(part: object) -> bool:
    return part is None or isinstance(part, str | int) or (isinstance(part, float) and math.isfinite(part))
