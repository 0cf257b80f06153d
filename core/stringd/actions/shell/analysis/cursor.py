"""The position of a parser in a text, and the replacements that it records."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Container, Iterator
from contextlib import contextmanager

from stringd.actions.shell.analysis.shell_syntax import (
    BARE,
    NestedText,
    Piece,
    PlaceholderPart,
    QuotingContext,
    Unreadable,
)
from stringd.actions.values.placeholders import Placeholder, find_placeholders

# A limit that no hand-written command reaches, and that bounds the recursion of the parser.
_DEEPEST = 30


class Cursor:
    """A position in a text, its placeholders, and the replacements of spans of it."""

    def __init__(
        self,
        text: str,
        names: Container[str],
        line: int = 0,
        depth: int = 0,
        lists: Container[str] = (),
    ) -> None:
        self.text = text
        self.names = names
        self.lists = lists
        self.position = 0
        self.end = len(text)
        self.depth = depth
        self._first_line = line
        self._placeholders = {it.start: it for it in find_placeholders(text, names)}
        self._starts = list(self._placeholders)
        self._newlines = [it.start() for it in re.finditer("\n", text)]
        self._replaced: list[tuple[int, int, tuple[Piece, ...]]] = []

    @property
    def has_placeholders(self) -> bool:
        """Whether the text has placeholders."""
        return bool(self._placeholders)

    def peek(self, length: int = 1) -> str:
        """Return the next characters, up to the end."""
        return self.text[self.position : min(self.position + length, self.end)]

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Match a pattern at the current position."""
        return pattern.match(self.text, self.position, self.end)

    def take(self, pattern: re.Pattern[str]) -> str:
        """Skip what matches a pattern and return it, or return an empty text."""
        found = self.match(pattern)
        if found is None:
            return ""
        self.position = found.end()
        return found[0]

    def accept(self, text: str) -> bool:
        """Skip a text if it comes next, and return whether it did."""
        if not self.text.startswith(text, self.position, self.end):
            return False
        self.position += len(text)
        return True

    def expect(self, text: str) -> None:
        """Skip a text that must come next."""
        if not self.accept(text):
            raise self.unreadable(f"there is no {text!r} where one is expected")

    def read_placeholder(self, quoting: QuotingContext) -> PlaceholderPart | None:
        """Read the placeholder that starts here, if there is one."""
        placeholder = self._placeholders.get(self.position)
        if placeholder is None or placeholder.end > self.end:
            return None
        is_whole = placeholder.index is None and not placeholder.modifiers
        is_several = is_whole and quoting is BARE and placeholder.name in self.lists
        part = PlaceholderPart(
            placeholder=placeholder, quoting=quoting, line=self.line, is_several=is_several
        )
        self.replace(placeholder.start, placeholder.end, part)
        self.position = placeholder.end
        return part

    def placeholders_between(self, start: int, end: int) -> Iterator[Placeholder]:
        """Yield the placeholders that start in a span of the text."""
        first, last = (bisect_left(self._starts, it) for it in (start, end))
        return (self._placeholders[self._starts[it]] for it in range(first, last))

    @property
    def line(self) -> int:
        """The current line within the whole command, counted from 0."""
        return self._first_line + bisect_left(self._newlines, self.position)

    def unreadable(self, what: str) -> Unreadable:
        """Return the error that what comes next is not supported."""
        return Unreadable(what, self.line)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Parse a nested construct; raise if it is nested too deeply."""
        if self.depth >= _DEEPEST:
            raise self.unreadable("it is nested too deeply")
        self.depth += 1
        yield
        self.depth -= 1

    def replace(self, start: int, end: int, *pieces: Piece) -> None:
        """Record what replaces a span of the text when the command runs."""
        self._replaced.append((start, end, pieces))

    def replace_all(self, start: int, end: int, piece: NestedText) -> None:
        """Record what replaces a span, instead of what was recorded for parts of it."""
        self._replaced = [it for it in self._replaced if it[1] <= start or it[0] >= end]
        self.replace(start, end, piece)

    @property
    def is_changed(self) -> bool:
        """Whether anything of the text is replaced."""
        return bool(self._replaced)

    def pieces(self) -> tuple[Piece, ...]:
        """Return the text with all replacements applied, as pieces."""
        pieces: list[Piece] = []
        position = 0
        for start, end, instead in sorted(self._replaced, key=lambda it: it[:2]):
            pieces += (self.text[position:start], *instead)
            position = end
        return tuple(it for it in (*pieces, self.text[position:]) if it != "")
