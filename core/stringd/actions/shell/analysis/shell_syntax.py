"""The syntax tree of a bash command line: commands, words, and the placeholders in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from stringd.actions.values.placeholders import Placeholder


class QuotingContext(Struct, frozen=True, kw_only=True):
    """The text around a reference to a value, so that bash takes it as one literal text in its context."""

    before: str = ""
    after: str = ""


# The first character of a plane for private use.
_FIRST_MARK = 0xF0000
BARE = QuotingContext(before='"', after='"')
DOUBLE = QuotingContext()
SINGLE = QuotingContext(before="'\"", after="\"'")
ANSI = QuotingContext(before="'\"", after="\"$'")
ARITHMETIC = QuotingContext()


class PlaceholderPart(Struct, frozen=True, kw_only=True, eq=False):
    """A placeholder in its quoting context, and its line within the command.

    An unquoted list `is_several`: alone in a word, it may become any number of words.
    """

    placeholder: Placeholder
    quoting: QuotingContext
    line: int
    is_several: bool = False


class SiblingFile(Struct, frozen=True, kw_only=True):
    """A word `./path` that may name a file of the app's package; its quotes are kept."""

    path: str
    quote: str

    def __str__(self) -> str:
        return f"{self.quote}./{self.path}{self.quote}"


class NestedText(Struct, frozen=True, kw_only=True):
    """A word with commands of another shell, whose pieces name files of the app's package.

    `values` are the word's placeholders, each of which `mark_of` stands for in the pieces.
    """

    pieces: tuple[Piece, ...]
    values: tuple[PlaceholderPart, ...] = ()


Piece: TypeAlias = str | PlaceholderPart | SiblingFile | NestedText


def mark_of(number: int) -> str:
    """Return the character, of no meaning to a shell, that stands for a placeholder in nested text."""
    return chr(_FIRST_MARK + number)


class Text(Struct, frozen=True, kw_only=True):
    """Literal text, without its quotes."""

    text: str
    quoted: bool


class Expansion(Struct, frozen=True, kw_only=True):
    """A parameter expansion; `name` is empty if nothing is known of the text.

    An expansion that may become several words, such as `"$@"`, counts as unquoted.
    """

    name: str
    quoted: bool
    prefix: str = ""
    operator: str = ""
    words: tuple[Word, ...] = ()
    computed: tuple[Arithmetic, ...] = ()


class Substitution(Struct, frozen=True, kw_only=True):
    """A command substitution, or a process substitution if `is_file`."""

    script: Script
    quoted: bool
    is_file: bool = False


class Arithmetic(Struct, frozen=True, kw_only=True):
    """Arithmetic: `$(( ))`, `(( ))`, a subscript, or the numbers of `${x:1:2}`."""

    parts: tuple[Part, ...]


Part: TypeAlias = PlaceholderPart | Text | Expansion | Substitution | Arithmetic


