"""Analyse bash arithmetic, in which only integers are safe values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Protocol

from msgspec.structs import replace

from stringd.actions.shell.analysis import findings
from stringd.actions.shell.analysis.data_flow import DataFlow
from stringd.actions.shell.analysis.findings import Finding
from stringd.actions.shell.analysis.shell_syntax import (
    Arithmetic,
    Expansion,
    Part,
    PlaceholderPart,
    Substitution,
    Text,
    Word,
)
from stringd.actions.shell.analysis.value_constraints import Constraint
from stringd.actions.shell.analysis.variable_names import VariableNames

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_ENDS_IN_NAME = re.compile(r"\w\Z")
_BEGINS_NAME = re.compile(r"\w")
_NUMERIC = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_NAMING = frozenset({"-v", "-R"})


class ArithmeticContext(Protocol):
    """The analysis of a script, as that of its arithmetic uses it."""

    flow: DataFlow
    line: int
    constraints: dict[PlaceholderPart, Constraint]
    variable_names: VariableNames

    def inside(self, part: Part) -> None:
        """Analyse the commands and words inside a part of a word."""

    def report(self, finding: Finding) -> None:
        """Record a finding, once."""


class ArithmeticAnalysis:
    """Analyses arithmetic, variable names with subscripts, and the expansions that evaluate their value."""

    def __init__(self, taint: ArithmeticContext) -> None:
        self._judge = taint
        self._flow = taint.flow

    def text(self, parts: Iterable[Part]) -> None:
        """Analyse an arithmetic expression; bash evaluates the content of a variable in it recursively."""
        parts = [it for it in parts if not isinstance(it, Text) or it.text]
        for part in parts:
            self._report(self._value_in(part))
            self._report(self._judge.variable_names.value_named(part))
        for before, part in pairwise(parts):
            if self._is_joined(before, part):
                self._report(self._flow.tainted_parameter)

    def _is_joined(self, before: Part, part: Part) -> bool:
        """Return whether two adjacent parts may form one name that neither of them is."""
        if isinstance(before, Text) and not _ENDS_IN_NAME.search(before.text):
            return False
        if isinstance(part, Text) and not _BEGINS_NAME.match(part.text):
            return False
        return any(map(self._judge.variable_names.of_part, (before, part)))

    def _value_in(self, part: Part) -> str | None:
        """Analyse the inside of a part, and return the taint of what it adds to the expression."""
        match part:
            case PlaceholderPart():
                self._judge.constraints[part] = Constraint.WHOLE
            case Text():
                known = map(self._flow.variables.get, _IDENTIFIER.findall(part.text))
                return next(filter(None, known), None)
            case Arithmetic():
                self.text(part.parts)
            case Expansion():
                self._numbers_in(part)
                return self._flow.taint_of_parts((replace(part, words=()),))
            case Substitution():
                self._judge.inside(part)
                return self._flow.taint_of_parts((part,))
        return None

    def _numbers_in(self, part: Expansion) -> None:
        for word in part.words:
            self.text(word.parts)
        for computed in part.computed:
            self.text(computed.parts)
        self.expansion(part)

    def expansion(self, part: Expansion) -> None:
        """Analyse `${x@P}`, which evaluates prompts, and `${!x}`, which evaluates subscripts."""
        is_name = part.prefix == "!" and part.operator not in {"@", "*"}
        variable = Expansion(name=part.name, quoted=True)
        if part.operator == "@P" or is_name:
            self._report(self._flow.taint_of_parts((variable,)))
        if part.operator == "@P" or (is_name and self._judge.variable_names.may_be_subscripted((variable,))):
            self._report(self._flow.tainted_parameter)

    def condition(self, words: Sequence[Word]) -> None:
        """Analyse the operands of `[[ ]]` that are arithmetic or variable names."""
        if value := self._flow.taint_of_words(words):
            self._flow.variables.setdefault("BASH_REMATCH", value)
        for before, word in pairwise(words):
            if before.literal in _NUMERIC:
                self.text(word.parts)
            elif word.literal in _NUMERIC:
                self.text(before.parts)
            if before.literal in _NAMING:
                self.name(word, "[[")

    def name(self, word: Word, program: str) -> None:
        """Analyse a variable name, whose subscript is evaluated as arithmetic."""
        if value := self._flow.taint_of_words((word,)):
            self._judge.report(findings.evaluated(value, program, self._judge.line))
        elif word.literal is None and self._judge.variable_names.may_be_subscripted(word.parts):
            self._report(self._flow.tainted_parameter)
        elif "[" in word.lead:
            self.text(word.parts)

    def _report(self, value: str | None) -> None:
        if value:
            self._judge.report(findings.computed(value, self._judge.line))
