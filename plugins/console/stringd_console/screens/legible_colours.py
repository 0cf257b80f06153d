"""The colours of screens: those that programs ask for, as far as text remains legible in them.

Screens are dark in both themes: programs that ask are told of a black background, and choose their colours
for that.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

from stringd_console.topic_screen import TRUE_COLOUR, TextStyle

Colour: TypeAlias = tuple[int, int, int]

FOREGROUND: Colour = (0xDD, 0xE4, 0xEC)
BACKGROUND: Colour = (0x0D, 0x12, 0x18)
_LEAST_CONTRAST = 4.5
_DIMMED = 0.62
_STEPS = 12
_CUBE = (0, 95, 135, 175, 215, 255)
_CUBE_START, _GREYS_START = 16, 232
_PALETTE: tuple[int, ...] = (
    *(0x2A313A, 0xFF7B72, 0x56C271, 0xE3B341, 0x6CB6FF, 0xD2A8FF, 0x56D4DD, 0xC9D1D9),
    *(0x7D8894, 0xFFA198, 0x7EE093, 0xF5D26B, 0x9CCFFF, 0xE4C7FF, 0x8AE6EE, 0xFFFFFF),
)


class ShownColours(Struct, frozen=True):
    """The colours of text and of what is behind it; None for the screen's own."""

    text: str | None
    behind: str | None


@lru_cache(maxsize=4096)
def shown_colours(style: TextStyle) -> ShownColours:
    """Return the colours for a style, as six hexadecimal digits."""
    text = FOREGROUND if style.foreground is None else _colour(style.foreground)
    behind = BACKGROUND if style.background is None else _colour(style.background)
    if style.is_reversed:
        text, behind = behind, text
    if style.is_dim:
        text = _mixed(text, behind, _DIMMED)
    text = _legible(text, behind)
    return ShownColours(
        None if text == FOREGROUND else _hexadecimal(text),
        None if behind == BACKGROUND else _hexadecimal(behind),
    )


def contrast(one: Colour, other: Colour) -> float:
    """Return the ratio of the luminances of two colours, as WCAG defines it."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _legible(text: Colour, behind: Colour) -> Colour:
    """Return the colour that is nearest to a text's and stands out enough."""
    if contrast(text, behind) >= _LEAST_CONTRAST:
        return text
    best = max(((255, 255, 255), (0, 0, 0)), key=lambda it: contrast(it, behind))
    share, step = 0.5, 0.25
    for _ in range(_STEPS):
        is_enough = contrast(_mixed(text, best, share), behind) >= _LEAST_CONTRAST
        share += step if is_enough else -step
        step /= 2
    found = _mixed(text, best, share)
    return found if contrast(found, behind) >= _LEAST_CONTRAST else _mixed(text, best, max(share - 0.01, 0.0))


def _colour(number: int) -> Colour:
    if number >= TRUE_COLOUR:
        return _of_hexadecimal(number - TRUE_COLOUR)
    if number < _CUBE_START:
        return _of_hexadecimal(_PALETTE[number])
    if number < _GREYS_START:
        red, rest = divmod(number - _CUBE_START, 36)
        return _CUBE[red], _CUBE[rest // 6], _CUBE[rest % 6]
    grey = 8 + 10 * (number - _GREYS_START)
    return grey, grey, grey


def _mixed(one: Colour, other: Colour, share: float) -> Colour:
    """Return a colour with this share of the first one."""
    red, green, blue = (round(a * share + b * (1 - share)) for a, b in zip(one, other, strict=True))
    return red, green, blue


def _luminance(colour: Colour) -> float:
    red, green, blue = (_linear(it / 255) for it in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def _of_hexadecimal(number: int) -> Colour:
    return number >> 16, number >> 8 & 255, number & 255


def _hexadecimal(colour: Colour) -> str:
    return bytes(colour).hex()
