"""How bash reads the parts of a command line, as far as it matters to what stands there for a value."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

_WORD_START = r"(?<![^\s;|&()<>`])"
_WORD_END = r"(?=[\s;|&()<>`]|\Z)"
# A name with a subscript that is assigned to: `a[{i}]=1`. A slot's own brackets do not end it.
_SUBSCRIPT = rf"{_WORD_START}\w+\[(?=(?:\{{\w+(?:\[\d+\])?\}}|[^\s\]])*\]\+?=)"
# `${a[1]}` and `${a:1:2}` compute; `${a#x}`, `${a/x/y}` and the like match.
_COMPUTING = r"\$\{[!#]?(?:\w+|[@*])(?:\[|:(?![-=+?]))"
_MATCHING = r"\$\{(?:\w+|[@*])[#%/^,]"
_BACKTICKS = r"(?P<backticks>`(?:[^`\\]|\\.)*`)"
_ESCAPE = r"(?P<escape>\\.)"
_SIBLING = (
    rf"""(?P<sibling>{_WORD_START}(?:\./(?P<bare>[^\s;|&()<>'"$`\\{{}}*?\[]+)"""
    rf"""|"\./(?P<double>[^"$`\\{{}}]+)"|'\./(?P<single>[^'{{}}]+)'){_WORD_END})"""
)
_DELIMITER = r"""(?P<delimiter>(?:\\.|'[^'\n]*'|"[^"\n]*"|[^\s;|&()<>'"\\])+)"""
_HEREDOC = rf"(?P<heredoc><<(?P<tabs>-?)[ \t]*{_DELIMITER})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One way of reading a text: what goes before and after a reference there, and what is special.

    In a `numeric` one the text is computed with, so that nothing but a number may stand there.
    """

    before: str = ""
    after: str = ""
    special: tuple[str, ...] = ()
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """A reading that goes on until its closer."""

    reading: Reading
    closer: str


Openers: TypeAlias = Sequence[tuple[str, tuple[Frame, ...]]]

COMMAND = Reading(
    before='"',
    after='"',
    special=(
        _ESCAPE,
        rf"(?P<comment>{_WORD_START}\#[^\n]*)",
        _SIBLING,
        r"<<<",
        _HEREDOC,
        r"(?P<newline>\n)",
        rf"(?P<case>{_WORD_START}case{_WORD_END})",
        _BACKTICKS,
    ),
)
# The word of `${x:-word}`: like a command's, but there are no comments and no programs in it.
WORD = Reading(before='"', after='"', special=(_ESCAPE, _BACKTICKS))
DOUBLE = Reading(special=(r'(?P<escape>\\[$`"\\\n])', _BACKTICKS))
SINGLE = Reading(before="'\"", after="\"'")
ANSI = Reading(before="'\"", after="\"$'", special=(_ESCAPE,))
ARITHMETIC = Reading(special=(_ESCAPE, _BACKTICKS), numeric=True)
# The lines of a heredoc: those that the shell expands, and those that it takes as they are.
EXPANDED = Reading(special=(r"(?P<escape>\\[$`\\\n])", _BACKTICKS))
LITERAL = Reading()

_PARENTHESIS = Frame(ARITHMETIC, ")")
_SUBSTITUTIONS: Openers = [
    (r"\$\(\(", (_PARENTHESIS, _PARENTHESIS)),
    (r"\$\[", (Frame(ARITHMETIC, "]"),)),
    (r"\$\(", (Frame(COMMAND, ")"),)),
    (_COMPUTING, (Frame(ARITHMETIC, "}"),)),
]
_IN_WORD: Openers = [
    *_SUBSTITUTIONS,
    (r"\$\{", (Frame(WORD, "}"),)),
    (r"\$'", (Frame(ANSI, "'"),)),
    (r"'", (Frame(SINGLE, "'"),)),
    (r'"', (Frame(DOUBLE, '"'),)),
]
_IN_DOUBLE: Openers = [
    *_SUBSTITUTIONS,
    (_MATCHING, (Frame(WORD, "}"),)),
    (r"\$\{", (Frame(DOUBLE, "}"),)),
]
OPENERS: Mapping[Reading, Openers] = {
    COMMAND: [
        *_IN_WORD,
        (r"\(\(", (_PARENTHESIS, _PARENTHESIS)),
        (r"\(", (Frame(COMMAND, ")"),)),
        (_SUBSCRIPT, (Frame(ARITHMETIC, "]"),)),
    ],
    WORD: _IN_WORD,
    DOUBLE: [*_IN_DOUBLE, (r'"', (Frame(DOUBLE, '"'),))],
    SINGLE: [],
    ANSI: [],
    ARITHMETIC: [
        *_SUBSTITUTIONS,
        (r"\$\{", (Frame(ARITHMETIC, "}"),)),
        (r"\(", (_PARENTHESIS,)),
        (r"\[", (Frame(ARITHMETIC, "]"),)),
    ],
    EXPANDED: _IN_DOUBLE,
    LITERAL: [],
}
_CLOSERS = rf"[\"')}}\]]|{_WORD_START}esac{_WORD_END}"


def _pattern(reading: Reading, openers: Openers) -> re.Pattern[str]:
    numbered = (f"(?P<o{number}>{opener})" for number, (opener, _) in enumerate(openers))
    return re.compile("|".join((*reading.special, *numbered, _CLOSERS)), re.DOTALL)


# What finds the next stretch that means something; a reading's openers are the groups `o0`, `o1` and so on.
PATTERNS = {reading: _pattern(reading, openers) for reading, openers in OPENERS.items()}


def opened_by(token: re.Match[str], reading: Reading) -> tuple[Frame, ...]:
    """Return the frames that a stretch of text begins, if it begins any."""
    group = token.lastgroup or ""
    number = group.removeprefix("o")
    return OPENERS[reading][int(number)][1] if number.isdigit() else ()
