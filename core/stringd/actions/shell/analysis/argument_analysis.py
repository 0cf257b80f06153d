"""Analyse the arguments of one command, by what its program does with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from stringd.actions.shell.analysis import findings, special_commands
from stringd.actions.shell.analysis.argument_roles import (
    ArgumentUse,
    ArgumentUses,
    Program,
    Role,
    classify_arguments,
)
from stringd.actions.shell.analysis.data_flow import ARGUMENTS
from stringd.actions.shell.analysis.interfaces import CommandContext
from stringd.actions.shell.analysis.language_programs import OPENING, RUNNING_VARIABLES
from stringd.actions.shell.analysis.programs import CONTAINER, CONTAINERS, program_named
from stringd.actions.shell.analysis.script_files import ScriptFiles
from stringd.actions.shell.analysis.shell_syntax import (
    NestedText,
    Piece,
    PlaceholderPart,
    Word,
    marked_text,
    shown_text,
)
from stringd.actions.shell.analysis.value_constraints import Constraint, ValueKind
from stringd.actions.shell.analysis.written_files import read_by, written_by

_ASSIGNED = re.compile(r"(?:-v|--assign=)?(?P<name>[A-Za-z_]\w*)=", re.ASCII)
# A word that begins so is a path, and never assigns a variable.
_PATH = re.compile(r"\w*[^\w=]")
# Assignments among their arguments set environment variables of the programs that they run; awk's do not.
_SETTING = frozenset({"env", "sudo"})
# These shells do arithmetic where bash does not, as in `[ "$1" -gt 1 ]`.
_OTHER_GRAMMARS = frozenset({"zsh", "ksh", "ksh93", "mksh"})
_SETTING_UNNAMED = {
    "read": ("REPLY",),
    "mapfile": ("MAPFILE",),
    "readarray": ("MAPFILE",),
    "getopts": ("OPTARG",),
    "cd": ("PWD", "OLDPWD"),
    "pushd": ("PWD", "OLDPWD", "DIRSTACK"),
}


def evaluates_arguments(program: str) -> bool:
    """Whether a program is known to take code, or the names of other programs, among its arguments."""
    tables = (CONTAINERS, special_commands.SPECIAL)
    return any(program in it for it in tables) or program_named(program) is not None


class ArgumentAnalysis:
    """Analyses commands by the table of programs, and special commands by functions of their own."""

    def __init__(self, taint: CommandContext) -> None:
        self.taint = taint
        self.flow = taint.flow
        self.scripts = ScriptFiles(taint)
        self._is_contained = False
        self._judging: Mapping[Role, Callable[[Word, str], None]] = {
            Role.CODE: self.code,
            Role.COMMAND: self.code,
            Role.JOINED: self.code,
            Role.SPLIT: self._split,
            Role.SCRIPT: self.scripts.script,
            Role.OPENED: self._file,
            Role.NAME: self._name,
            Role.NUMBER: self._number,
            Role.ASSIGNED: self._assigned,
        }

    def command(self, words: Sequence[Word], stdin: str | None) -> None:
        """Analyse a command whose input may be tainted."""
        if value := self.flow.taint_of_words(words):
            self.flow.variables.setdefault("_", value)
        names = self._names(words[0])
        self.scripts.started(words[0], is_known=bool(names))
        if not names:
            name = self.flow.taint_of_words(words) or stdin
            self.flow.has_unknown_declarations = True
            if name:
                self.taint.report(findings.program_chosen(name, self.taint.line))
        for name in names:
            self.named(name, words[1:], stdin)

    def _names(self, word: Word) -> tuple[str, ...]:
        """Return the possible names of the program, or nothing if they are unknown."""
        if len(word.parts) == 1 and isinstance(part := word.parts[0], PlaceholderPart):
            if self.flow.kinds.kind_of(part) is ValueKind.WORDS:
                self.taint.constraints[part] = Constraint.DECLARED
                return self.flow.kinds.words[part.placeholder.name]
            return ()
        if word.literal is not None:
            return (word.literal.rpartition("/")[2],) if word.is_single_word or word.literal == "[" else ()
        is_open = any(isinstance(it, PlaceholderPart) for it in word.parts) or self.flow.taint_of_words(
            (word,)
        )
        base = word.tail.rpartition("/")
        return (base[2],) if base[1] and base[2] and not is_open else ()

    def named(self, name: str, arguments: Sequence[Word], stdin: str | None) -> None:
        """Analyse the arguments of a program."""
        if name in self.flow.functions:
            self.flow.received = self.flow.received or stdin
            self.positional(arguments)
        self._set_unnamed(name, arguments)
        self._note_written(name, arguments, stdin)
        self.scripts.found(name, arguments)
        special = special_commands.SPECIAL.get(name)
        program = program_named(name)
        if special:
            special(self, name, arguments, stdin)
        elif program:
            self.program(name, program, arguments, stdin)
        elif name in CONTAINERS:
            self._contained(name, arguments, stdin)
        else:
            self._unknown(arguments)

    def _note_written(self, name: str, arguments: Sequence[Word], stdin: str | None) -> None:
        """Record the files that a program writes, which may hold what it gets or reads."""
        copied = filter(None, map(self.flow.taint_of_file, read_by(arguments)))
        if value := self.flow.taint_of_words(arguments) or stdin or next(copied, None):
            for word in written_by(name, arguments):
                self.flow.write(word, value)

    def positional(self, arguments: Sequence[Word]) -> None:
        """Record the positional parameters that a function call or `set` defines."""
        self.flow.set_variable(ARGUMENTS, arguments)
        self.taint.variable_names.note(ARGUMENTS, arguments)
        self.flow.positional = self.flow.taint_of_words(arguments) or self.flow.positional

    def _set_unnamed(self, name: str, arguments: Sequence[Word]) -> None:
        """Record the variables that a builtin sets without naming them."""
        value = self.flow.taint_of_words(arguments) or (self.flow.text_parameter if name == "read" else None)
        for variable in _SETTING_UNNAMED.get(name, ()) if value else ():
            self.flow.variables.setdefault(variable, value or "")

    def uses(self, program: Program, arguments: Sequence[Word]) -> ArgumentUses:
        """Classify the arguments of a program."""
        return classify_arguments(program, arguments, frozenset(filter(self.taint.is_omittable, arguments)))

    def program(self, name: str, program: Program, arguments: Sequence[Word], stdin: str | None) -> None:
        """Analyse the arguments of a program in the table."""
        uses = self.uses(program, arguments)
        if name.startswith(("python", "pypy")) and any("timeit" in (it.literal or "") for it in arguments):
            self._timed(name, uses)
        if name.startswith("perl") and any(OPENING.fullmatch(it.literal or "") for it in arguments):
            self._opened(name, uses)
        if name.endswith("awk") and any(RUNNING_VARIABLES.search(it.literal or "") for it in arguments):
            self._set_by_operands(name, uses)
        self._use_all(name, uses)
        if commands := uses.joined:
            self.taint.inner(commands, name, None, is_own=False)
        if uses.reads_stdin and stdin:
            self.taint.report(findings.evaluated(stdin, name, self.taint.line))
        if uses.command:
            self.following(name, uses, stdin)

    def following(self, name: str, uses: ArgumentUses, stdin: str | None) -> None:
        """Analyse the command that a program runs."""
        value = self.flow.taint_of_words(uses.command)
        if value and not uses.is_certain:
            self.taint.report(findings.option(value, name, self.taint.line))
        elif uses.command[0].literal in {"-c", "--command"}:
            self.named("sh", uses.command, stdin)
        else:
            self.command(uses.command, stdin)

    def _timed(self, name: str, uses: ArgumentUses) -> None:
        for use in uses.words:
            self.code(use.word, f"{name} -m timeit")

    def _opened(self, name: str, uses: ArgumentUses) -> None:
        for use in uses.words:
            if use.roles == {Role.DATA}:
                self.code(use.word, "perl <>")

    def _set_by_operands(self, name: str, uses: ArgumentUses) -> None:
        for use in uses.words:
            if use.roles == {Role.DATA} and not _PATH.match(use.word.lead):
                self.code(use.word, f"{name} NAME=")

    def _unknown(self, arguments: Sequence[Word]) -> None:
        """Analyse the arguments of an unknown program, in case it runs a shell or interpreter with code."""
        for number, word in enumerate(arguments, 1):
            name = (word.literal or "").rpartition("/")[2]
            program = program_named(name)
            if program is None or not program.operands_after:
                continue
            uses = self.uses(program, arguments[number:])
            if uses.has_code:
                self._use_all(name, uses)

    def _contained(self, name: str, arguments: Sequence[Word], stdin: str | None) -> None:
        """Analyse the arguments of a container tool, any of which may be the name of a program."""
        outer, self._is_contained = self._is_contained, True
        texts = [it.literal or "" for it in arguments]
        first = next((number for number, it in enumerate(texts, 1) if it in {"exec", "run"}), None)
        self.scripts.project(name, arguments[: None if first is None else first - 1])
        if first is not None:
            self.program(name, CONTAINER, arguments[first:], stdin)
        for number, text in enumerate(texts, 1):
            inner = text.rpartition("/")[2]
            if number != first and (program_named(inner) or inner in {"find", "git", "xargs", "eval"}):
                self.named(inner, arguments[number:], stdin)
        self._is_contained = outer

    def _use_all(self, name: str, uses: ArgumentUses) -> None:
        value: str | None = None
        for use in reversed(uses.words):
            self.use(name, use, value)
            value = self.flow.taint_of_words((use.word,)) or value

    def use(self, program: str, use: ArgumentUse, value: str | None) -> None:
        """Analyse an argument in all its possible roles; `value` is the taint of the arguments after it."""
        if Role.SHELL in use.roles:
            is_own = program in {"trap", "eval"}
            self.shell(use.word, program, value, is_own=is_own)
        if Role.DATA in use.roles and use.may_be_option:
            self.operand(use.word, program)
        for role in use.roles & self._judging.keys():
            self._judging[role](use.word, program)

    def _name(self, word: Word, program: str) -> None:
        self.taint.arithmetic.name(word, program)
        self.names_set(word)

    def _number(self, word: Word, _: str) -> None:
        self.taint.arithmetic.text(word.parts)

    def names_set(self, word: Word) -> None:
        """Assume that a variable set by a builtin holds a value."""
        value = self.flow.text_parameter
        if value and word.literal is None:
            self.taint.report(
                findings.not_analysable(value, "which variable is set is no fixed text", self.taint.line)
            )
        elif value and word.literal:
            self.taint.assign(word.literal.partition("[")[0], value)

    def code(self, word: Word, program: str) -> None:
        """Analyse a text that a program evaluates."""
        if not self.taint.declared_only(word.parts) and (value := self.flow.taint_of_words((word,))):
            self.taint.report(findings.evaluated(value, program, self.taint.line))

    def shell(self, word: Word, program: str, positional: str | None, *, is_own: bool = False) -> None:
        """Analyse shell commands in a text, which run in this shell or in one with its own arguments."""
        if program in _OTHER_GRAMMARS and (value := positional or self.flow.tainted_parameter):
            what = f"the grammar of {program} is not that of bash"
            self.taint.report(findings.not_analysable(value, what, self.taint.line))
        elif word.literal is not None:
            self._nested(word, self.taint.inner(word.literal, program, positional, is_own=is_own))
        elif value := positional or self.flow.tainted_parameter:
            what = f"the commands that {program} gets are not a fixed text"
            self.taint.report(findings.not_analysable(value, what, self.taint.line))
        elif marked := marked_text(word):
            self._nested(word, self.taint.inner(marked, program, None, is_own=is_own))
        if word.literal is None:
            self.code(word, program)

    def _split(self, word: Word, program: str) -> None:
        self.code(word, program)
        self.taint.inner(f"{program} {shown_text(word)}", program, None, is_own=False)

    def _nested(self, word: Word, pieces: tuple[Piece, ...]) -> None:
        """Let commands in a word name files of the package, unless they run in another file system."""
        if word.replace and not self._is_contained and any(not isinstance(it, str) for it in pieces):
            values = tuple(it for it in word.parts if isinstance(it, PlaceholderPart))
            word.replace(NestedText(pieces=pieces, values=values))

    def _file(self, word: Word, program: str) -> None:
        """Analyse the name of a file; only a literal beginning keeps it from being a command."""
        if not word.lead or not word.is_single_word:
            self.code(word, program)

    def _assigned(self, word: Word, program: str) -> None:
        value = self.flow.taint_of_words((word,))
        found = _ASSIGNED.match(word.lead)
        if found and program in _SETTING:
            self.taint.variable_names.note(found["name"], (word,))
        if value and found is None:
            self.taint.report(findings.evaluated(value, program, self.taint.line))
        elif value and found and program in _SETTING:
            self.taint.assign(found["name"], value)

    def operand(self, word: Word, program: str) -> None:
        """Analyse an operand that the program might take for an option, depending on its value."""
        value = self.flow.taint_of_words((word,))
        known = program_named(program)
        if value and isinstance(word.first, PlaceholderPart) and not (known and known.plus_options):
            parts = [it for it in word.parts if isinstance(it, PlaceholderPart)]
            self.taint.constraints |= {
                it: Constraint.NO_OPTION for it in parts if it not in self.taint.constraints
            }
        elif value:
            self.taint.report(findings.option(value, program, self.taint.line))
