"""Analyse a command line with placeholders, to prove that no value is evaluated as code.

Values never become part of the text: each goes into a variable of the shell's environment, and the text
refers to that variable, quoted for its context. A command that bash or a program might still make evaluate a
value is not run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec import Struct

from stringd.actions.shell.analysis import findings
from stringd.actions.shell.analysis.command_reader import CommandReader
from stringd.actions.shell.analysis.data_flow import DataFlow
from stringd.actions.shell.analysis.findings import Finding
from stringd.actions.shell.analysis.shell_syntax import (
    NestedText,
    Piece,
    PlaceholderPart,
    SiblingFile,
    Unreadable,
)
from stringd.actions.shell.analysis.taint_analysis import analyse_taint
from stringd.actions.shell.analysis.value_constraints import Constraint, ParameterKinds
from stringd.documents.syntax.parameters import Parameter

# The analysis of longer commands would take too long.
_LONGEST = 20_000
PREFIX = "_STRINGD_"
"""The prefix of the variables that hold the values."""


class AnalysedCommand(Struct, frozen=True, kw_only=True):
    """An analysed command line; it may run if there are no findings."""

    pieces: tuple[Piece, ...]
    kinds: ParameterKinds
    constraints: Mapping[PlaceholderPart, Constraint]
    omittable: frozenset[PlaceholderPart]
    several: frozenset[PlaceholderPart]
    findings: tuple[Finding, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """The paths `./x` in the command, which may be files of the app, without the `./`."""
        return tuple(dict.fromkeys(_files(self.pieces)))


@lru_cache(maxsize=512)
def analyse_command(command: str, parameters: tuple[Parameter, ...]) -> AnalysedCommand:
    """Analyse a command line whose placeholders have these parameters."""
    kinds = ParameterKinds.of(parameters)
    reader = CommandReader(command, kinds.by_name, lists=kinds.lists)
    reason = _not_analysable(command)
    try:
        script = reader.script()
        # A command without placeholders may also name files of the package in nested commands.
        taint = None if reason else analyse_taint(script, DataFlow(kinds))
    except Unreadable as error:
        # Without placeholders there is nothing to prove.
        names = [it.name for it in reader.placeholders_between(0, len(command))][:1]
        return _without_analysis(
            reader, kinds, *(findings.not_analysable(it, error.what, error.line) for it in names)
        )
    if reason and reader.has_placeholders:
        return _without_analysis(reader, kinds, findings.not_analysable(next(iter(kinds.by_name)), reason, 0))
    if taint is None or not reader.has_placeholders:
        return _without_analysis(reader, kinds)
    return AnalysedCommand(
        pieces=reader.pieces(),
        kinds=kinds,
        constraints=taint.constraints,
        omittable=frozenset(taint.omittable),
        several=frozenset(taint.several),
        findings=tuple(taint.findings),
    )


def _files(pieces: Iterable[Piece]) -> Iterator[str]:
    for it in pieces:
        if isinstance(it, SiblingFile):
            yield it.path
        elif isinstance(it, NestedText):
            yield from _files(it.pieces)


def _not_analysable(command: str) -> str | None:
    """Return the reason for which a command cannot be analysed, whatever its grammar."""
    if len(command) > _LONGEST:
        return f"the command is longer than {_LONGEST} characters"
    return f"names that begin with {PREFIX} are stringd's own" if PREFIX in command else None


def _without_analysis(reader: CommandReader, kinds: ParameterKinds, *found: Finding) -> AnalysedCommand:
    return AnalysedCommand(
        pieces=reader.pieces(),
        kinds=kinds,
        constraints={},
        omittable=frozenset(),
        several=frozenset(),
        findings=found,
    )
