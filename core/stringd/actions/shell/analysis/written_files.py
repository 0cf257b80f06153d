"""Which arguments name the files that a command reads or writes, and which of these hold a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from stringd.actions.shell.analysis.file_names import FileName, may_match, words_of
from stringd.actions.shell.analysis.shell_syntax import Unreadable, Word

# The words in the texts of some variables, with `UNKNOWN` for texts that are not known.
WordsIn: TypeAlias = Callable[[Iterable[str]], set[str]]
UNKNOWN = ""
# Each file that is evaluated is compared with all of them.
_MOST_FILES = 50
_WRITING_ALL = frozenset({"tee", "sponge"})
_WRITING_LAST = frozenset({"cp", "mv", "ln", "install"})
_FOLDERS = frozenset({".", ".."})
_BEFORE_NAME = re.compile(r"-[A-Za-z]*[oO]|--output(?:-document)?")
_OUTPUT = re.compile(r"(?:of|--output(?:-document)?)=|-[oO](?=.)")
_INPUT = re.compile(r"if=")


def written_by(name: str, arguments: Sequence[Word]) -> Iterator[Word]:
    """Yield the names of the files that a program may write."""
    if name in _WRITING_ALL:
        yield from arguments
    if name in _WRITING_LAST and arguments and arguments[-1].literal not in _FOLDERS:
        yield arguments[-1]
    for before, word in pairwise(arguments):
        if _BEFORE_NAME.fullmatch(before.literal or ""):
            yield word
    yield from (it for word in arguments if (it := _without(_OUTPUT, word)) is not word)


def read_by(arguments: Sequence[Word]) -> Iterator[Word]:
    """Yield the names of the files that a program may read."""
    return (_without(_INPUT, it) for it in arguments)


def _without(prefix: re.Pattern[str], word: Word) -> Word:
    found = prefix.match(word.lead)
    return word.after(found.end()) if found else word


class WrittenFiles:
    """The files that a value was written to."""

    def __init__(self) -> None:
        self._taints: dict[FileName, str] = {}

    def __len__(self) -> int:
        return len(self._taints)

    def write(self, file: FileName, taint: str) -> None:
        """Record that a file may hold a value; raise if there are too many of them."""
        self._taints.setdefault(file, taint)
        if len(self._taints) > _MOST_FILES:
            raise Unreadable(f"values are written to more than {_MOST_FILES} files", line=0)

    def read(self, file: FileName, words_in: WordsIn, *, is_glob: bool) -> str | None:
        """Return the taint of a file that is read: one whose name tells which file it is."""
        is_fixed = not file.is_composed and (is_glob or not file.is_pattern)
        return self._first(lambda it: it.has_text_of(file) or (is_fixed and _may_be(it, file.last, words_in)))

    def evaluated(self, file: FileName, words_in: WordsIn) -> str | None:
        """Return the taint of a file that is evaluated: of any that it may be."""
        known = words_in(file.variables) | words_of(file.last) if file.is_composed else {UNKNOWN}

        def is_other(written: FileName) -> bool:
            words = words_of(written.last)
            if written.is_composed:
                return known.isdisjoint(words | words_in(written.variables))
            return not words <= known

        def is_meant(written: FileName) -> bool:
            if UNKNOWN not in known and is_other(written):
                return False
            return _may_be(written, file.last, words_in)

        return self._first(lambda it: it.has_text_of(file) or is_meant(it))

    def found(self, patterns: Iterable[str], words_in: WordsIn) -> str | None:
        """Return the taint of the files that have one of these names."""
        return self._first(lambda it: any(_may_be(it, pattern, words_in) for pattern in patterns))

    def _first(self, is_meant: Callable[[FileName], bool]) -> str | None:
        return next((taint for file, taint in self._taints.items() if is_meant(file)), None)


def _may_be(written: FileName, last: str, words_in: WordsIn) -> bool:
    """Return whether a written file may have a name.

    A name of which nothing is known, such as that of `mktemp`, is none that is written out elsewhere.
    """
    if written.is_unknown and last.strip("*"):
        words = words_of(last)
        return bool(words) and words <= words_in(written.variables)
    return may_match(written.last, last)
