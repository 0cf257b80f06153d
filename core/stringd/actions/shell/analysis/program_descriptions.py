"""How the tables of programs are written down."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.actions.shell.analysis.argument_roles import Program, Role

DATA, CODE, SCRIPT, NAME = (Role.DATA,), (Role.CODE,), (Role.SCRIPT,), (Role.NAME,)
RUN, FILE = (Role.COMMAND,), (Role.SCRIPT, Role.DATA)


def each(letters: str, role: tuple[Role, ...] = DATA) -> Mapping[str, tuple[Role, ...]]:
    """Return the options of one letter each, with what their value is."""
    return {f"-{it}": role for it in letters}


def named(names: str, role: tuple[Role, ...] = CODE) -> Mapping[str, tuple[Role, ...]]:
    """Return the options of these names, with what their value is."""
    return dict.fromkeys(names.split(), role)


def language(code: str, operands: tuple[Role, ...] = DATA, flags: str = "", attached: str = "") -> Program:
    """Describe what runs a file, or the text behind one of some options, or its input."""
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
    """Describe what runs the command that it is given behind some operands."""
    operands = (*DATA * before, *RUN)
    return Program(options=each(letters), flags=flags, attached=attached, operands=operands, stops=True)


def lenient(code: str, operands: tuple[Role, ...] = DATA, *, stdin: bool = False) -> Program:
    """Describe what takes most options as data, and a few as code."""
    return Program(options=named(code), operands=operands, lenient=True, stdin=stdin)
