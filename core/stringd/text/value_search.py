"""Finds a value in a text, also escaped, in hexadecimal or in base64."""

from __future__ import annotations

import html
import re
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator
from functools import cached_property, lru_cache
from typing import TypeAlias
from urllib.parse import quote, quote_plus

from msgspec import Struct, field
from msgspec.structs import replace

Span: TypeAlias = tuple[int, int]

SHORTEST = 4
_SHORTEST_LINE = 16
# How deeply encodings may be nested.
_LAYERS = 3
# The most characters that one character is encoded as, in all layers.
_MOST_PER_CHARACTER = 32
_HEX = "[0-9A-Fa-f]"
_BYTE = r"(?:%|\\x)"
_MORE = f"{_BYTE}[89ABab]{_HEX}"
_ESCAPE = re.compile(
    rf"{_BYTE}(?:[CDcd]{_HEX}{_MORE}|[Ee]{_HEX}(?:{_MORE}){{2}}|[Ff]{_HEX}(?:{_MORE}){{3}}|{_HEX}{{2}})"
    rf"|\\u[Dd][89ABab]{_HEX}{{2}}\\u[Dd][C-Fc-f]{_HEX}{{2}}|\\u{_HEX}{{4}}|\\U00[01]{_HEX}{{5}}"
    rf"|\\[nrtbf0]|\\[^\w\s]|&#[xX]?{_HEX}{{1,8}};|&[A-Za-z]\w{{1,31}};"
)
_BYTES = re.compile(
    "[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"
    "|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}"
)
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "0": "\0"}
# The lookbehind lets a run of blanks be scanned once, from its first blank, not in quadratic time.
_BREAK = re.compile(r"(?:(?<![ \t\r])[ \t\r]++)?\n\s*+")
_URL_SAFE = str.maketrans("-_", "+/")
_EDGE = re.compile(r"[A-Za-z0-9+/_-]*")
_PADDING = re.compile(r"(?:=|%3D){1,2}", re.IGNORECASE)


def find_written(text: str, values: Collection[str]) -> Iterator[tuple[Span, str]]:
    """Yield each occurrence of a value, with the value; short values are skipped, as they occur by chance."""
    sought = [it for it in values if len(it) >= SHORTEST]
    reading = _Reading(text) if sought else None
    for _ in range(_LAYERS + 1):
        if reading is None:
            return
        unbroken = _Unbroken(reading)
        for value in sought:
            yield from ((span, value) for span in _found(reading, unbroken, value))
        reading = reading.rewritten(_ESCAPE, _decoded)


def longest_beginning(text: str, values: Collection[str]) -> int:
    """Return how many characters at the end of a text may begin a value, as it is or encoded."""
    sought = (it for it in values if len(it) >= SHORTEST)
    return max((_overlap(text, written) for it in sought for written in _written(it)), default=0)


def longest_written(value: str) -> int:
    """Return an upper bound for the length of a value in any encoding."""
    return _MOST_PER_CHARACTER * (len(value) + 1)


class _Piece(Struct, frozen=True):
    """A slice of the original text: its start, and its end if it was rewritten."""

    origin: int
    end: int | None = None


class _Reading(Struct, frozen=True):
    """A decoded text, with the mapping of its positions to the text below."""

    text: str
    below: _Reading | None = None
    starts: list[int] = field(default_factory=list)
    pieces: list[_Piece] = field(default_factory=list)

    def rewritten(self, pattern: re.Pattern[str], become: Callable[[str], str]) -> _Reading | None:
        """Return the text with all matches rewritten; None if there are none."""
        parts: list[str] = []
        starts, pieces, length, position = [0], [_Piece(0)], 0, 0
        for found in pattern.finditer(self.text):
            new = become(found[0])
            parts += (self.text[position : found.start()], new)
            length += found.start() - position
            starts += (length, length + len(new))
            pieces += (_Piece(found.start(), found.end()), _Piece(found.end()))
            length, position = length + len(new), found.end()
        if not parts:
            return None
        return _Reading("".join((*parts, self.text[position:])), self, starts, pieces)

    def occurrences(self, needle: str) -> Iterator[Span]:
        """Yield the spans in the original text of each occurrence in this one."""
        start = self.text.find(needle)
        while start >= 0:
            yield self.original(start, start + len(needle))
            start = self.text.find(needle, start + 1)

    @property
    def source(self) -> str:
        """The original text."""
        return self.text if self.below is None else self.below.source

    def original(self, start: int, end: int) -> Span:
        """Map a span of this text to the original text."""
        if self.below is None:
            return start, end
        first, last = (bisect_right(self.starts, it) - 1 for it in (start, end - 1))
        piece, final = self.pieces[first], self.pieces[last]
        begins = piece.origin if piece.end is not None else piece.origin + start - self.starts[first]
        ends = final.origin + end - self.starts[last] if final.end is None else final.end
        return self.below.original(begins, ends)


