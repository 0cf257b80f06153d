"""Where a command line hands a value to something that evaluates it: the shell again, or another language.

The value arrives there as it is, so what it may do is the author's to answer for.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from stringd.actions.placeholders import Slot, find_slots

# A word that has begun and not ended, quoted or not.
_OPEN_WORD = r"""(?:'[^']*|"(?:[^"\\]|\\.)*|[^\s'";|&]*)\Z"""
_OPTIONS = r"(?:[ \t]+-[\w-]+)*?"
_CODE = re.compile(
    rf"(?:^|[\s;|&(/`])(?P<program>(?:ba|da|z|k)?sh|su|python[\d.]*|perl|ruby|node|php)"
    rf"{_OPTIONS}[ \t]+-\w*[cer][ \t]*{_OPEN_WORD}",
    re.DOTALL,
)
_SCRIPT = re.compile(rf"(?:^|[\s;|&(/`])(?P<program>[gmn]?awk|sed|jq){_OPTIONS}[ \t]+{_OPEN_WORD}", re.DOTALL)
_FED = re.compile(rf"(?:^|[\s;|&(/`])(?P<program>(?:ba|da|z|k)?sh)[ \t]*<<<[ \t]*{_OPEN_WORD}", re.DOTALL)
_WORD = r"""(?:[^\s'";|&]+|'[^']*'|"[^"]*")"""
_REMOTE = re.compile(rf"(?:^|[\s;|&(/`])(?P<program>ssh)(?:[ \t]+{_WORD})*[ \t]+{_OPEN_WORD}", re.DOTALL)
_BUILTIN = re.compile(
    r"(?:^|[\s;|&(])(?P<program>eval|trap|let|declare|typeset|local|readonly|unset)\b[^;|&\n]*\Z"
)
_COMPARED = re.compile(r"(?P<program>\[\[)(?:(?!\]\]).)*\Z", re.DOTALL)
_NUMERIC = re.compile(r"\s-(?:eq|ne|lt|le|gt|ge|v)\s")


def evaluated(command: str, names: Container[str]) -> Iterator[tuple[Slot, str]]:
    """Yield the places for values of these names that something evaluates, each with what does."""
    for slot in find_slots(command, names):
        program = _evaluator(command, slot)
        if program:
            yield slot, program


def _evaluator(command: str, slot: Slot) -> str | None:
    before = command[: slot.start]
    for pattern in (_CODE, _SCRIPT, _FED, _REMOTE, _BUILTIN):
        if found := pattern.search(before):
            return found["program"]
    test = _COMPARED.search(before)
    if test and _NUMERIC.search(command[test.start() :].partition("]]")[0]):
        return test["program"]
    return None
