"""Find a text regardless of white space, and fit a replacement to the indentation that is there."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import islice

from msgspec import Struct

_LOOSE_GAP = re.compile(r"(?<![\w\s])\s++|\s++(?!\w)")
_GAP = re.compile(r"\s+")
_CHARACTER = re.compile(r"\S")
_INDENT = re.compile(r"[ \t]*")
# Places that turn out to be parts of words.
_MOST_TRIED = 10_000
_SPACES, _TAB = " " * 4, "\t"


class LooseMatch(Struct, frozen=True, kw_only=True):
    """Where a text occurs: from its line's beginning and to its line's end if only blanks are there."""

    start: int
    end: int
    begins_line: bool
    ends_line: bool


def loose_matches(text: str, wanted: str) -> Iterator[LooseMatch]:
    """Yield where a text occurs, with any white space in it, but none within words."""
    if wanted.strip():
        yield from (_on_lines(text, *it) for it in _Squeezed(text).spans(_Squeezed(wanted).text))


def fitted(new: str, old: str, text: str, match: LooseMatch) -> str:
    """Return the new text with the indentation that the old one has where it was found."""
    line_start = text.rfind("\n", 0, match.start) + 1
    known = _indents(old, text[line_start : match.end])
    lines = [_indented(line, known) for line in new.split("\n")]
    if not match.begins_line:
        lines[0] = lines[0].lstrip()
    return "\n".join(lines)


class _Squeezed:
    """A text without white space, except a blank between words, and the places of its lines.

    It is made line by line, so that other threads can go on.
    """

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._kept: list[int] = []
        self._origins: list[int] = []
        self._starts: list[int] = []
        self.text = "".join(self._pieces())

    def spans(self, wanted: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of the original text where a squeezed text occurs."""
        start = self.text.find(wanted)
        for _ in range(_MOST_TRIED):
            if start < 0:
                return
            end = start + len(wanted)
            if is_whole := not (self._joins_words(start) or self._joins_words(end)):
                yield self._place(start), self._place(end - 1) + 1
            start = self.text.find(wanted, end if is_whole else start + 1)

    def _pieces(self) -> Iterator[str]:
        length = origin = 0
        last = ""
        for number, line in enumerate(self._lines):
            squeezed = _GAP.sub(" ", _LOOSE_GAP.sub("", line.strip()))
            if squeezed:
                gap = " " if _is_word(last) and _is_word(squeezed[0]) else ""
                self._kept.append(number)
                self._origins.append(origin)
                self._starts.append(length + len(gap))
                yield gap + squeezed
                length += len(gap) + len(squeezed)
                last = squeezed[-1]
            origin += len(line) + 1

    def _joins_words(self, place: int) -> bool:
        """Whether a word goes on at a place of the squeezed text."""
        around = self.text[place - 1 : place], self.text[place : place + 1]
        return all(map(_is_word, around))

    def _place(self, place: int) -> int:
        """Return where a character of the squeezed text stands in the original one."""
        index = bisect_right(self._starts, place) - 1
        start = self._starts[index]
        before = place - start - self.text.count(" ", start, place)
        characters = _CHARACTER.finditer(self._lines[self._kept[index]])
        return self._origins[index] + next(islice(characters, before, None)).start()


def _is_word(character: str) -> bool:
    return character == "_" or character.isalnum()


def _on_lines(text: str, start: int, end: int) -> LooseMatch:
    line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    line_end -= text.endswith("\r", 0, line_end)
    begins, ends = not text[line_start:start].strip(), not text[end:line_end].strip()
    return LooseMatch(
        start=line_start if begins else start,
        end=line_end if ends else end,
        begins_line=begins,
        ends_line=ends,
    )


def _indents(old: str, found: str) -> Mapping[str, str]:
    """Return the indentation that each indentation of the old text has where it was found."""
    wanted, there = ([it for it in text.split("\n") if it.strip()] for text in (old, found))
    alike = len(wanted) if len(wanted) == len(there) else 1
    known: dict[str, str] = {}
    for one, other in zip(wanted[:alike], there[:alike], strict=True):
        known.setdefault(_indent(one), _indent(other))
    return known


def _indented(line: str, known: Mapping[str, str]) -> str:
    if not line.strip():
        return line.strip(" \t")
    own = _indent(line)
    fitting = [it for it in known if own.startswith(it)]
    if fitting:
        base = max(fitting, key=len)
        return known[base] + _converted(own[len(base) :], known) + line[len(own) :]
    shallowest = min(known, key=len)
    missing = len(shallowest) - len(own)
    return known[shallowest][: max(0, len(known[shallowest]) - missing)] + line[len(own) :]


def _converted(deeper: str, known: Mapping[str, str]) -> str:
    """Return an indentation beyond a known one in the unit that is used there."""
    units = [
        (inner[len(outer) :], known[inner][len(known[outer]) :])
        for outer in known
        for inner in known
        if inner != outer and inner.startswith(outer) and known[inner].startswith(known[outer])
    ]
    units = [(one, other) for one, other in units if one and other]
    if not units and any(_TAB in it for it in known.values()):
        units = [(_SPACES, _TAB)]
    return deeper.replace(*min(units, key=lambda it: len(it[0]))) if units else deeper


def _indent(line: str) -> str:
    found = _INDENT.match(line)
    return found[0] if found else ""
