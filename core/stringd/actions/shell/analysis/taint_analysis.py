"""Prove that the values of all placeholders in a command line stay data, or report findings."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.actions.shell.analysis import findings, special_commands
from stringd.actions.shell.analysis.argument_analysis import ArgumentAnalysis
from stringd.actions.shell.analysis.argument_roles import may_be_omitted
from stringd.actions.shell.analysis.arithmetic import ArithmeticAnalysis
from stringd.actions.shell.analysis.command_reader import CommandReader
from stringd.actions.shell.analysis.data_flow import DataFlow, assigned_words, computed_of
from stringd.actions.shell.analysis.findings import Finding
from stringd.actions.shell.analysis.programs import is_evaluated_name
from stringd.actions.shell.analysis.shell_syntax import (
    Assignment,
    Command,
    CompoundCommand,
    ConditionalExpression,
    Expansion,
    Part,
    Piece,
    Pipeline,
    PlaceholderPart,
    Redirect,
    Script,
    SimpleCommand,
    Substitution,
    Unreadable,
    Word,
)
from stringd.actions.shell.analysis.value_constraints import Constraint, ValueKind
from stringd.actions.shell.analysis.variable_names import VariableNames

# Each pass resolves variables that are used before the text that sets them.
_MAX_PASSES = 20
# Each level may be analysed several times for each time that the one around it is.
_DEEPEST = 3
_OUTPUT = frozenset({">", ">>", ">|", "&>", "&>>", ">&", "<>"})
_INPUT = frozenset({"<", "<<", "<<-", "<<<", "<&", "<>"})


class TaintAnalysis:
    """Analyses commands once, with the current knowledge of their variables.

    `constraints` are those on the values of placeholders; `omittable` are placeholders that expand to nothing
    without a value, and `several` those of lists that expand to a word for each element.
    """

    def __init__(self, flow: DataFlow, line: int = 0) -> None:
        self.flow = flow
        self.constraints: dict[PlaceholderPart, Constraint] = {}
        self.omittable: set[PlaceholderPart] = set()
        self.several: set[PlaceholderPart] = set()
        self.findings: dict[Finding, None] = {}
        self.line = line
        self.variable_names = VariableNames(flow)
        self.arithmetic = ArithmeticAnalysis(self)
        self._arguments = ArgumentAnalysis(self)

    def script(self, script: Script, stdin: str | None) -> None:
        """Analyse commands whose input may be tainted."""
        for pipeline in script:
            self._pipeline(pipeline, stdin)

    def _pipeline(self, pipeline: Pipeline, stdin: str | None) -> None:
        for command in pipeline:
            self._command(command, stdin)
            stdin = self.flow.taint_of_command(command) or stdin

    def _command(self, command: Command, stdin: str | None) -> None:
        outer, self.flow.input = self.flow.input, stdin or self.flow.stdin
        given = self.flow.input = self._redirects(command.redirects) or self.flow.input
        match command:
            case SimpleCommand():
                self._simple(command, given)
            case ConditionalExpression():
                self.words(command.words)
                self.arithmetic.condition(command.words)
            case CompoundCommand():
                self._compound(command, given)
        self._note_written(command, given)
        self.flow.input = outer

    def _note_written(self, command: Command, stdin: str | None) -> None:
        written = [it.target for it in command.redirects if it.operator in _OUTPUT]
        if written and (value := self._taint_written(command) or stdin):
            for word in written:
                self.flow.write(word, value)

    def _taint_written(self, command: Command) -> str | None:
        """Return the taint of what is written to the files of a command, after `exec` by all that follow."""
        is_lasting = isinstance(command, SimpleCommand) and [it.literal for it in command.words] == ["exec"]
        return self.flow.text_parameter if is_lasting else self.flow.taint_of_command(command)

    def _redirects(self, redirects: Iterable[Redirect]) -> str | None:
        """Analyse redirections; return the taint of the input that they provide."""
        given = None
        for it in redirects:
            self.words((it.target, *it.lines))
            if it.operator in _INPUT:
                given = (
                    given
                    or self.flow.taint_of_words((it.target, *it.lines))
                    or self.flow.taint_of_file(it.target)
                )
            if it.operator == ">&" and (value := self.flow.taint_of_words((it.target,))):
                # Bash expands a target that is not a number a second time.
                self.report(findings.evaluated(value, ">&", self.line))
            if it.operator == "<&":
                given = given or self.flow.input or self.flow.tainted_parameter
        return given

    def _compound(self, command: CompoundCommand, stdin: str | None) -> None:
        self.words(command.words, may_be_omitted=command.variable is not None)
        for it in command.computed:
            self.arithmetic.text(it.parts)
        if command.variable:
            self.flow.set_variable(command.variable, command.words)
            self.variable_names.note(command.variable, command.words)
        if command.variable and (name := self.flow.taint_of_words(command.words)):
            self.assign(command.variable, name)
            self.flow.variables.setdefault("REPLY", name)
        if command.function:
            self.flow.functions.add(command.function)
            # Calls are not followed individually: the input of one function may reach all of them.
            stdin = stdin or self.flow.received or self.flow.tainted_parameter
            if command.function == "command_not_found_handle":
                # Bash passes this function the words of any command that is not found.
                self.flow.positional = stdin = self.flow.positional or self.flow.text_parameter
        for script in command.scripts:
            self.script(script, stdin)

    def _simple(self, command: SimpleCommand, stdin: str | None) -> None:
        if command.declared:
            names = [it.name for it in command.declared]
            special_commands.declare(
                self._arguments, command.words[0].literal or "", command.words[1:], names
            )
        for assignment in (*command.assignments, *command.declared):
            self._assignment(assignment, is_declared=assignment in command.declared)
        self.words(command.words, may_be_omitted=True)
        if command.words:
            self._arguments.command(command.words, stdin)
        if command.words and command.words[0].literal == "exec":
            self.flow.stdin = self.flow.stdin or stdin

    def _assignment(self, assignment: Assignment, *, is_declared: bool) -> None:
        words = tuple(assigned_words(assignment))
        self.words(words, may_be_omitted=assignment.elements is not None)
        subscripts = (assignment.subscript, *(it.subscript for it in assignment.elements or ()))
        for subscript in filter(None, subscripts):
            self.arithmetic.text(subscript.parts)
        if assignment.elements is not None or assignment.subscript:
            self.flow.arrays.add(assignment.name)
        self.flow.set_variable(assignment.name, words)
        self.variable_names.note(assignment.name, words, is_added=assignment.is_added)
        if assignment.name == "PS4" and (shown := assignment.value.literal):
            # Bash expands PS4 before each command that it traces.
            self.inner(f': "{shown}"', "PS4", None, is_own=True)
        if assignment.name in self.flow.integers:
            self.arithmetic.text(part for word in words for part in word.parts)
        elif is_evaluated_name(assignment.name) and (written := self.flow.taint_of_file(assignment.value)):
            self.report(findings.stored(written, assignment.name, self.line))
        elif name := self.flow.taint_of_words(words):
            self.assign(assignment.name, name)
            if is_declared and assignment.elements is None and assignment.name in self.flow.arrays:
                self.report(findings.stored(name, assignment.name, self.line))

    def assign(self, variable: str, name: str) -> None:
        """Record that a variable may hold the value of a parameter."""
        evaluated = (
            is_evaluated_name(variable)
            or variable in self.flow.integers
            or self.flow.has_unknown_declarations
        )
        if evaluated:
            self.report(findings.stored(name, variable, self.line))
        self.flow.variables.setdefault(variable, name)

    def words(self, words: Iterable[Word], *, may_be_omitted: bool = False) -> None:
        """Analyse the inside of words, any number of which may stand here if they `may_be_omitted`."""
        for word in words:
            self._locate(word.parts)
            slots = [it for it in word.parts if isinstance(it, PlaceholderPart)] if may_be_omitted else []
            if self.is_omittable(word):
                self.omittable.update(slots)
            if word.is_list:
                self.several.update(slots)
            for part in word.parts:
                self.inside(part)
                if isinstance(part, PlaceholderPart) and self.flow.kinds.kind_of(part) is ValueKind.NUMBER:
                    self.constraints.setdefault(part, Constraint.DECLARED)
            for it in computed_of(word.parts):
                self.arithmetic.text(it.parts)

    def is_omittable(self, word: Word) -> bool:
        """Return whether a word may be left out."""
        return may_be_omitted(word, self.flow.kinds.optional)

    def _locate(self, parts: Iterable[Part]) -> None:
        self.line = next((it.line for it in parts if isinstance(it, PlaceholderPart)), self.line)

    def inside(self, part: Part) -> None:
        """Analyse the commands and words inside a part of a word."""
        if isinstance(part, Substitution):
            # The script of a process substitution reads what is written to it.
            self.script(part.script, self.flow.text_parameter if part.is_file else self.flow.input)
        if isinstance(part, Expansion):
            self.words(part.words)
            name = self.flow.taint_of_words(part.words)
            if part.operator in {"=", ":="}:
                self.variable_names.note(part.name, part.words)
                if name:
                    self.assign(part.name, name)
            self.arithmetic.expansion(part)

    def declared_only(self, parts: Iterable[Part]) -> bool:
        """Return whether all values in a text are numbers or declared words, which are safe in code."""
        placeholders = [it for it in parts if isinstance(it, PlaceholderPart)]
        others = [it for it in parts if not isinstance(it, PlaceholderPart)]
        is_declared = all(self.flow.kinds.kind_of(it) is not ValueKind.TEXT for it in placeholders)
        if is_declared and not self.flow.taint_of_parts(others):
            self.constraints |= dict.fromkeys(placeholders, Constraint.DECLARED)
            return True
        return False

    def inner(self, text: str, program: str, positional: str | None, *, is_own: bool) -> tuple[Piece, ...]:
        """Analyse commands in a literal text, which run in this shell (`is_own`) or in a new one.

        Return the text as pieces, which name files of the package. Raise if it is nested too deeply.
        """
        depth = self.flow.depth
        if depth == _DEEPEST:
            raise Unreadable("commands are nested too deeply in texts", self.line)
        flow = self.flow if is_own else self.flow.inherited(positional)
        reader = CommandReader(text, (), self.line)
        try:
            script = reader.script()
        except Unreadable as error:
            if value := positional or self.flow.input or self.flow.tainted_parameter:
                what = f"in the commands that {program} gets, {error.what}"
                self.report(findings.not_analysable(value, what, self.line))
            return (text,)
        flow.depth = depth + 1
        for finding in analyse_taint(script, flow, self.line, self.flow.input).findings:
            self.report(finding)
        self.flow.depth = depth
        return reader.pieces()

    def report(self, finding: Finding) -> None:
        """Record a finding, once."""
        self.findings[finding] = None


def analyse_taint(script: Script, flow: DataFlow, line: int = 0, stdin: str | None = None) -> TaintAnalysis:
    """Analyse commands repeatedly, until nothing more is learned of their variables."""
    for _ in range(_MAX_PASSES):
        known = flow.known()
        taint = TaintAnalysis(flow, line)
        taint.script(script, stdin)
        if flow.known() == known:
            return taint
    what = "its variables depend on one another too deeply"
    taint.report(findings.not_analysable(flow.tainted_parameter or "", what, line))
    return taint
