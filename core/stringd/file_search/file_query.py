"""Queries of a file search, and their results."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Iterable

from msgspec import Struct, field

from stringd.errors import ErrorCode, Refusal

LARGEST = 10 * 1024 * 1024
"""The size in bytes above which files are not searched."""
MOST_FILES = 20_000
"""The limit on files whose matches are counted."""
_LONGEST = 1000
_SEARCHING = 0.85
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_LINE_END = re.compile(r"(?P<other>\\[^Z]|\[\^?\]?(?:\\.|[^\]\\])*\])|\$|\\Z", re.DOTALL)
# What other engines accept with another meaning: possessive quantifiers, and edges of words.
_OF_PYTHON = re.compile(r"[*+?}]\+|\\[<>]")


class FileQuery(Struct, frozen=True, kw_only=True):
    """A text or a regular expression, the real paths to search, and whether file names are searched, too.

    A text without capitals is found in any case.
    """

    text: str
    roots: tuple[str, ...]
    is_regex: bool = False
    with_names: bool = False

    def __post_init__(self) -> None:
        if len(self.text) > _LONGEST:
            raise Refusal(ErrorCode.INVALID_PAYLOAD, f"The text is longer than {_LONGEST:,} characters.")
        if "\n" in self.text or "\0" in self.text:
            raise Refusal(ErrorCode.INVALID_PAYLOAD, "Files are searched line by line, for text in one line.")

    @property
    def ignores_case(self) -> bool:
        """Whether the text has no capitals, not counting escapes of an expression."""
        letters = _ESCAPED.sub("", self.text) if self.is_regex else self.text
        return not any(it.isupper() for it in letters)

    @property
    def is_portable(self) -> bool:
        """Whether ripgrep finds the same as Python, or refuses the expression."""
        return not (self.is_regex and _OF_PYTHON.search(self.text))

    def pattern(self) -> re.Pattern[str]:
        """Compile the text or expression; refuse an invalid one."""
        return self._compiled(self.text if self.is_regex else re.escape(self.text))

    def inner_pattern(self) -> re.Pattern[str]:
        """Compile the expression for what is followed by more of a line, where `$` does not match."""
        return self._compiled(_LINE_END.sub(lambda it: it["other"] or "(?!)", self.text))

    def _compiled(self, expression: str) -> re.Pattern[str]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                return re.compile(expression, re.IGNORECASE if self.ignores_case else 0)
        except (re.error, OverflowError, RecursionError, FutureWarning) as error:
            raise Refusal(ErrorCode.INVALID_PAYLOAD, f"Not a regular expression: {error}") from None


class Place(Struct, frozen=True, kw_only=True):
    """A matching line, counted from 1, the byte of the file where it begins, and that of the match in it."""

    line: int
    offset: int
    column: int


class FileMatches(Struct, frozen=True, kw_only=True):
    """A file with the number of its matching lines, and the first of them."""

    path: str
    count: int
    places: tuple[Place, ...] = ()


class Found(Struct, frozen=True, kw_only=True):
    """The files that match, in order, the paths whose names do, and what kept others from being searched.

    Only the first files have places.
    """

    files: tuple[FileMatches, ...] = ()
    names: tuple[str, ...] = ()
    unreadable: int = 0
    is_late: bool = False
    is_full: bool = False


class SearchLimits(Struct, frozen=True, kw_only=True):
    """How many files are searched for places, how many places are kept of each, and the time in seconds.

    The time starts when the limits are made.
    """

    files: int
    places: int
    seconds: float
    started: float = field(default_factory=time.monotonic)

    @property
    def search_ends(self) -> float:
        """When searching for lines ends, so that some time is left for places and names."""
        return self.started + _SEARCHING * self.seconds

    @property
    def ends(self) -> float:
        """When all ends, by `time.monotonic`."""
        return self.started + self.seconds

    @property
    def left(self) -> float:
        """The time that is left, in seconds."""
        return self.ends - time.monotonic()


def in_order(files: Iterable[FileMatches]) -> list[FileMatches]:
    """Return each file once, sorted by directories and names."""
    by_path: dict[str, FileMatches] = {}
    for file in files:
        by_path.setdefault(file.path, file)
    # As if by a list of names, which takes far longer to compare.
    return [by_path[path] for path in sorted(by_path, key=lambda it: it.replace("/", "\0"))]
