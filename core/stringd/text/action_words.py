"""Splits the arguments of an action call into words and substitutes variables in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from msgspec import Struct

from stringd.errors import ErrorCode, Refusal
from stringd.text.masking import MASK

_PIECE = re.compile(
    r"""(?P<blank>[ \t\r]+)|(?P<newline>\n)|'(?P<single>[^']*)'|"(?P<double>[^"\\]*(?:\\.[^"\\]*)*)"|"""
    r"""(?P<bare>[^\s'"]+|[^\S \t\r\n]+)""",
    re.DOTALL,
)
_ESCAPED = re.compile(r'\\(["\\])')
_MARK = re.compile(
    r"\\(?P<escaped>[{<$@])|(?<!\{)\{(?P<variable>[A-Za-z_][\w-]*)\}(?!\})|(?P<secret>\$[A-Za-z_]\w*)",
    re.ASCII,
)
_WHOLE = re.compile(r"<(?P<name>[A-Za-z_][\w-]*)>", re.ASCII)
_SHOWN = 40


class Piece(Struct, frozen=True, kw_only=True):
    """A part of a word; a `literal` one was escaped, so nothing is substituted in it."""

    text: str
    literal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word and its position in the text; a `quoted` one begins with a quote and is never a flag."""

    pieces: tuple[Piece, ...] = ()
    quoted: bool = False
    start: int = 0
    end: int = 0
    text: str = field(init=False, repr=False, compare=False)
    """The word without its quotes."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", "".join(piece.text for piece in self.pieces))

    def behind(self, count: int) -> Word:
        """Return the word without the first `count` characters of its first piece."""
        first, *others = self.pieces
        rest = (Piece(text=first.text[count:]), *others)
        return replace(self, pieces=rest, quoted=True, start=self.start + count)


def split_words(text: str, *, secret: bool = False) -> tuple[Word, ...]:
    """Split the arguments of a command; refuse an unclosed quote and line breaks outside of quotes.

    The refusal of a `secret` text does not quote it.
    """
    return tuple(_words(text, secret=secret))


def line_end(text: str) -> int | None:
    """Return where the first line of the arguments ends, quoted ones aside; None if nothing is below it."""
    position = 0
    while found := _PIECE.match(text, position):
        if found["newline"]:
            return found.start()
        position = found.end()
    return None


def fill(word: Word, lookup: Callable[[str], str | None]) -> str:
    r"""Return the word with `{name}` and a whole `<name>` substituted and `\{`, `\<`, `\$`, `\@` as text."""
    whole = _WHOLE.fullmatch(word.text)
    known = lookup(whole["name"]) if whole else None
    if known is not None:
        return known
    return "".join(it.text if it.literal else fill_text(it.text, lookup) for it in word.pieces)


def fill_text(text: str, lookup: Callable[[str], str | None]) -> str:
    """Return a text with its variables substituted; refuse unset ones and `$NAME`."""

    def filled(found: re.Match[str]) -> str:
        if found["escaped"]:
            return found["escaped"]
        if found["secret"]:
            raise Refusal(
                ErrorCode.INVALID_VARIABLE,
                f"{found['secret']} can't be passed as a value: it is a secret.",
                f"For the text itself write \\{found['secret']}",
            )
        return _defined(found["variable"], lookup)

    return _MARK.sub(filled, text)


def _defined(name: str, lookup: Callable[[str], str | None]) -> str:
    value = lookup(name)
    if value is None:
        hints = f'Set it: /set {{{name}}} = "..."', f"For the text itself write \\{{{name}}}"
        raise Refusal(ErrorCode.UNDEFINED_VARIABLE, f"The variable {{{name}}} is not set.", *hints)
    return value


def _words(text: str, *, secret: bool) -> Iterator[Word]:
    pieces: list[Piece] = []
    quoted = False
    position = start = 0
    while position < len(text):
        found = _PIECE.match(text, position)
        if found is None:
            raise _unclosed(MASK if secret else text[position:])
        position = found.end()
        if found["newline"]:
            raise Refusal(
                ErrorCode.INVALID_PAYLOAD, "One command per request: only a quoted value may span lines."
            )
        if found["blank"]:
            if pieces:
                yield Word(pieces=tuple(pieces), quoted=quoted, start=start, end=found.start())
            pieces, quoted, start = [], False, position
        else:
            quoted = quoted or (not pieces and found["bare"] is None)
            pieces += _pieces(found)
    if pieces:
        yield Word(pieces=tuple(pieces), quoted=quoted, start=start, end=position)


def _pieces(found: re.Match[str]) -> Iterator[Piece]:
    if found["double"] is None:
        yield Piece(text=found["bare"] or found["single"] or "")
        return
    for number, text in enumerate(_ESCAPED.split(found["double"])):
        if text or not found["double"]:
            yield Piece(text=text, literal=bool(number % 2))


def _unclosed(rest: str) -> Refusal:
    shown = rest.partition("\n")[0][:_SHOWN]
    return Refusal(ErrorCode.INVALID_PAYLOAD, f"The quote is never closed: {shown}", 'An apostrophe: "it\'s"')
