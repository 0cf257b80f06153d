"""Reassembly of the parts of a long page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it.token import Token

_HEAD = re.compile(
    r"^\[page\] (?:[\d,]+ characters, )?part \d+ of \d+.*?(?:\n\n|\Z)", re.MULTILINE | re.DOTALL
)
_FOOT = re.compile(r"\n\[page\] [^\n]*\Z")
_CODE = ("fence", "code_block")


def texts(parts: Sequence[str]) -> list[str]:
    """Return what the parts hold; one that begins within a list goes on with the one before."""
    found: list[str] = []
    for text in map(_bare, parts):
        if found and text.startswith(" "):
            found[-1] = f"{found[-1].rstrip()}\n{text}"
        else:
            found.append(text)
    return found


def _bare(part: str) -> str:
    """Return a part without what tells which one it is, what is in the others and how to open them."""
    return _FOOT.sub("", _HEAD.sub("", part, count=1))


def put_together(parts: Sequence[list[Token]]) -> list[Token]:
    """Return the tokens of all parts, the rows of a table under one head.

    Code at the end of a part and at the beginning of the next may be one block or two: it is there as both.
    """
    together: list[Token] = []
    for part in parts:
        following = part
        if together and part and together[-1].type == "table_close" and part[0].type == "table_open":
            following = _rows_below(together, part)
        elif together and part and together[-1].type in _CODE and part[0].type in _CODE:
            together += [part[0], _joined(together[-1], part[0])]
            following = part[1:]
        together += following
    return together


def _rows_below(before: list[Token], part: list[Token]) -> list[Token]:
    """Take the end off the table before, and the repeated head off the one that goes on."""
    behind = next(at for at, it in enumerate(part) if it.type == "thead_close") + 1
    start = max(at for at, it in enumerate(before) if it.type == "table_open")
    head = [it.content for it in part[:behind] if it.type == "inline"]
    if [it.content for it in before[start:] if it.type == "inline"][: len(head)] != head:
        return part
    del before[-1]
    return part[behind:]


def _joined(first: Token, second: Token) -> Token:
    return first.copy(content=first.content + second.content)
