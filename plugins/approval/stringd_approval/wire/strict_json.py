"""Parse a line as one JSON object, and refuse everything that parsers understand differently."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NoReturn, TypeAlias

from stringd_approval.wire.wire_error import WireError

# Python computes quadratically with the length of an integer, and refuses more than 4300 digits.
_MOST_DIGITS = 1000

Pair: TypeAlias = tuple[str, object]


class JsonObject(list[Pair]):
    """The members of a JSON object in their order, duplicates included."""


def parse_object(line: bytes) -> JsonObject:
    """Return the object that a line consists of, or raise `WireError`."""
    if not line.strip():
        raise WireError("invalid JSON: the line is empty")
    try:
        text = line.decode()
        value = _DECODER.decode(text)
        _refuse_lone_surrogates(text, value)
    except RecursionError:
        raise WireError("invalid JSON: nested too deeply") from None
    except UnicodeDecodeError:
        raise WireError("invalid JSON: the line is not valid UTF-8") from None
    except ValueError as error:
        raise WireError(f"invalid JSON: {error}") from None
    if not isinstance(value, JsonObject):
        raise WireError("invalid JSON: the line must be one object")
    return value


def _refuse_lone_surrogates(text: str, value: object) -> None:
    """Refuse surrogates without a partner, which only escapes can produce."""
    if "\\ud" not in text and "\\uD" not in text:
        return
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("a string contains a lone surrogate") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _short_integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"an integer has more than {_MOST_DIGITS} digits")
    return int(digits)


def _object(pairs: Iterable[Pair]) -> JsonObject:
    return JsonObject(pairs)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_refuse_constant, parse_int=_short_integer
)