class _Unbroken:
    """A reading without line breaks and in the standard alphabet of base64."""

    def __init__(self, reading: _Reading) -> None:
        self._reading = reading
        self._text = _BREAK.sub("", reading.text).translate(_URL_SAFE)

    def occurrences(self, needle: str) -> Iterator[Span]:
        """Yield the spans in the original text of each occurrence."""
        if needle in self._text:
            yield from self._mapped.occurrences(needle)

    @cached_property
    def _mapped(self) -> _Reading:
        """The same with the mapping of its positions, which takes far longer than the text itself."""
        mapped = self._reading.rewritten(_BREAK, lambda _: "") or self._reading
        return replace(mapped, text=self._text)


def _decoded(escape: str) -> str:
    if escape.startswith(("%", "\\x")):
        data = bytes.fromhex(escape.replace("%", "").replace("\\x", ""))
        try:
            return data.decode()
        except UnicodeDecodeError:
            return data.decode("latin-1")
    if escape.startswith("&"):
        return html.unescape(escape)
    if escape[1] in "uU":
        half = escape.encode().decode("unicode_escape", errors="replace")
        return half.encode("utf-16", "surrogatepass").decode("utf-16", errors="replace")
    return _CONTROLS.get(escape[1], escape[1])


def _found(reading: _Reading, unbroken: _Unbroken, value: str) -> Iterator[Span]:
    for spelling in _spellings(value):
        yield from reading.occurrences(spelling)
    yield from (reading.original(*it.span()) for it in _in_hexadecimal(value).finditer(reading.text))
    for core in _cores(value):
        for start, end in unbroken.occurrences(core.text):
            yield _with_edges(reading.source, start, end, core)


@lru_cache(maxsize=256)
def _in_hexadecimal(value: str) -> re.Pattern[str]:
    digits = value.encode(errors="replace").hex()
    spelled = (f"[{it}{it.upper()}]" if it.isalpha() else it for it in digits)
    return re.compile("[\\s:]?".join(map("".join, zip(spelled, spelled, strict=True))))


@lru_cache(maxsize=256)
def _spellings(value: str) -> tuple[str, ...]:
    """Return the forms of a value to search for: the value, its decoded form, and its long lines."""
    lines = [it for it in value.splitlines() if len(it) >= _SHORTEST_LINE]
    texts = [value, value.strip(), value.replace("\n", "\r\n"), *lines]
    texts += [it.replace(" ", "+") for it in texts]
    # Bytes that are escaped one by one are decoded as UTF-8, although they may be something else.
    texts += [_BYTES.sub(lambda found: found[0].encode("latin-1").decode(), it) for it in texts]
    for text in tuple(texts):
        for _ in range(_LAYERS):
            text = _ESCAPE.sub(lambda found: _decoded(found[0]), text)
            texts.append(text)
    return tuple(it for it in dict.fromkeys(texts) if len(it) >= SHORTEST)


@lru_cache(maxsize=256)
def _written(value: str) -> tuple[str, ...]:
    """Return the spellings of a value, also in hexadecimal, percent-encoded and in base64."""
    data = value.encode(errors="replace")
    escaped = (quote(data), quote(data, safe=""), quote_plus(data), data.hex(), data.hex().upper())
    return tuple(dict.fromkeys((*_spellings(value), *escaped, *(it.text for it in _cores(value)))))


def _overlap(text: str, written: str) -> int:
    """Return the length of the longest end of a text with which a longer one begins."""
    end = text[max(len(text) - len(written) + 1, 0) :]
    start = end.find(written[0])
    while start >= 0 and not written.startswith(end[start:]):
        start = end.find(written[0], start + 1)
    return len(end) - start if start >= 0 else 0


class _Core(Struct, frozen=True):
    """The base64 characters that depend only on a value, and how many adjacent ones depend on it partly."""

    text: str
    before: int
    behind: int


@lru_cache(maxsize=256)
def _cores(value: str) -> tuple[_Core, ...]:
    """Return the base64 cores of a value at every alignment, also for repeated encoding."""
    cores: list[_Core] = []
    texts = [value]
    for layer in range(1, _LAYERS + 1):
        made = [core for text in texts for lead in range(3) if (core := _core(text, lead, layer))]
        cores += made
        texts = [it.text for it in made]
    return tuple(cores)


def _core(text: str, lead: int, layer: int) -> _Core | None:
    """Return the base64 core of a text that follows some other bytes."""
    data = bytes(lead) + text.encode(errors="replace")
    core = b64encode(data).decode()[(0, 2, 3)[lead] : len(data) * 8 // 6]
    before, behind = (layer if partly or layer > 1 else 0 for partly in (lead, len(data) % 3))
    return _Core(core, before, behind) if len(core) >= SHORTEST else None


def _with_edges(text: str, start: int, end: int, core: _Core) -> Span:
    """Extend a match to the adjacent characters that depend on the value partly, and to the padding."""
    before = _EDGE.match(text[max(0, start - core.before) : start][::-1])
    behind = _EDGE.match(text[end : end + core.behind])
    start, end = start - len(before[0] if before else ""), end + len(behind[0] if behind else "")
    padding = _PADDING.match(text, end)
    return start, padding.end() if padding else end
