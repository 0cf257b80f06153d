"""A question as text for a terminal, so that different ones look different and none imitates the program.

Lines are wrapped here rather than by the terminal, and each begins with a mark that tells a line break of the
text from a wrapped line.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import chain
from typing import Any

from stringd.text.formatting import counted
from stringd.text.unambiguous_text import unambiguous_tokens

LEAST_WIDTH = 20
CONTINUED = "┊ "
_WIDE = frozenset("WFA")
MOST_LINES = 40
MOST_OF_BODY, MOST_OF_DETAIL = 12, 6
_TITLE, _BODY, _DETAIL = "┃ ", "│ ", "• "
_ASKERS = {"asked_by": "asked by", "user_id": "user", "topic": "topic", "request_id": "request"}


def unambiguous_lines(
    text: str, mark: str, width: int, *, name: str | None = None, next_mark: str | None = None
) -> list[str]:
    """Return the lines that show a text; the first one begins with the mark and the name, if any.

    Further lines of the text begin with `next_mark`; without it, line breaks are escaped.
    """
    lead = "" if name is None else f"{''.join(unambiguous_tokens(name, escaped=':'))}: "
    texts = [text] if next_mark is None else text.split("\n")
    lines = []
    for line in texts:
        tokens = chain(lead, unambiguous_tokens(line))
        pieces = list(_wrapped(tokens, max(width, LEAST_WIDTH) - columns(mark) - 1))
        lines += [mark + pieces[0], *(CONTINUED + it for it in pieces[1:])]
        mark, lead = next_mark or mark, ""
    return lines


def _wrapped(tokens: Iterator[str], width: int) -> Iterator[str]:
    piece, used = "", 0
    for token in tokens:
        needed = columns(token)
        if used + needed > width:
            yield piece
            piece, used = "", 0
        piece += token
        used += needed
    yield piece


def columns(text: str) -> int:
    """Return an upper bound of the columns of a text, since terminals differ for some characters."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(it) in _WIDE else 1 for it in text)


def question_page(
    question: dict[str, Any], width: int, *, now: float = 0.0, whole: bool = False
) -> list[str]:
    """Return the lines that show a question; long ones are truncated, with the number of hidden lines."""
    lines = unambiguous_lines(question["title"], _TITLE, width)
    lines += _content(question, width, whole=whole)
    if not whole:
        lines = _cut(lines, MOST_LINES)
    for number, choice in enumerate(question["choices"], 1):
        lines += unambiguous_lines(choice, f"{number}) ", width)
    for field, shown in _ASKERS.items():
        if question[field] is not None:
            lines += unambiguous_lines(question[field], f"[{shown}] ", width)
    if question["expires"] is not None:
        ends = question["expires_at"]
        lines.append(f"[time left] {max(ends - now, 0) if ends else question['expires']:.0f} s")
    return lines


def _content(question: dict[str, Any], width: int, *, whole: bool) -> list[str]:
    """Return the lines of the body and the details; none is cut so that a long one hides the others."""
    body = question["body"]
    texts = [(unambiguous_lines(body, _BODY, width, next_mark=_BODY), MOST_OF_BODY)] if body else []
    for name, value in question["details"].items():
        shown = unambiguous_lines(value, _DETAIL, width, name=name, next_mark=_BODY)
        texts.append((shown, MOST_OF_DETAIL))
    return [line for lines, most in texts for line in (lines if whole else _cut(lines, most))]


def _cut(lines: list[str], most: int) -> list[str]:
    hidden = len(lines) - most
    return lines if hidden <= 0 else [*lines[:most], f"({counted(hidden, 'more line')}: ? shows all)"]
