"""Helpers that describe programs for the tables."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.actions.shell.analysis.argument_roles import Program, Role

DATA, CODE, SCRIPT, NAME = (Role.DATA,), (Role.CODE,), (Role.SCRIPT,), (Role.NAME,)
RUN, FILE, OPENED = (Role.COMMAND,), (Role.SCRIPT, Role.DATA), (Role.OPENED,)


def each(letters: str, role: tuple[Role, ...] = DATA) -> Mapping[str, tuple[Role, ...]]:
    """Return one-letter options whose values have a role."""
    return {f"-{it}": role for it in letters}


def named(names: str, role: tuple[Role, ...] = CODE) -> Mapping[str, tuple[Role, ...]]:
    """Return named options whose values have a role."""
    return dict.fromkeys(names.split(), role)


def language(code: str, operands: tuple[Role, ...] = DATA, flags: str = "", attached: str = "") -> Program:
    """Describe an interpreter that runs a file, its input, or the value of one of its `code` options."""
    return Program(
        options={**named(code)},
        operands_after=dict.fromkeys(code.split(), operands),
        flags=flags,
        attached=attached,
        operands=FILE,
        stops=True,
        stdin=True,
    )


def prefix(letters: str = "", flags: str = "", attached: str = "", before: int = 0) -> Program:
    """Describe a program that runs the command after its own options and `before` operands."""
    operands = (*DATA * before, *RUN)
    return Program(options=each(letters), flags=flags, attached=attached, operands=operands, stops=True)


def lenient(
    code: str, operands: tuple[Role, ...] = DATA, *, scripts: str = "", stdin: bool = False
) -> Program:
    """Describe a program that takes the values of most options as data, of a few as code, or as its files."""
    options = {**named(code), **named(scripts, SCRIPT)}
    return Program(options=options, operands=operands, lenient=True, stdin=stdin)
