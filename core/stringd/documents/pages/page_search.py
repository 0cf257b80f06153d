"""Search a page's text regardless of case, Markdown markup, line breaks and Unicode composition."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from operator import itemgetter

from msgspec import Struct

from stringd.documents.syntax.shortcuts import Shortcut

_PARAGRAPH = re.compile(r"(?:^[^\S\n]*+\S[^\n]*+(?:\n|\Z))++", re.MULTILINE)
_GAP = re.compile(r"\n[^\S\n]*\n")
_WORD = re.compile(r"[^\W_]+")
# The size in characters of the chunks that are tested for the word before their paragraphs are.
_AT_ONCE = 1 << 16
# A line break counts as a blank where the paragraph continues, with the marks of quotes after it.
_BLANKS = r"""
    (?P<blank>
        [^\S\n]*+\n[ \t%s]*+(?![-*+][ \t]|\d{1,9}[.)][ \t]|\#{1,6}[ \t]|\||```|~~~)|
        [^\S\n]{2,}+|
        [^\S\n ]
    )
"""
_QUOTE = ">"
_BROKEN = re.compile(_BLANKS % _QUOTE, re.VERBOSE)
_BROKEN_BEFORE_QUOTES = re.compile(_BLANKS % "", re.VERBOSE)
_MARKS = rf"""
    (?<!`)(?P<ticks>`++)(?P<code>[^`]++)(?P=ticks)(?!`)|
    \\(?P<escaped>[!-/:-@\[-`{{-~])|
    (?<!\*)(?:(?<!\s)\*++|\*++(?!\s))|
    (?<!\w)_++(?=\w)|
    (?<=[^\W_])_++(?!\w)|
    ~~|
    {_BLANKS % _QUOTE}
"""
_LINKS = r"""
    !?\[(?=[^\[\]]{0,500}+\](?:\[@|\())|
    \]\[@[\w.-]++\]|
    \]\([^()\s]*+\)|
"""
_MARKED = re.compile(_LINKS + _MARKS, re.VERBOSE)
_MARKED_BETWEEN_BRACKETS = re.compile(_MARKS, re.VERBOSE)
_BRACKETS = frozenset("[]")
_SHOWN_LINK = re.compile(r"\]\[@([\w.-]++)\]")
# More marks than any script stacks on a letter; ordering them takes quadratic time.
_CROWD = re.compile(r"([^\x00-\u02ff\w\s]{30})")
# Characters that join the one before them: marks on letters, and the parts of Korean syllables.
_CLUSTER = re.compile(
    r".[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u1160-\u11ff\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]*",
    re.DOTALL,
)


def find(text: str, wanted: str) -> Iterator[tuple[int, int]]:
    """Yield the spans where a text occurs in another, lazily and in order.

    Case and Unicode composition are ignored; blanks match any blanks, including a line break within a
    paragraph; Markdown markup is optional.
    """
    words = fold(" ".join(wanted.split()))
    readings = [_BROKEN, _MARKED]
    if _QUOTE in words:
        readings.append(_BROKEN_BEFORE_QUOTES)
    if not _BRACKETS.isdisjoint(words):
        readings.append(_MARKED_BETWEEN_BRACKETS)
    for paragraph in _candidates(text, words):
        found = merge(*(_Plain(paragraph[0], marks).find(words) for marks in readings))
        for start, end in _without_overlaps(found):
            yield paragraph.start() + start, paragraph.start() + end


def find_shown(text: str, wanted: str, shortcuts: Iterable[Shortcut]) -> Iterator[tuple[int, int]]:
    """Yield the spans where a text occurs in a shown one, and of links whose `[label](target)` contains it.

    A link with the text in its label is not found again by its target or its id.
    """
    words = fold(" ".join(wanted.split()))
    meant = {it.id for it in shortcuts if words in fold(f"[{it.label}]({it.target})")}
    links = ((*it.span(), True) for it in _SHOWN_LINK.finditer(text) if it[1] in meant) if meant else ()
    spans = ((*it, False) for it in find(text, wanted))
    reached = -1
    for start, end, is_link in merge(links, spans, key=itemgetter(0)):
        if reached <= text.rfind("[", 0, start) if is_link else reached < end:
            yield start, end
        reached = max(reached, end)


def _candidates(text: str, words: str) -> Iterator[re.Match[str]]:
    """Yield the paragraphs that contain the longest word; markup surrounds words but does not split them."""
    hint = max(_WORD.findall(words), key=len, default="")
    start = 0
    while start < len(text):
        gap = _GAP.search(text, start + _AT_ONCE)
        end = gap.end() if gap else len(text)
        if hint in fold(text[start:end]):
            paragraphs = _PARAGRAPH.finditer(text, start, end)
            yield from (it for it in paragraphs if hint in fold(it[0]))
        start = end


def fold(text: str) -> str:
    """Return a text's canonical form for comparison."""
    if text.isascii():
        return text.lower()
    return _composed(_composed(text).casefold())


def _composed(text: str) -> str:
    """Return a text in composed form; long runs of marks are normalized in pieces."""
    return "".join(unicodedata.normalize("NFC", it) for it in _CROWD.split(text))


def _without_overlaps(found: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    reached = -1
    for start, end in found:
        if start >= reached:
            yield start, end
            reached = end


class _Piece(Struct, frozen=True):
    """A run of the plain text, and its position in the paragraph."""

    plain: int
    place: int
    text: str


class _Plain:
    """A paragraph without markup, with positions that map back to the paragraph."""

    def __init__(self, paragraph: str, marks: re.Pattern[str]) -> None:
        self._pieces: list[_Piece] = []
        self._length = 0
        end = 0
        for found in marks.finditer(paragraph):
            self._keep(end, paragraph[end : found.start()])
            end = found.end()
            if found.lastgroup == "blank":
                self._keep(found.start(), " ")
            elif kept := found.lastgroup:
                self._keep(found.start(kept), found[kept])
        self._keep(end, paragraph[end:])

    def find(self, words: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of the paragraph where the words occur."""
        plain = "".join(it.text for it in self._pieces)
        folded = fold(plain)
        start = folded.find(words)
        if start < 0:
            return
        origins = range(len(plain)) if len(folded) == len(plain) else _origins(plain, len(folded))
        while start >= 0:
            end = start + len(words)
            yield self._place(origins[start]), self._place(origins[end - 1]) + 1
            start = folded.find(words, end)

    def _keep(self, place: int, text: str) -> None:
        if text:
            self._pieces.append(_Piece(self._length, place, text))
            self._length += len(text)

    def _place(self, plain: int) -> int:
        piece = self._pieces[bisect_right(self._pieces, plain, key=lambda it: it.plain) - 1]
        return piece.place + plain - piece.plain


def _origins(plain: str, length: int) -> Sequence[int]:
    """Return the plain position of each folded character, approximate for scripts without known clusters."""
    origins = [it.start() for it in _CLUSTER.finditer(plain) for _ in fold(it[0])]
    return [*origins[:length], *[len(plain) - 1] * (length - len(origins))]
