"""Track which texts may be names of variables, since bash arithmetic evaluates names recursively."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from stringd.actions.shell.analysis.data_flow import ARGUMENTS, DataFlow
from stringd.actions.shell.analysis.shell_syntax import (
    Expansion,
    Part,
    PlaceholderPart,
    Script,
    SimpleCommand,
    Substitution,
    Text,
    Word,
)
from stringd.actions.shell.analysis.value_constraints import ValueKind
from stringd.actions.shell.analysis.written_files import UNKNOWN

# The bracket stands for any subscript.
_SUBSCRIPT = "["
_NAMES = re.compile(r"[A-Za-z_]\w*|\[", re.ASCII)
_NUMBERS = frozenset("?#$!")
_DEFAULTS = frozenset({"-", ":-", "=", ":=", "?", ":?", "+", ":+"})
_SHORTENED = frozenset({"#", "##", "%", "%%"})
_COUNTING = frozenset({"wc", "nproc"})
_DATE = re.compile(r"\+(?:%[sYmdHMSjNuw])+")


class VariableNames:
    """Tells which variables a text may name; an unknown text may name any."""

    def __init__(self, flow: DataFlow) -> None:
        self._flow = flow

    def note(self, variable: str, words: Iterable[Word], *, is_added: bool = False) -> None:
        """Record what is assigned to a variable."""
        names = {it for word in words for it in self.of_parts(word.parts)}
        if is_added and names:
            names.add(UNKNOWN)
        if names:
            self._flow.names.setdefault(variable, set()).update(names)

    def of_parts(self, parts: Sequence[Part]) -> set[str]:
        """Return the names that may be in a text; numbers contain none."""
        text = Word(parts=tuple(parts)).literal
        if text is not None:
            return set(_NAMES.findall(text))
        filled = [it for it in parts if not isinstance(it, Text) or it.text]
        names = {name for it in filled for name in self.of_part(it)}
        return names | {UNKNOWN} if names and len(filled) > 1 else names

    def of_part(self, part: Part) -> set[str]:
        """Return the names that may be in a part of a text."""
        match part:
            case Text():
                return set(_NAMES.findall(part.text))
            case PlaceholderPart() if self._flow.kinds.kind_of(part) is ValueKind.WORDS:
                return set(_NAMES.findall(" ".join(self._flow.kinds.words[part.placeholder.name])))
            case Expansion():
                return self._of_expansion(part)
            case Substitution():
                return set() if _prints_number(part.script) else {UNKNOWN}
        return set()

    def _of_expansion(self, part: Expansion) -> set[str]:
        if part.prefix == "#" or part.name in _NUMBERS:
            return set()
        if part.prefix or part.name in {"", "-", "0"}:
            return {UNKNOWN}
        name = ARGUMENTS if part.name in {"@", "*"} or part.name.isdigit() else part.name
        names = {name} if self._flow.names.get(name) or name in self._flow.variables else set()
        if part.operator in _DEFAULTS:
            return names.union(*(self.of_parts(it.parts) for it in part.words))
        is_shortened = part.operator in _SHORTENED or (part.computed and not part.operator)
        if part.operator and not is_shortened:
            return {UNKNOWN}
        return names | {UNKNOWN} if names and is_shortened else names

    def value_named(self, part: Part) -> str | None:
        """Return the taint that a part brings into arithmetic, through the names in it."""
        names = self._reached(self.of_part(part))
        if UNKNOWN in names and (value := self._flow.tainted_parameter):
            return value
        return next((self._flow.variables[it] for it in sorted(names) if it in self._flow.variables), None)

    def may_be_subscripted(self, parts: Sequence[Part]) -> bool:
        """Return whether a text that names a variable may have a subscript."""
        return not {_SUBSCRIPT, UNKNOWN}.isdisjoint(self._reached(self.of_parts(parts)))

    def _reached(self, names: set[str]) -> set[str]:
        """Return the names, and all names reachable through the variables with these names."""
        reached, found = set[str](), names
        while found:
            reached |= found
            found = {it for name in found for it in self._flow.names.get(name, ())} - reached
        return reached


def _prints_number(script: Script) -> bool:
    """Return whether commands only print a number."""
    last = script[-1][-1] if len(script) == 1 else None
    if not isinstance(last, SimpleCommand) or not last.words:
        return False
    name, *arguments = (it.literal or "" for it in last.words)
    is_date = name == "date" and any(map(_DATE.fullmatch, arguments))
    return name in _COUNTING or is_date or (name == "grep" and "-c" in arguments)