class Word(Struct, frozen=True, kw_only=True, eq=False):
    """A word of a command; `replace` records a piece that stands in its place when the command runs."""

    parts: tuple[Part, ...]
    replace: Callable[[NestedText], None] | None = None

    @property
    def literal(self) -> str | None:
        """The text of a word that is entirely literal; None for others."""
        texts = [it.text for it in self.parts if isinstance(it, Text)]
        return "".join(texts) if len(texts) == len(self.parts) else None

    @property
    def first(self) -> Part | None:
        """The first part of the word, without empty quotes."""
        return next((it for it in self.parts if not isinstance(it, Text) or it.text), None)

    def after(self, length: int) -> Word:
        """Return the rest of a word behind literal text, such as the value that is attached to an option."""
        parts: list[Part] = []
        left = length
        for part in self.parts:
            parts.append(replace(part, text=part.text[left:]) if isinstance(part, Text) else part)
            left = max(0, left - len(part.text)) if isinstance(part, Text) else 0
        return Word(parts=tuple(parts), replace=self.replace and self._behind(self.lead[:length]))

    def _behind(self, lead: str) -> Callable[[NestedText], None]:
        def put(nested: NestedText) -> None:
            if self.replace:
                self.replace(NestedText(pieces=(lead, *nested.pieces), values=nested.values))

        return put

    @property
    def is_list(self) -> bool:
        """Whether the word is an unquoted list, which becomes a word for each element."""
        first = self.parts[0] if len(self.parts) == 1 else None
        return isinstance(first, PlaceholderPart) and first.is_several

    @property
    def is_single_word(self) -> bool:
        """Whether the word always expands to exactly one word."""
        if self.is_list:
            return False
        bare = "".join(it.text for it in self.parts if isinstance(it, Text) and not it.quoted)
        many = (it for it in self.parts if isinstance(it, Expansion | Substitution) and not it.quoted)
        return not _may_be_many(bare) and all(isinstance(it, Substitution) and it.is_file for it in many)

    @property
    def lead(self) -> str:
        """The literal text at the start of the word."""
        texts = []
        for part in self.parts:
            if not isinstance(part, Text):
                break
            texts.append(part.text)
        return "".join(texts)

    @property
    def tail(self) -> str:
        """The literal text at the end of the word."""
        texts: list[str] = []
        for part in reversed(self.parts):
            if not isinstance(part, Text):
                break
            texts.insert(0, part.text)
        return "".join(texts)


def shown_text(word: Word) -> str:
    """Return the text of a word with a mark for each part that is not literal."""
    marks = map(mark_of, range(len(word.parts)))
    return "".join(it.text if isinstance(it, Text) else next(marks) for it in word.parts)


def marked_text(word: Word) -> str | None:
    """Return the text of a word with a mark for each placeholder; None if anything else is not literal."""
    is_fixed = all(isinstance(it, Text | PlaceholderPart) for it in word.parts)
    return shown_text(word) if is_fixed else None


def _may_be_many(bare: str) -> bool:
    """Return whether unquoted text contains a glob pattern or a brace expansion."""
    in_braces = bare[bare.index("{") :] if "{" in bare else ""
    return not set("*?[").isdisjoint(bare) or "," in in_braces or ".." in in_braces


class ArrayElement(Struct, frozen=True, kw_only=True):
    """An element of `name=( )`."""

    subscript: Arithmetic | None
    value: Word


class Assignment(Struct, frozen=True, kw_only=True):
    """`name=value`, `name[subscript]+=value` or `name=( )`."""

    name: str
    subscript: Arithmetic | None
    value: Word
    elements: tuple[ArrayElement, ...] | None
    is_added: bool = False


class Redirect(Struct, frozen=True, kw_only=True):
    """A redirection; the lines of a here-document are parsed later than the command."""

    operator: str
    target: Word
    lines: list[Word] = field(default_factory=list)


class SimpleCommand(Struct, frozen=True, kw_only=True):
    """A simple command; `declared` are the assignments among the arguments of `declare` and the like."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    declared: tuple[Assignment, ...]
    redirects: tuple[Redirect, ...]


class ConditionalExpression(Struct, frozen=True, kw_only=True):
    """A `[[ ]]` expression."""

    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]


class CompoundCommand(Struct, frozen=True, kw_only=True):
    """A compound command: a group, a conditional, a loop, a `case` or a function."""

    scripts: tuple[Script, ...] = ()
    words: tuple[Word, ...] = ()
    computed: tuple[Arithmetic, ...] = ()
    variable: str | None = None
    function: str | None = None
    redirects: tuple[Redirect, ...] = ()


Command: TypeAlias = SimpleCommand | ConditionalExpression | CompoundCommand
Pipeline: TypeAlias = tuple[Command, ...]
Script: TypeAlias = tuple[Pipeline, ...]


class Unreadable(Exception):
    """A command line, or a part of it, that is not supported."""

    def __init__(self, what: str, line: int) -> None:
        super().__init__(what)
        self.what = what
        self.line = line
