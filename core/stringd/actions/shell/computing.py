"""Judges what bash computes with: whole numbers may stand there, and nothing else of a value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from stringd.actions.shell import findings
from stringd.actions.shell.kinds import Demand
from stringd.actions.shell.syntax import Computed, Expansion, Output, Part, Place, Text, Word

if TYPE_CHECKING:
    from stringd.actions.shell.judge import Judge

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_ENDS_IN_NAME = re.compile(r"\w\Z")
_NUMERIC = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_NAMING = frozenset({"-v", "-R"})


class Computing:
    """Judges arithmetic, the names of variables, which have subscripts, and what `${ }` evaluates."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._flow = judge.flow

    def text(self, parts: Iterable[Part]) -> None:
        """Judge a text that bash computes with: a variable in it is computed as well."""
        is_name = False
        for part in parts:
            self._find(self._value_in(part))
            # A name and a number behind it are another name.
            if is_name and isinstance(part, Place):
                self._find(self._flow.any_value)
            is_name = isinstance(part, Text) and bool(_ENDS_IN_NAME.search(part.text))

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
        if part.operator == "@P" or is_name:
            self._find(self._flow.in_parts((Expansion(name=part.name, quoted=True),)))

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
        elif "[" in word.lead:
            self.text(word.parts)

    def _find(self, value: str | None) -> None:
        if value:
            self._judge.find(findings.computed(value, self._judge.line))
