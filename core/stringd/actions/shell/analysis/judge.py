"""Proves of each place in a command line that what stands there is data, or says what can't be proved."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.actions.shell.analysis import findings, special_commands
from stringd.actions.shell.analysis.argument_roles import may_vanish
from stringd.actions.shell.analysis.arithmetic import Computing
from stringd.actions.shell.analysis.calls import Calls
from stringd.actions.shell.analysis.command_reader import CommandReader
from stringd.actions.shell.analysis.data_flow import Flow, assigned_words, computed_of
from stringd.actions.shell.analysis.findings import Unproved
from stringd.actions.shell.analysis.programs import is_evaluated_name
from stringd.actions.shell.analysis.syntax import (
    Assignment,
    Command,
    Compound,
    Condition,
    Expansion,
    Output,
    Part,
    Pipeline,
    Place,
    Redirect,
    Script,
    Simple,
    Unreadable,
    Word,
)
from stringd.actions.shell.analysis.value_kinds import Demand, Kind
from stringd.actions.shell.analysis.variable_names import Naming

# Each goes on to where variables lead that are set before what they are made of.
_MOST_TURNS = 20
_OUTPUT = frozenset({">", ">>", ">|", "&>", "&>>", ">&", "<>"})
_INPUT = frozenset({"<", "<<", "<<-", "<<<", "<&", "<>"})


class Judge:
    """Goes through commands once, with what is known of their variables.

    `demands` says what each place asks of its value, and `vanishing` which of them leave nothing without one.
    """

    def __init__(self, flow: Flow, line: int = 0) -> None:
        self.flow = flow
        self.demands: dict[Place, Demand] = {}
        self.vanishing: set[Place] = set()
        self.found: dict[Unproved, None] = {}
        self.line = line
        self.naming = Naming(flow)
        self.computing = Computing(self)
        self._calls = Calls(self)

    def script(self, script: Script, stdin: str | None) -> None:
        """Judge commands whose input may hold a value."""
        for pipeline in script:
            self._pipeline(pipeline, stdin)

    def _pipeline(self, pipeline: Pipeline, stdin: str | None) -> None:
        for command in pipeline:
            self._command(command, stdin)
            stdin = self.flow.in_command(command) or stdin

    def _command(self, command: Command, stdin: str | None) -> None:
        outer, self.flow.input = self.flow.input, stdin or self.flow.stdin
        given = self.flow.input = self._redirects(command.redirects) or self.flow.input
        match command:
            case Simple():
                self._simple(command, given)
            case Condition():
                self.words(command.words)
                self.computing.condition(command.words)
            case Compound():
                self._compound(command, given)
        self._note_written(command, given)
        self.flow.input = outer

    def _note_written(self, command: Command, stdin: str | None) -> None:
        written = [it.target for it in command.redirects if it.operator in _OUTPUT]
        if written and (value := self.flow.in_command(command) or stdin):
            for word in written:
                self.flow.write(word, value)

    def _redirects(self, redirects: Iterable[Redirect]) -> str | None:
        """Judge redirections; return whose value may be in the input that they give."""
        given = None
        for it in redirects:
            self.words((it.target, *it.lines))
            if it.operator in _INPUT:
                given = given or self.flow.in_words((it.target, *it.lines)) or self.flow.in_file(it.target)
            if it.operator == ">&" and (value := self.flow.in_words((it.target,))):
                # What is no number is expanded once more.
                self.find(findings.evaluated(value, ">&", self.line))
            if it.operator == "<&":
                given = given or self.flow.input or self.flow.any_value
        return given

    def _compound(self, command: Compound, stdin: str | None) -> None:
        self.words(command.words, may_vanish=command.variable is not None)
        for it in command.computed:
            self.computing.text(it.parts)
        if command.variable:
            self.naming.note(command.variable, command.words)
        if command.variable and (name := self.flow.in_words(command.words)):
            self.assign(command.variable, name)
            self.flow.variables.setdefault("REPLY", name)
        if command.function:
            self.flow.functions.add(command.function)
            # Where it is called is not followed: what one function is given, each may be.
            stdin = stdin or self.flow.received or self.flow.any_value
            if command.function == "command_not_found_handle":
                # It gets the words of any command that there is not.
                self.flow.positional = stdin = self.flow.positional or self.flow.some_text
        for script in command.scripts:
            self.script(script, stdin)

    def _simple(self, command: Simple, stdin: str | None) -> None:
        if command.declared:
            names = [it.name for it in command.declared]
            special_commands.declare(self._calls, command.words[0].static or "", command.words[1:], names)
        for assignment in (*command.assignments, *command.declared):
            self._assignment(assignment, is_declared=assignment in command.declared)
        self.words(command.words, may_vanish=True)
        if command.words:
            self._calls.command(command.words, stdin)
        if command.words and command.words[0].static == "exec":
            self.flow.stdin = self.flow.stdin or stdin

    def _assignment(self, assignment: Assignment, *, is_declared: bool) -> None:
        words = tuple(assigned_words(assignment))
        self.words(words, may_vanish=assignment.elements is not None)
        subscripts = (assignment.subscript, *(it.subscript for it in assignment.elements or ()))
        for subscript in filter(None, subscripts):
            self.computing.text(subscript.parts)
        if assignment.elements is not None or assignment.subscript:
            self.flow.arrays.add(assignment.name)
        self.naming.note(assignment.name, words, is_added=assignment.is_added)
        if assignment.name == "PS4" and (shown := assignment.value.static):
            # bash expands it before each command that it traces.
            self.inner(f': "{shown}"', "PS4", None, is_own=True)
        if assignment.name in self.flow.integers:
            self.computing.text(part for word in words for part in word.parts)
        elif name := self.flow.in_words(words):
            self.assign(assignment.name, name)
            if is_declared and assignment.elements is None and assignment.name in self.flow.arrays:
                self.find(findings.stored(name, assignment.name, self.line))

    def assign(self, variable: str, name: str) -> None:
        """Note that a variable may hold the value of a parameter."""
        evaluated = is_evaluated_name(variable) or variable in self.flow.integers or self.flow.is_blurred
        if evaluated:
            self.find(findings.stored(name, variable, self.line))
        self.flow.variables.setdefault(variable, name)

    def words(self, words: Iterable[Word], *, may_vanish: bool = False) -> None:
        """Judge what stands inside of words; a word that is nothing but an optional value may be left out."""
        for word in words:
            self._locate(word.parts)
            if may_vanish and self.vanishes(word):
                self.vanishing.update(it for it in word.parts if isinstance(it, Place))
            for part in word.parts:
                self.inside(part)
                if isinstance(part, Place) and self.flow.kinds.of_place(part) is Kind.NUMBER:
                    self.demands.setdefault(part, Demand.DECLARED)
            for it in computed_of(word.parts):
                self.computing.text(it.parts)

    def vanishes(self, word: Word) -> bool:
        """Whether there may be no such word."""
        return may_vanish(word, self.flow.kinds.optional)

    def _locate(self, parts: Iterable[Part]) -> None:
        self.line = next((it.line for it in parts if isinstance(it, Place)), self.line)

    def inside(self, part: Part) -> None:
        """Judge the commands and words in a part of a word."""
        if isinstance(part, Output):
            # What is written to `>( )` is its input.
            self.script(part.script, self.flow.some_text if part.is_file else self.flow.input)
        if isinstance(part, Expansion):
            self.words(part.words)
            name = self.flow.in_words(part.words)
            if part.operator in {"=", ":="}:
                self.naming.note(part.name, part.words)
                if name:
                    self.assign(part.name, name)
            self.computing.expansion(part)

    def declared_only(self, parts: Iterable[Part]) -> bool:
        """Whether all values in a text are numbers or words of the author's; then they may stand in code."""
        places = [it for it in parts if isinstance(it, Place)]
        others = [it for it in parts if not isinstance(it, Place)]
        is_fit = all(self.flow.kinds.of_place(it) is not Kind.TEXT for it in places)
        if is_fit and not self.flow.in_parts(others):
            self.demands |= dict.fromkeys(places, Demand.DECLARED)
            return True
        return False

    def inner(self, text: str, program: str, positional: str | None, *, is_own: bool) -> None:
        """Judge commands in a text that is always the same: in this shell, or in one that it starts."""
        flow = self.flow if is_own else self.flow.inherited(positional)
        try:
            script = CommandReader(text, (), self.line).script()
        except Unreadable as error:
            if value := positional or self.flow.any_value:
                what = f"in the commands that {program} gets, {error.what}"
                self.find(findings.unseen(value, what, self.line))
            return
        for unproved in judged(script, flow, self.line, self.flow.input).found:
            self.find(unproved)

    def find(self, unproved: Unproved) -> None:
        """Note what can't be proved, once."""
        self.found[unproved] = None


def judged(script: Script, flow: Flow, line: int = 0, stdin: str | None = None) -> Judge:
    """Judge commands, again and again until nothing more is learned of their variables."""
    for _ in range(_MOST_TURNS):
        known = flow.known()
        judge = Judge(flow, line)
        judge.script(script, stdin)
        if flow.known() == known:
            return judge
    what = "its variables are made of one another too often"
    judge.find(findings.unseen(flow.any_value or "", what, line))
    return judge
