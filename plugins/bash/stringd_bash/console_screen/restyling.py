"""How instructions change the look of text (SGR)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from stringd_console import TRUE_COLOUR, TextStyle

PLAIN_STYLE = TextStyle()
_MOST_PARAMETERS = 64
_FOREGROUND, _BACKGROUND = 38, 48
_PALETTE, _TRUE = 5, 2
_MOST = 255
_BRIGHT = 8
_CHANGES: Mapping[int, Mapping[str, Any]] = {
    1: {"is_bold": True},
    2: {"is_dim": True},
    3: {"is_italic": True},
    4: {"is_underlined": True},
    7: {"is_reversed": True},
    9: {"is_struck": True},
    21: {"is_underlined": True},
    22: {"is_bold": False, "is_dim": False},
    23: {"is_italic": False},
    24: {"is_underlined": False},
    27: {"is_reversed": False},
    29: {"is_struck": False},
    39: {"foreground": None},
    49: {"background": None},
    **{30 + colour: {"foreground": colour} for colour in range(_BRIGHT)},
    **{40 + colour: {"background": colour} for colour in range(_BRIGHT)},
    **{90 + colour: {"foreground": colour + _BRIGHT} for colour in range(_BRIGHT)},
    **{100 + colour: {"background": colour + _BRIGHT} for colour in range(_BRIGHT)},
}
"""What each parameter changes; text is never concealed (8), and nothing blinks (5)."""


@lru_cache(maxsize=2048)
def restyled(style: TextStyle, parameters: str) -> TextStyle:
    """Return a style after an instruction with these parameters; unknown ones are ignored."""
    changes: dict[str, Any] = {}
    remaining = iter(parameters.split(";", _MOST_PARAMETERS)[:_MOST_PARAMETERS])
    for parameter in remaining:
        first, *parts = parameter.split(":")
        number = _number(first)
        if number == 0:
            style, changes = PLAIN_STYLE, {}
        elif number in {_FOREGROUND, _BACKGROUND}:
            colour = _colour_of_parts(parts) if parts else _colour(remaining)
            if colour is not None:
                changes["foreground" if number == _FOREGROUND else "background"] = colour
        elif parameter == "4:0":
            changes["is_underlined"] = False
        else:
            changes |= _CHANGES.get(number, {})
    return replace(style, **changes) if changes else style


def _colour(remaining: Iterator[str]) -> int | None:
    """Return the colour that the next parameters name."""
    kind = _number(next(remaining, ""))
    if kind == _PALETTE:
        return _in_palette(_number(next(remaining, "")))
    return _true_colour([_number(next(remaining, "")) for _ in range(3)]) if kind == _TRUE else None


def _colour_of_parts(parts: list[str]) -> int | None:
    """Return the colour of a parameter with parts, such as `38:2::255:0:0`."""
    kind, *values = map(_number, parts)
    if kind == _PALETTE and values:
        return _in_palette(values[0])
    # The colour space in front of the components may be left out altogether.
    return _true_colour(values[-3:] if len(values) == 3 else values[1:4]) if kind == _TRUE else None


def _in_palette(number: int) -> int | None:
    return number if number <= _MOST else None


def _true_colour(values: list[int]) -> int | None:
    if len(values) != 3 or max(values) > _MOST:
        return None
    red, green, blue = values
    return TRUE_COLOUR + (red << 16) + (green << 8) + blue


def _number(text: str) -> int:
    if not text:
        return 0
    return int(text) if len(text) <= 4 and text.isascii() and text.isdecimal() else _MOST + 1
