"""Classify a program's arguments: data, options, code, or another command."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from itertools import dropwhile

from msgspec import Struct, field

from stringd.actions.shell.analysis.file_names import names_input
from stringd.actions.shell.analysis.shell_syntax import BARE, PlaceholderPart, Text, Word, shown_text

_ASSIGNED = re.compile(r"(?:-v|--assign=)?[A-Za-z_]\w*=", re.ASCII)


class Role(Enum):
    """What a program does with an argument."""

    DATA = "takes it literally"
    ASSIGNED = "takes the text after NAME= literally"
    NUMBER = "evaluates it as arithmetic"
    NAME = "takes it as the name of a variable, whose subscript is evaluated"
    CODE = "evaluates it"
    SHELL = "evaluates it as commands of a shell"
    JOINED = "evaluates it as commands of a shell, together with the arguments after it"
    SPLIT = "splits it into more arguments of its own"
    SCRIPT = "runs it, or its content"
    OPENED = "opens it as a file, or runs it if it begins with ! or |"
    COMMAND = "runs it, with the words after it as arguments"


class Program(Struct, frozen=True, kw_only=True):
    """How a program parses its arguments.

    `options` take values and `flags` do not; the rest of a word after an `attached` letter is its value.
    `operands` are the roles of the operands, the last of which applies to all that follow; an option
    in `operands_after` replaces them, and so does a word in `separators`. `last` are options that end option
    parsing, and so does the first operand with `stops`. A `lenient` program takes unknown options and their
    values as data.
    """

    options: Mapping[str, tuple[Role, ...]] = field(default_factory=dict)
    flags: str = ""
    attached: str = ""
    operands: tuple[Role, ...] = (Role.DATA,)
    operands_after: Mapping[str, tuple[Role, ...]] = field(default_factory=dict)
    separators: Mapping[str, tuple[Role, ...]] = field(default_factory=dict)
    last: frozenset[str] = frozenset()
    stops: bool = False
    lenient: bool = False
    assigns: bool = False
    stdin: bool = False
    plus_options: bool = False


class ArgumentUse(Struct, frozen=True, kw_only=True):
    """An argument and its possible roles; it may also be an option, if that depends on its value."""

    word: Word
    roles: frozenset[Role]
    may_be_option: bool = False


class ArgumentUses(Struct, frozen=True, kw_only=True):
    """The classified arguments of a program; `command` are those that form another command."""

    words: tuple[ArgumentUse, ...]
    command: tuple[Word, ...]
    is_certain: bool
    reads_stdin: bool
    has_code: bool

    @property
    def joined(self) -> str:
        """The commands of a shell that some arguments form together, with marks for what is not literal."""
        uses = (it for it in self.words if Role.JOINED in it.roles)
        # An open word without blanks is no command, where it may as well be an operand before it.
        texts = [(len(it.roles) > 1 and it.word.literal is None, shown_text(it.word)) for it in uses]
        return " ".join(text for _, text in dropwhile(lambda it: it[0] and " " not in it[1], texts))


def classify_arguments(program: Program, words: Sequence[Word], omittable: frozenset[Word]) -> ArgumentUses:
    """Classify the arguments of a program; words in `omittable` may be absent."""
    return _Arguments(program, words, omittable).read()


class _Arguments:
    """Classifies arguments from left to right."""

    def __init__(self, program: Program, words: Sequence[Word], omittable: frozenset[Word]) -> None:
        self._program = program
        self._words = words
        self._omittable = omittable
        self._position = 0
        self._operands = program.operands
        self._operand = 0
        self._has_ended = False
        self._is_certain = True
        self._has_code = False
        self._stdin = program.stdin
        self._uses: list[ArgumentUse] = []

    def read(self) -> ArgumentUses:
        command: tuple[Word, ...] = ()
        while self._position < len(self._words):
            word = self._words[self._position]
            if not self._has_ended and self._is_option(word):
                self._position += 1
                self._option(word)
            elif Role.COMMAND in self._roles() and not self._assigns(word):
                command = tuple(self._words[self._position :])
                break
            else:
                self._position += 1
                self._take_operand(word)
        return ArgumentUses(
            words=tuple(self._uses),
            command=command,
            is_certain=self._is_certain,
            reads_stdin=self._stdin,
            has_code=self._has_code,
        )

    def _is_option(self, word: Word) -> bool:
        first = word.lead[:1]
        return (first == "-" and word.literal != "-") or (first == "+" and self._program.plus_options)

    def _assigns(self, word: Word) -> bool:
        return self._program.assigns and bool(_ASSIGNED.match(word.lead))

    def _roles(self) -> frozenset[Role]:
        rest = self._operands[min(self._operand, len(self._operands) - 1) :]
        return frozenset(rest[:1] if self._is_certain else rest)

    def _take_operand(self, word: Word) -> None:
        if separated := self._program.separators.get(word.literal or ""):
            self._operands, self._stdin = separated, False
            return
        if self._assigns(word):
            self._use(word, Role.ASSIGNED)
            self._is_certain = self._is_certain and word.is_single_word
            return
        is_open = not self._has_ended and not word.lead and bool(word.parts)
        roles = self._roles()
        self._use(word, *roles, may_be_option=is_open)
        if roles & {Role.SCRIPT, Role.CODE, Role.SHELL, Role.JOINED}:
            self._stdin = self._stdin and names_input(word)
        # A word with a literal / is a path, whatever its variables hold.
        is_path = any("/" in it.text for it in word.parts if isinstance(it, Text))
        is_known = not is_open or is_path or isinstance(word.first, PlaceholderPart)
        if not is_known or not (word.is_single_word or is_path) or word in self._omittable:
            self._is_certain = False
            return
        # Once the role of one argument is uncertain, so are the roles of all after it.
        self._operand += self._is_certain
        self._has_ended = self._has_ended or self._program.stops or Role.JOINED in roles

    def _use(self, word: Word, *roles: Role, may_be_option: bool = False) -> None:
        """Record a word; one that may expand to several words has all roles that may follow as well."""
        if word.is_single_word:
            self._uses.append(ArgumentUse(word=word, roles=frozenset(roles), may_be_option=may_be_option))
            return
        following = self._operands[min(self._operand, len(self._operands) - 1) :]
        together = frozenset((*roles, *following))
        self._uses.append(ArgumentUse(word=word, roles=together, may_be_option=not self._has_ended))

    def _option(self, word: Word) -> None:
        lead = word.lead
        if word.literal == "--":
            self._has_ended = True
        elif lead.startswith("--"):
            self._long(word, *lead.partition("=")[:2])
        elif lead in self._program.options and word.literal:
            self._switch(lead)
            self._last_letter(word, lead, has_more=False)
        else:
            self._letters(word)
        self._is_certain = self._is_certain and word.is_single_word

    def _spelled_out(self, name: str) -> str:
        """Return the full name of an abbreviated long option; if ambiguous, one whose value is not data."""
        known = (*self._program.options, *self._program.operands_after)
        if name in known or len(name) < len("--x"):
            return name
        candidates = [it for it in known if it.startswith(name)]
        return min(candidates, key=lambda it: Role.DATA in self._program.options.get(it, ()), default=name)

    def _long(self, word: Word, name: str, equals: str) -> None:
        value = word.after(len(name) + 1) if equals else word
        name = self._spelled_out(name)
        self._switch(name)
        roles = self._program.options.get(name, ())
        if equals and roles:
            self._use(value, roles[0])
        elif roles and word.literal:
            self._last_letter(word, name, has_more=False)
        else:
            self._unknown(value, is_alone=bool(equals))

    def _letters(self, word: Word) -> None:
        lead = word.lead
        for number, letter in enumerate(lead[1:], 2):
            option = f"-{letter}"
            self._switch(option)
            if option in self._program.options:
                has_more = number < len(lead) or word.literal is None
                self._last_letter(word.after(number), option, has_more=has_more)
                return
            if letter in self._program.attached:
                self._use(word, Role.DATA)
                return
            is_known = letter in self._program.flags or option in self._program.operands_after
            if not is_known and not self._program.lenient:
                self._unknown(word, is_alone=False)
                return
        if word.literal is None:
            self._unknown(word, is_alone=False)

    def _last_letter(self, word: Word, option: str, *, has_more: bool) -> None:
        if has_more:
            self._use(word, self._program.options[option][0])
        else:
            self._value(option)
        self._has_ended = self._has_ended or option in self._program.last

    def _unknown(self, word: Word, *, is_alone: bool) -> None:
        """Record an unknown option; it is also unknown whether the next word is its value."""
        is_data = self._program.lenient and not word.lead.startswith("+")
        roles = (Role.CODE,) if word.literal is None else (Role.CODE, Role.SCRIPT)
        self._use(word, *(Role.DATA,) if is_data else roles)
        self._is_certain = self._is_certain and (is_alone or self._program.lenient)

    def _switch(self, option: str) -> None:
        if option in self._program.operands_after:
            self._operands = self._program.operands_after[option]
            self._has_code = True
            self._stdin = self._program.stdin and Role.DATA in self._operands[:1] and option == "-s"

    def _value(self, option: str) -> None:
        for role in self._program.options[option]:
            if self._position >= len(self._words):
                return
            word = self._words[self._position]
            self._position += 1
            self._use(word, role)
            if not word.is_single_word or word in self._omittable:
                self._is_certain = False


def may_be_omitted(word: Word, optional: frozenset[str]) -> bool:
    """Return whether a word is a bare placeholder of an optional parameter."""
    part = word.parts[0] if len(word.parts) == 1 else None
    return isinstance(part, PlaceholderPart) and part.quoting is BARE and part.placeholder.name in optional
