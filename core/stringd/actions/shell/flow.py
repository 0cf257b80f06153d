"""Where the values of a call may be while a command line runs: in which words, variables and outputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from stringd.actions.shell.kinds import Kind, Kinds
from stringd.actions.shell.syntax import (
    Assignment,
    Command,
    Compound,
    Computed,
    Expansion,
    Output,
    Part,
    Place,
    Redirect,
    Script,
    Simple,
    Word,
)

# What these print holds every variable, so also those that hold a value.
_TELLING = frozenset(
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


class Flow:
    """What is known of a command line's variables, wherever in it they are set.

    A value is told by the name of its parameter. What is learned stays, so that reading the commands again
    until nothing is added finds every way that a value can go.
    """

    def __init__(self, kinds: Kinds) -> None:
        self.kinds = kinds
        self.variables: dict[str, str] = {}
        self.positional: str | None = None
        self.integers: set[str] = set()
        self.arrays: set[str] = set()
        self.functions: set[str] = set()
        self.received: str | None = None
        """Whose value may be in the input of a function."""
        self.names: dict[str, set[str]] = {}
        """The names that may be in the text of a variable, as `naming` tells them."""
        self.stdin: str | None = None
        """Whose value may be in the input that `exec` has set."""
        self.input: str | None = None
        """Whose value may be in the input of the command that is judged."""
        self.is_blurred = False
        """Whether there are declarations that can't be seen."""

    def known(self) -> tuple[object, ...]:
        """Return how much is known, to see whether more was learned."""
        sizes = (len(it) for it in (self.variables, self.integers, self.arrays, self.functions))
        names = sum(map(len, self.names.values()))
        return (*sizes, names, self.positional, self.stdin, self.received, self.is_blurred)

    @property
    def any_value(self) -> str | None:
        """The parameter of some value that a variable holds, if one does."""
        return self.positional or next((it for name, it in self.variables.items() if name != "_"), None)

    @property
    def some_text(self) -> str | None:
        """A parameter that takes any text, if there is one."""
        kinds = self.kinds.by_name
        return next((name for name in kinds if kinds[name] is not Kind.NUMBER), None)

    def inherited(self, positional: str | None) -> Flow:
        """Return what another shell knows: the variables, which may be exported, and its arguments."""
        flow = Flow(self.kinds)
        flow.variables = dict(self.variables)
        flow.names = {**self.names, ARGUMENTS: {UNKNOWN}}
        flow.positional = positional
        return flow

    def in_words(self, words: Iterable[Word]) -> str | None:
        """Return whose value may be in some words."""
        return next((name for word in words if (name := self.in_parts(word.parts))), None)

    def in_parts(self, parts: Iterable[Part]) -> str | None:
        """Return whose value may be in the parts of a word."""
        return next((name for part in parts if (name := self._in_part(part))), None)

    def in_script(self, script: Script) -> str | None:
        """Return whose value some commands may print."""
        commands = (command for pipeline in script for command in pipeline)
        return next((name for it in commands if (name := self.in_command(it))), None)

    def in_command(self, command: Command) -> str | None:
        """Return whose value a command may print: any that is handed to it in any way."""
        if isinstance(command, Simple) and command.words and self._tells(command.words[0]):
            return self.some_text
        scripts = command.scripts if isinstance(command, Compound) else ()
        inside = next((name for it in scripts if (name := self.in_script(it))), None)
        return inside or self.in_words(_words(command))

    def _tells(self, word: Word) -> bool:
        """Whether a command may print what it was not given."""
        name = (word.static or "").rpartition("/")[2]
        return name in _TELLING or name in self.functions or (name == "pwd" and "PWD" in self.variables)

    def _in_part(self, part: Part) -> str | None:
        match part:
            case Place():
                return None if self.kinds.of_place(part) is Kind.NUMBER else part.slot.name
            case Expansion():
                return self._in_expansion(part)
            case Output():
                return self.in_script(part.script) or self.input
        return None

    def _in_expansion(self, part: Expansion) -> str | None:
        if part.prefix == "#":
            return None
        inside = self.in_words(part.words)
        # The name of a variable in a variable may be any.
        if inside or part.prefix == "!":
            return inside or self.any_value
        if part.name in _POSITIONAL or part.name.isdigit():
            return self.positional
        return self.variables.get(part.name)


def _words(command: Command) -> Iterator[Word]:
    yield from command.words
    yield from _redirected(command.redirects)
    if isinstance(command, Simple):
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


def computed_of(parts: Iterable[Part]) -> Iterator[Computed]:
    """Yield what is computed in the parts of a word."""
    for part in parts:
        if isinstance(part, Computed):
            yield part
        elif isinstance(part, Expansion):
            yield from part.computed
