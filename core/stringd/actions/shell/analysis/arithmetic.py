"""Judges what bash computes with: whole numbers may stand there, and nothing else of a value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from stringd.actions.shell.analysis import findings
from stringd.actions.shell.analysis.syntax import Computed, Expansion, Output, Part, Place, Text, Word
from stringd.actions.shell.analysis.value_kinds import Demand

if TYPE_CHECKING:
    from stringd.actions.shell.analysis.judge import Judge

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_ENDS_IN_NAME = re.compile(r"\w\Z")
_BEGINS_NAME = re.compile(r"\w")
_NUMERIC = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_NAMING = frozenset({"-v", "-R"})


class Computing:
    """Judges arithmetic, the names of variables, which have subscripts, and what `${ }` evaluates."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._flow = judge.flow

    def text(self, parts: Iterable[Part]) -> None:
        """Judge a text that bash computes with: a variable in it is computed as well."""
        parts = [it for it in parts if not isinstance(it, Text) or it.text]
        for part in parts:
            self._find(self._value_in(part))
            self._find(self._judge.naming.value_named(part))
        for before, part in pairwise(parts):
            if self._is_joined(before, part):
                self._find(self._flow.any_value)

    def _is_joined(self, before: Part, part: Part) -> bool:
        """Whether two parts may be one name: a name and a number behind it are another."""
        if isinstance(before, Text) and not _ENDS_IN_NAME.search(before.text):
            return False
        if isinstance(part, Text) and not _BEGINS_NAME.match(part.text):
            return False
        return any(map(self._judge.naming.of_part, (before, part)))

    def _value_in(self, part: Part) -> str | None:
        """Judge what is inside of a part; return whose value it may bring into the text."""
        match part:
            case Place():
                self._judge.demands[part] = Demand.WHOLE
            case Text():
                known = map(self._flow.variables.get, _IDENTIFIER.findall(part.text))
                return next(filter(None, known), None)
            case Computed():
                self.text(part.parts)
            case Expansion():
                self._numbers_in(part)
                return self._flow.in_parts((replace(part, words=()),))
            case Output():
                self._judge.inside(part)
                return self._flow.in_parts((part,))
        return None

    def _numbers_in(self, part: Expansion) -> None:
        for word in part.words:
            self.text(word.parts)
        for computed in part.computed:
            self.text(computed.parts)
        self.expansion(part)

    def expansion(self, part: Expansion) -> None:
        """Judge `${x@P}`, which runs what a prompt may hold, and `${!x}`, which computes subscripts."""
        is_name = part.prefix == "!" and part.operator not in {"@", "*"}
        variable = Expansion(name=part.name, quoted=True)
        if part.operator == "@P" or is_name:
            self._find(self._flow.in_parts((variable,)))
        if part.operator == "@P" or (is_name and self._judge.naming.may_be_subscripted((variable,))):
            self._find(self._flow.any_value)

    def condition(self, words: Sequence[Word]) -> None:
        """Judge the operands in `[[ ]]` that are computed, and those that name variables."""
        if value := self._flow.in_words(words):
            self._flow.variables.setdefault("BASH_REMATCH", value)
        for before, word in pairwise(words):
            if before.static in _NUMERIC:
                self.text(word.parts)
            elif word.static in _NUMERIC:
                self.text(before.parts)
            if before.static in _NAMING:
                self.name(word, "[[")

    def name(self, word: Word, program: str) -> None:
        """Judge a word that is the name of a variable; its subscript is computed."""
        if value := self._flow.in_words((word,)):
            self._judge.find(findings.evaluated(value, program, self._judge.line))
        elif word.static is None and self._judge.naming.may_be_subscripted(word.parts):
            self._find(self._flow.any_value)
        elif "[" in word.lead:
            self.text(word.parts)

    def _find(self, value: str | None) -> None:
        if value:
            self._judge.find(findings.computed(value, self._judge.line))
