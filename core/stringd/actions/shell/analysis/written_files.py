"""Which arguments of a command name the files that it reads or writes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from stringd.actions.shell.analysis.shell_syntax import Text, Word

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
    first = word.parts[0] if word.parts else None
    if not isinstance(first, Text) or not (found := prefix.match(first.text)):
        return word
    return Word(parts=(replace(first, text=first.text[found.end() :]), *word.parts[1:]))
