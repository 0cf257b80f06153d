"""Where the values of a call may be while a command line runs: in which words, variables and outputs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sized

from stringd.actions.shell.analysis.syntax import (
    Arithmetic,
    Assignment,
    Command,
    CompoundCommand,
    Expansion,
    Part,
    PlaceholderPart,
    Redirect,
    Script,
    SimpleCommand,
    Substitution,
    Text,
    Word,
)
from stringd.actions.shell.analysis.value_constraints import ParameterKinds, ValueKind

# What these print holds every variable, so also those that hold a value.
_PRINTING_VARIABLES = frozenset(
    [
        "env",
        "printenv",
        "set",
        "export",
        "declare",
        "typeset",
        "readonly",
        "local",
        "compgen",
        "eval",
        "source",
        ".",
        "sh",
        "bash",
        "dash",
        "zsh",
        "ksh",
    ]
)
_POSITIONAL = frozenset("@*123456789")
# What stands for the arguments, and for a text of which nothing is known, among the names of variables.
ARGUMENTS = "@"
UNKNOWN = ""


class DataFlow:
    """What is known of a command line's variables, wherever in it they are set.

    A value is told by the name of its parameter. What is learned stays, so that reading the commands again
    until nothing is added finds every way that a value can go.
    """

    def __init__(self, kinds: ParameterKinds) -> None:
        self.kinds = kinds
        self.variables: dict[str, str] = {}
        self.positional: str | None = None
        self.integers: set[str] = set()
        self.arrays: set[str] = set()
        self.functions: set[str] = set()
        self.files: dict[str, str] = {}
        """The files that a value was written to, as the command line writes their names."""
        self.received: str | None = None
        """Whose value may be in the input of a function."""
        self.names: dict[str, set[str]] = {}
        """The names that may be in the text of a variable, as `naming` tells them."""
        self.stdin: str | None = None
        """Whose value may be in the input that `exec` has set."""
        self.input: str | None = None
        """Whose value may be in the input of the command that is judged."""
        self.has_unknown_declarations = False
        """Whether there are declarations that can't be seen."""

    def known(self) -> tuple[object, ...]:
        """Return how much is known, to see whether more was learned."""
        sizes = (len(it) for it in self._collections())
        names = sum(map(len, self.names.values()))
        return (*sizes, names, self.positional, self.stdin, self.received, self.has_unknown_declarations)

    def _collections(self) -> Iterator[Sized]:
        yield from (self.variables, self.integers, self.arrays, self.functions, self.files)

    @property
    def tainted_parameter(self) -> str | None:
        """The parameter of some value that a variable holds, if one does."""
        return self.positional or next((it for name, it in self.variables.items() if name != "_"), None)

    @property
    def text_parameter(self) -> str | None:
        """A parameter that takes any text, if there is one."""
        kinds = self.kinds.by_name
        return next((name for name in kinds if kinds[name] is not ValueKind.NUMBER), None)

    def inherited(self, positional: str | None) -> DataFlow:
        """Return what another shell knows: the variables, which may be exported, and its arguments."""
        flow = DataFlow(self.kinds)
        flow.variables = dict(self.variables)
        flow.files = dict(self.files)
        flow.names = {**self.names, ARGUMENTS: {UNKNOWN}}
        flow.positional = positional
        return flow

    def taint_of_words(self, words: Iterable[Word]) -> str | None:
        """Return whose value may be in some words."""
        return next((name for word in words if (name := self.taint_of_parts(word.parts))), None)

    def taint_of_parts(self, parts: Iterable[Part]) -> str | None:
        """Return whose value may be in the parts of a word."""
        return next((name for part in parts if (name := self._taint_of_part(part))), None)

    def taint_of_script(self, script: Script) -> str | None:
        """Return whose value some commands may print."""
        commands = (command for pipeline in script for command in pipeline)
        return next((name for it in commands if (name := self.taint_of_command(it))), None)

    def taint_of_command(self, command: Command) -> str | None:
        """Return whose value a command may print: any that is handed to it in any way."""
        if isinstance(command, SimpleCommand) and command.words and self._prints_variables(command.words[0]):
            return self.text_parameter
        scripts = command.scripts if isinstance(command, CompoundCommand) else ()
        inside = next((name for it in scripts if (name := self.taint_of_script(it))), None)
        return inside or self.taint_of_words(_words(command)) or self._taint_of_files(command)

    def _taint_of_files(self, command: Command) -> str | None:
        """Return whose value is in a file that a command names and may read."""
        words = command.words if isinstance(command, SimpleCommand) else ()
        read = (it.target for it in command.redirects if it.operator == "<")
        return next(filter(None, map(self.taint_of_file, (*words, *read))), None)

    def taint_of_file(self, word: Word) -> str | None:
        """Return whose value was written to the file of this name."""
        name = _file_name(word)
        return self.files.get(name) if name else None

    def write(self, word: Word, name: str) -> None:
        """Note that a value may be in the file of this name."""
        if file := _file_name(word):
            self.files.setdefault(file, name)

    def _prints_variables(self, word: Word) -> bool:
        """Whether a command may print what it was not given."""
        name = (word.literal or "").rpartition("/")[2]
        return (
            name in _PRINTING_VARIABLES
            or name in self.functions
            or (name == "pwd" and "PWD" in self.variables)
        )

    def _taint_of_part(self, part: Part) -> str | None:
        match part:
            case PlaceholderPart():
                return None if self.kinds.kind_of(part) is ValueKind.NUMBER else part.placeholder.name
            case Expansion():
                return self._taint_of_expansion(part)
            case Substitution():
                return None if self._counts(part) else self.taint_of_script(part.script) or self.input
        return None

    def _counts(self, part: Substitution) -> bool:
        """Whether commands print nothing but how much they read: `wc` names no file that it was not given."""
        last = part.script[-1][-1] if len(part.script) == 1 and not part.is_file else None
        if not isinstance(last, SimpleCommand) or last.assignments or "wc" in self.functions:
            return False
        name, *options = [it.literal or "" for it in last.words] or [""]
        is_read = all(it.operator in {"<", "<<<"} for it in last.redirects)
        return name == "wc" and is_read and all(re.fullmatch(r"-[clmwL]+", it) for it in options)

    def _taint_of_expansion(self, part: Expansion) -> str | None:
        if part.prefix == "#":
            return None
        inside = self.taint_of_words(part.words)
        # The name of a variable in a variable may be any.
        if inside or part.prefix == "!":
            return inside or self.tainted_parameter
        if part.name in _POSITIONAL or part.name.isdigit():
            return self.positional
        return self.variables.get(part.name)


