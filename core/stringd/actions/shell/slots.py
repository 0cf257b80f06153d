"""Where the values of a call stand in a command line, and what can't be proved of it.

No value becomes part of the text: it goes into the shell's environment, and the text refers to it in the way
that its place asks for. Where it would be evaluated all the same, by bash or by a program, nothing is run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from stringd.actions.shell.analysis import findings
from stringd.actions.shell.analysis.command_reader import CommandReader
from stringd.actions.shell.analysis.cursor import Piece
from stringd.actions.shell.analysis.data_flow import Flow
from stringd.actions.shell.analysis.findings import Unproved
from stringd.actions.shell.analysis.judge import judged
from stringd.actions.shell.analysis.syntax import Place, Unreadable
from stringd.actions.shell.analysis.value_kinds import Demand, Kinds
from stringd.documents.syntax.parameters import Parameter

# What is longer no author writes in a document, and it takes long to prove anything of it.
_LONGEST = 20_000
PREFIX = "_STRINGD_"
"""How the variables begin that hold the values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """A command line, taken apart: it may run if nothing in it is unproved."""

    pieces: tuple[Piece, ...]
    kinds: Kinds
    demands: Mapping[Place, Demand]
    vanishing: frozenset[Place]
    unproved: tuple[Unproved, ...]


@lru_cache(maxsize=512)
def read_command_line(command: str, parameters: tuple[Parameter, ...]) -> CommandLine:
    """Take a command line apart at the places for its values, and prove of each that it holds data."""
    kinds = Kinds.of(parameters)
    reader = CommandReader(command, kinds.by_name)
    try:
        script = reader.script()
    except Unreadable as error:
        # Without a place there is nothing to prove.
        names = [it.name for it in reader.slots_between(0, len(command))][:1]
        return _unproved(reader, kinds, *(findings.unseen(it, error.what, error.line) for it in names))
    if not reader.has_places:
        return _unproved(reader, kinds)
    if what := _strange(command):
        return _unproved(reader, kinds, findings.unseen(next(iter(kinds.by_name)), what, 0))
    judge = judged(script, Flow(kinds))
    return CommandLine(
        pieces=reader.pieces(),
        kinds=kinds,
        demands=judge.demands,
        vanishing=frozenset(judge.vanishing),
        unproved=tuple(judge.found),
    )


def _strange(command: str) -> str | None:
    """Say why nothing can be proved of a command, whatever its grammar."""
    if len(command) > _LONGEST:
        return f"the command is longer than {_LONGEST} characters"
    return f"names that begin with {PREFIX} are stringd's own" if PREFIX in command else None


def _unproved(reader: CommandReader, kinds: Kinds, *found: Unproved) -> CommandLine:
    return CommandLine(pieces=reader.pieces(), kinds=kinds, demands={}, vanishing=frozenset(), unproved=found)
