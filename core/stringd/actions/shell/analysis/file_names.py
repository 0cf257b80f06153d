"""Tell which words of a command line may name the same file."""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import TypeGuard

from msgspec import Struct

from stringd.actions.shell.analysis.shell_syntax import Expansion, Part, Text, Word

_UNKNOWN = "\0"
_ANY = "*"
# It stands for text that is written in another way: in braces, or with escapes.
_ENCODED = "{"
_WILD = re.compile(r"[*?]")
_BETWEEN = re.compile(rf"{_UNKNOWN}.*{_UNKNOWN}", re.DOTALL)
_BRACKETS = re.compile(r"\[.*", re.DOTALL)
_BRACES = re.compile(r"[{}]")
# Devices and descriptors, which hold nothing that is evaluated later.
_NAMELESS = re.compile(r"/dev/(?!shm/|.*\.\./)|/proc/(?:self|\d+)/fd/\d+\Z", re.DOTALL)
# Below /proc, only the folders of a process lead to files that have other names as well.
_INPUT = re.compile(
    r"/+dev/+(?!null\Z|shm/)|/+proc/+(?!(?:self|thread-self|\d+)/+(?:cwd|root)/)"
    r"|(?:.*/)?(?:dev/+(?:stdin|fd/)|proc/+(?:self|thread-self|\d+)/+fd/)",
    re.DOTALL,
)
_WORDS = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_VARIABLE = re.compile(r"[A-Za-z_]\w*|[$?!#-]", re.ASCII)


class FileName(Struct, frozen=True, kw_only=True):
    """What a word tells of the file that it names: its text, and the last part of the path.

    Only last parts are compared: `cd`, links and copies change what comes before. `last` is a pattern if the
    word is a glob, or if it holds more than literal text: that of `variables`, or what nothing is known of.
    """

    text: str | None
    last: str
    is_composed: bool
    variables: tuple[str, ...]

    @property
    def is_pattern(self) -> bool:
        """Whether the name may be that of several files."""
        return _WILD.search(self.last) is not None

    @property
    def is_unknown(self) -> bool:
        """Whether nothing of the name is literal, not even in braces or with escapes."""
        return self.is_composed and self.last == _ANY and _ENCODED not in self.variables

    def has_text_of(self, other: FileName) -> bool:
        """Return whether both names are the same text."""
        return self.text is not None and self.text == other.text


def file_name(word: Word, is_set: Callable[[str], bool]) -> FileName | None:
    """Return what a word tells of a file; `is_set` are variables that the command line itself sets."""
    path = _BETWEEN.sub(_UNKNOWN, "".join(_shown(it, is_set) for it in word.parts))
    last = path.rpartition("/")[2]
    if last in {"", "["} or _NAMELESS.match(path):
        return None
    return FileName(
        text=_text(word),
        last=_BRACKETS.sub(_ANY, last.replace(_UNKNOWN, _ANY)).casefold(),
        is_composed=_UNKNOWN in last,
        variables=tuple(map(_variable, filter(_is_open, word.parts))),
    )


def names_input(word: Word) -> bool:
    """Return whether a word, where a program takes a file name, may be its input."""
    return word.literal == "-" or _INPUT.match(word.lead) is not None


def may_match(one: str, other: str) -> bool:
    """Return whether two patterns may match the same name."""
    if _WILD.search(one) and _WILD.search(other):
        ends = [re.split(r"[*?]", it)[-1] for it in (one, other)]
        return ends[0].endswith(ends[1]) or ends[1].endswith(ends[0])
    return fnmatchcase(one, other) or fnmatchcase(other, one)


def words_of(last: str) -> set[str]:
    """Return the words in a name, as they may stand in the text of a variable."""
    return set(_WORDS.findall(last.casefold()))


def _variable(part: Part) -> str:
    if isinstance(part, Expansion):
        return part.name or _ENCODED
    return _ENCODED if isinstance(part, Text) else ""


def _is_open(part: Part) -> bool:
    return not isinstance(part, Text) or _is_brace(part)


def _is_brace(part: Text) -> bool:
    return not part.quoted and _BRACES.search(part.text) is not None


def _shown(part: Part, is_set: Callable[[str], bool]) -> str:
    """Return the text of a part, if only the environment can give it another one."""
    if isinstance(part, Text):
        return _UNKNOWN if _is_brace(part) else part.text
    if _is_plain(part) and _VARIABLE.fullmatch(part.name) and not is_set(part.name):
        return f"${part.name}"
    return _UNKNOWN


def _text(word: Word) -> str | None:
    """Return the text that names a file, with variables unexpanded; equal texts name the same file."""
    pieces = []
    for part in word.parts:
        if isinstance(part, Text):
            pieces.append(part.text)
        elif _is_plain(part):
            pieces.append(f"${{{part.name}}}")
        else:
            return None
    return "".join(pieces).removeprefix("./")


def _is_plain(part: Part) -> TypeGuard[Expansion]:
    return isinstance(part, Expansion) and not (part.prefix or part.operator or part.computed)