def _file_name(word: Word) -> str | None:
    """Return the text that names a file, with its variables; the same text names the same file."""
    pieces = []
    for part in word.parts:
        if isinstance(part, Text):
            pieces.append(part.text)
        elif isinstance(part, Expansion) and not (part.prefix or part.operator or part.computed):
            pieces.append(f"${{{part.name}}}")
        else:
            return None
    name = "".join(pieces).removeprefix("./")
    return None if name.startswith(("/dev/", "/proc/")) else name


def _words(command: Command) -> Iterator[Word]:
    yield from command.words
    yield from _redirected(command.redirects)
    if isinstance(command, SimpleCommand):
        for it in (*command.assignments, *command.declared):
            yield from assigned_words(it)


def _redirected(redirects: Iterable[Redirect]) -> Iterator[Word]:
    for it in redirects:
        yield it.target
        yield from it.lines


def assigned_words(assignment: Assignment) -> Iterator[Word]:
    """Yield what is assigned."""
    yield assignment.value
    for element in assignment.elements or ():
        yield element.value


def computed_of(parts: Iterable[Part]) -> Iterator[Arithmetic]:
    """Yield what is computed in the parts of a word."""
    for part in parts:
        if isinstance(part, Arithmetic):
            yield part
        elif isinstance(part, Expansion):
            yield from part.computed
