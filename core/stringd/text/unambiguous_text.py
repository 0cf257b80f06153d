"""Texts for people who decide: different ones look different, and none imitates what shows them.

Control characters, characters that reorder or overlay others, and invisible ones are shown as `⟨U+202E⟩`, and
so are `⟨` itself and a trailing blank.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

OPENING, CLOSING = "⟨", "⟩"
_MOST_MARKS = 2
# Printable according to Unicode, but blank.
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def unambiguous(text: str, escaped: str = "") -> str:
    """Return a text for display within a line; the characters in `escaped` are escaped as well."""
    return "".join(unambiguous_tokens(text, escaped))


def unambiguous_tokens(line: str, escaped: str = "") -> Iterator[str]:
    """Yield what stands for each character of a line; those in `escaped` are escaped as well."""
    marks = 0
    before = ""
    last = len(line) - 1
    for index, character in enumerate(line):
        marks = marks + 1 if _is_mark(character) else 0
        is_stray = marks > _MOST_MARKS or (marks == 1 and not before.isalpha())
        is_final_blank = character == " " and index == last
        if is_stray or is_final_blank or character in escaped or not _is_plain(character):
            yield f"{OPENING}U+{ord(character):04X}{CLOSING}"
        else:
            yield character
        before = character


def _is_plain(character: str) -> bool:
    return character.isprintable() and character != OPENING and character not in _BLANK_LETTERS


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in {"Mn", "Me"}
