"""What the parts of the analysis of a command line use of one another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from stringd.actions.shell.analysis.argument_roles import ArgumentUse, ArgumentUses, Program
from stringd.actions.shell.analysis.arithmetic import ArithmeticAnalysis, ArithmeticContext
from stringd.actions.shell.analysis.data_flow import DataFlow
from stringd.actions.shell.analysis.shell_syntax import Part, Piece, Word


class CommandContext(ArithmeticContext, Protocol):
    """The analysis of a script, as that of its commands uses it."""

    arithmetic: ArithmeticAnalysis

    def assign(self, variable: str, name: str) -> None:
        """Record that a variable may hold the value of a parameter."""

    def is_omittable(self, word: Word) -> bool:
        """Return whether a word may be left out."""

    def declared_only(self, parts: Iterable[Part]) -> bool:
        """Return whether all values in a text are numbers or declared words, which are safe in code."""

    def inner(self, text: str, program: str, positional: str | None, *, is_own: bool) -> tuple[Piece, ...]:
        """Analyse commands in a literal text, which run in this shell (`is_own`) or in a new one.

        Return the text as pieces, which name files of the package.
        """


class ScriptContext(Protocol):
    """The analysis of the files that a command evaluates, as that of special commands uses it."""

    def script(self, word: Word, program: str) -> None:
        """Analyse the name of a file that a program evaluates."""


class ArgumentContext(Protocol):
    """The analysis of arguments, as that of special commands uses it."""

    taint: CommandContext
    flow: DataFlow

    @property
    def scripts(self) -> ScriptContext:
        """The analysis of the files that the commands evaluate."""

    def command(self, words: Sequence[Word], stdin: str | None) -> None:
        """Analyse a command whose input may be tainted."""

    def positional(self, arguments: Sequence[Word]) -> None:
        """Record the positional parameters that a function call or `set` defines."""

    def uses(self, program: Program, arguments: Sequence[Word]) -> ArgumentUses:
        """Classify the arguments of a program."""

    def use(self, program: str, use: ArgumentUse, value: str | None) -> None:
        """Analyse an argument in all its possible roles; `value` is the taint of the arguments after it."""

    def program(self, name: str, program: Program, arguments: Sequence[Word], stdin: str | None) -> None:
        """Analyse the arguments of a program in the table."""

    def following(self, name: str, uses: ArgumentUses, stdin: str | None) -> None:
        """Analyse the command that a program runs."""

    def code(self, word: Word, program: str) -> None:
        """Analyse a text that a program evaluates."""

    def shell(self, word: Word, program: str, positional: str | None, *, is_own: bool = False) -> None:
        """Analyse shell commands in a text, which run in this shell or in one with its own arguments."""

    def operand(self, word: Word, program: str) -> None:
        """Analyse an operand that the program might take for an option, depending on its value."""
