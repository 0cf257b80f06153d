"""Text within a block: pieces with a style or a target, and their Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

_FOLLOWED = re.compile(r"(?:https?|mailto|ftp):", re.IGNORECASE)
_SPECIAL = re.compile(r"[*`]|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!?])|\](?=[(\[])|~~|\\(?=[!-/:-@\[-`{-~])")
_LINE_START = re.compile(r"^(\s*)(?:([-+#>]|#{2,6})(?=\s|$)|(\d{1,9})([.)])(?=\s))", re.MULTILINE)
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_EDGES = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)


class Piece(Struct, frozen=True, kw_only=True):
    """A text in one style; with a target a link, or an image whose alternative text it is."""

    text: str
    bold: bool = False
    italic: bool = False
    struck: bool = False
    code: bool = False
    target: str = ""
    image: bool = False


Inline: TypeAlias = Sequence[Piece]


def plain(text: str) -> Inline:
    """Return a text without any style."""
    return (Piece(text=text),)


def text_of(inline: Inline) -> str:
    """Return the text of pieces on one line, without styles."""
    return " ".join("".join(it.text for it in inline).split())


def joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces with those of one style joined; a blank one takes the style of the one before."""
    last: Piece | None = None
    for piece in pieces:
        piece = replace(piece, text=cleaned(piece.text), target=followed(piece.target))
        if last and (_style(last) == _style(piece) or (not piece.text.strip() and not last.target)):
            last = replace(last, text=last.text + piece.text)
            continue
        if last:
            yield last
        last = piece
    if last:
        yield last


def followed(target: str) -> str:
    """Return a link's target if it leads to the web or to a mailbox, else nothing."""
    return target if _FOLLOWED.match(target) else ""


def cleaned(text: str) -> str:
    """Return a text whose lines end at LF, without control characters."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def escaped(text: str) -> str:
    """Return a text in which nothing is Markdown within a line."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def escaped_start(text: str) -> str:
    """Return Markdown whose lines do not begin as headings, items or quotes do."""
    return _LINE_START.sub(lambda it: f"{it[1]}{it[3] or ''}\\{it[2] or it[4]}", text)


def markdown_of(piece: Piece) -> str:
    """Return a piece without a target as Markdown."""
    if piece.image:
        return f"[image: {text_of((piece,))}]" if piece.text.strip() else "[image]"
    before, text, after = _EDGES.fullmatch(piece.text).groups()  # type: ignore[union-attr]
    if not text:
        return piece.text
    if piece.code and "`" not in text:
        return f"{before}`{text}`{after}"
    marks = "~~" * piece.struck + "**" * piece.bold + "*" * piece.italic
    return f"{before}{marks}{escaped(text)}{marks[::-1]}{after}"


def _style(piece: Piece) -> tuple[object, ...]:
    return (piece.bold, piece.italic, piece.struck, piece.code, piece.target, piece.image)
