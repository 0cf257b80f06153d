"""Track where the values of a call may flow in a command line: words, variables, files and outputs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Sized

from stringd.actions.shell.analysis.file_names import file_name
from stringd.actions.shell.analysis.shell_syntax import (
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
from stringd.actions.shell.analysis.written_files import UNKNOWN, WrittenFiles

# The output of these commands can contain any variable, so also tainted ones.
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
# The key for the positional parameters among the names of variables.
ARGUMENTS = "@"
_GLOB = re.compile(r"[*?\[{]")
# The words of /dev/stdin, /dev/fd/0 and /proc/self/fd/0 that other names lack.
_INPUT = frozenset({"stdin", "fd"})


class DataFlow:
    """What is known of a command line's variables, wherever in it they are set.

    A taint is the name of the parameter that a value belongs to. Knowledge is only ever added, so analysing
    the commands repeatedly until nothing changes finds all possible flows.
    """

    def __init__(self, kinds: ParameterKinds) -> None:
        self.kinds = kinds
        self.variables: dict[str, str] = {}
        self.positional: str | None = None
        self.integers: set[str] = set()
        self.arrays: set[str] = set()
        self.functions: set[str] = set()
        self.assigned: set[str] = set()
        """The variables that the command line itself sets."""
        self.matched: set[str] = set()
        """The variables that may hold the names of matching files."""
        self.dashes: set[str] = set()
        """The variables that may hold `-`, which names the input."""
        self.files = WrittenFiles()
        """The files that a value was written to."""
        self.received: str | None = None
        """The taint of the input of functions."""
        self.names: dict[str, set[str]] = {}
        """The variable names that may be in the text of a variable, as recorded by `VariableNames`."""
        self.stdin: str | None = None
        """The taint of the input that `exec` has redirected."""
        self.input: str | None = None
        """The taint of the input of the current command."""
        self.depth = 0
        """In how many other commands the current one is nested, as a text."""
        self.has_unknown_declarations = False
        """Whether a declaration is not visible to the analysis."""

    def known(self) -> tuple[object, ...]:
        """Return a measure of the knowledge, which changes whenever something is learned."""
        sizes = (len(it) for it in self._collections())
        names = sum(map(len, self.names.values()))
        return (*sizes, names, self.positional, self.stdin, self.received, self.has_unknown_declarations)

    def _collections(self) -> Iterator[Sized]:
        yield from (self.variables, self.integers, self.arrays, self.functions, self.files)
        yield from (self.assigned, self.matched, self.dashes)

    @property
    def tainted_parameter(self) -> str | None:
        """The taint of any tainted variable, if there is one."""
        return self.positional or next((it for name, it in self.variables.items() if name != "_"), None)

    @property
    def text_parameter(self) -> str | None:
        """A parameter that accepts any text, if there is one."""
        kinds = self.kinds.by_name
        return next((name for name in kinds if kinds[name] is not ValueKind.NUMBER), None)

    def inherited(self, positional: str | None) -> DataFlow:
        """Return the knowledge that applies in a subshell: the exported variables, and its arguments."""
        flow = DataFlow(self.kinds)
        flow.variables = dict(self.variables)
        flow.files, flow.assigned = self.files, set(self.assigned)
        flow.matched, flow.dashes = set(self.matched), set(self.dashes)
        flow.names = {**self.names, ARGUMENTS: {UNKNOWN}}
        flow.positional = positional
        return flow

    def taint_of_words(self, words: Iterable[Word]) -> str | None:
        """Return the taint of some words."""
        return next((name for word in words if (name := self.taint_of_parts(word.parts))), None)

    def taint_of_parts(self, parts: Iterable[Part]) -> str | None:
        """Return the taint of the parts of a word."""
        return next((name for part in parts if (name := self._taint_of_part(part))), None)

    def taint_of_script(self, script: Script) -> str | None:
        """Return the taint of the output of some commands."""
        commands = (command for pipeline in script for command in pipeline)
        return next((name for it in commands if (name := self.taint_of_command(it))), None)

    def taint_of_command(self, command: Command) -> str | None:
        """Return the taint of a command's output: that of anything the command gets."""
        if isinstance(command, SimpleCommand) and command.words and self._prints_variables(command.words[0]):
            return self.text_parameter
        scripts = command.scripts if isinstance(command, CompoundCommand) else ()
        inside = next((name for it in scripts if (name := self.taint_of_script(it))), None)
        return inside or self.taint_of_words(_words(command)) or self._taint_of_files(command)

    def _taint_of_files(self, command: Command) -> str | None:
        """Return the taint of the files that a command names and may read."""
        words = command.words if isinstance(command, SimpleCommand) else ()
        read = (it.target for it in command.redirects if it.operator == "<")
        return next(filter(None, map(self.taint_of_file, (*words, *read))), None)

    def taint_of_file(self, word: Word) -> str | None:
        """Return the taint of the file that a word names where it is read."""
        file = file_name(word, self._is_set)
        is_glob = not word.is_single_word
        return self.files.read(file, self._words_in, is_glob=is_glob) if file else None

    def taint_of_read(self, words: Iterable[Word]) -> str | None:
        """Return the taint of some words, or of the files that they name."""
        words = tuple(words)
        return self.taint_of_words(words) or next(filter(None, map(self.taint_of_file, words)), None)

    def taint_of_program(self, word: Word) -> str | None:
        """Return the taint of the file that a word names where it is evaluated."""
        file = file_name(word, self._is_set)
        return self.files.evaluated(file, self._words_in) if file else None

    def taint_of_found(self, patterns: Sequence[str]) -> str | None:
        """Return the taint of the files that a program may find by these patterns of their names."""
        return self.files.found(patterns, self._words_in)

    def write(self, word: Word, name: str) -> None:
        """Record that the file with this name may hold a value."""
        if file := file_name(word, self._is_set):
            self.files.write(file, name)

    def may_name_input(self, word: Word) -> bool:
        """Return whether the variables in a word may name the input, as `/dev/stdin` does."""
        expansions = [it for it in word.parts if isinstance(it, Expansion)]
        names = {it.name for it in expansions}
        is_dash = any(inner.literal == "-" for it in expansions for inner in it.words)
        words = self._words_in(filter(self._is_set, names))
        return is_dash or not names.isdisjoint(self.dashes) or not words.isdisjoint(_INPUT)

    def set_variable(self, name: str, words: Iterable[Word]) -> None:
        """Record that the command line sets a variable, perhaps to names of files that it matches."""
        words = tuple(words)
        self.assigned.add(name)
        if any(it.literal == "-" for it in words):
            self.dashes.add(name)
        if any(_GLOB.search(it.text) for word in words for it in word.parts if isinstance(it, Text)):
            self.matched.add(name)

    def _is_set(self, name: str) -> bool:
        """Return whether the command line may set a variable itself."""
        return name == "_" or any(name in it for it in (self.assigned, self.names, self.variables))

    def _words_in(self, variables: Iterable[str]) -> set[str]:
        """Return the words in the texts of variables, with `UNKNOWN` for texts that are not known."""
        keys = (ARGUMENTS if it in {"*", "@"} or it.isdigit() else it for it in variables)
        words, found = set[str](), {it for key in keys for it in self._words_of(key)}
        while found:
            words |= found
            found = {it for word in found for it in self.names.get(word, ())} - words
        return {it.casefold() for it in words}

    def _words_of(self, variable: str) -> set[str]:
        is_set = variable in self.assigned or variable in self.names
        is_unknown = not is_set or variable in self.matched or variable in self.variables
        return self.names.get(variable, set()) | ({UNKNOWN} if is_unknown else set())

    def _prints_variables(self, word: Word) -> bool:
        """Return whether a command may print something that it did not get as an argument."""
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
        """Return whether commands only print counts: `wc` without file names."""
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
        # Indirect expansion can refer to any variable.
        if inside or part.prefix == "!":
            return inside or self.tainted_parameter
        if part.name in _POSITIONAL or part.name.isdigit():
            return self.positional
        return self.variables.get(part.name)


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
    """Yield the assigned words."""
    yield assignment.value
    for element in assignment.elements or ():
        yield element.value


def computed_of(parts: Iterable[Part]) -> Iterator[Arithmetic]:
    """Yield the arithmetic in the parts of a word."""
    for part in parts:
        if isinstance(part, Arithmetic):
            yield part
        elif isinstance(part, Expansion):
            yield from part.computed
