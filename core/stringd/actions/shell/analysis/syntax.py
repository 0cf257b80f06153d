"""A command line in bash as data: its commands, its words, and the places for values in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from stringd.actions.values.placeholders import Placeholder


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotingContext:
    """What goes before and after a reference to a value, so that bash takes it as one text there."""

    before: str = ""
    after: str = ""


BARE = QuotingContext(before='"', after='"')
DOUBLE = QuotingContext()
SINGLE = QuotingContext(before="'\"", after="\"'")
ANSI = QuotingContext(before="'\"", after="\"$'")
ARITHMETIC = QuotingContext()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlaceholderPart:
    """One place for a value: how bash reads what stands there, and on which line of the command."""

    placeholder: Placeholder
    quoting: QuotingContext
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """What an author wrote, without the quotes that it stood in."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """A variable, or what `${ }` makes of it; `name` is empty where nothing can be said about the text.

    What may become several words, as `"$@"` does, counts as not quoted.
    """

    name: str
    quoted: bool
    prefix: str = ""
    operator: str = ""
    words: tuple[Word, ...] = ()
    computed: tuple[Arithmetic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Substitution:
    """What the commands in `$( )` or backticks print, or the name that `<( )` has."""

    script: Script
    quoted: bool
    is_file: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic:
    """A text that bash computes with: `$(( ))`, `(( ))`, a subscript, the numbers of `${x:1:2}`."""

    parts: tuple[Part, ...]


Part: TypeAlias = PlaceholderPart | Text | Expansion | Substitution | Arithmetic


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Word:
    """A word of a command, as its parts."""

    parts: tuple[Part, ...]

    @property
    def literal(self) -> str | None:
        """The text of a word that is always the same; None for others."""
        texts = [it.text for it in self.parts if isinstance(it, Text)]
        return "".join(texts) if len(texts) == len(self.parts) else None

    @property
    def first(self) -> Part | None:
        """The part with which the word begins; quotes with nothing in them are none."""
        return next((it for it in self.parts if not isinstance(it, Text) or it.text), None)

    @property
    def is_single_word(self) -> bool:
        """Whether it is always one word."""
        bare = "".join(it.text for it in self.parts if isinstance(it, Text) and not it.quoted)
        many = (it for it in self.parts if isinstance(it, Expansion | Substitution) and not it.quoted)
        return not _may_be_many(bare) and all(isinstance(it, Substitution) and it.is_file for it in many)

    @property
    def lead(self) -> str:
        """The text with which the word always begins."""
        texts = []
        for part in self.parts:
            if not isinstance(part, Text):
                break
            texts.append(part.text)
        return "".join(texts)

    @property
    def tail(self) -> str:
        """The text with which the word always ends."""
        texts: list[str] = []
        for part in reversed(self.parts):
            if not isinstance(part, Text):
                break
            texts.insert(0, part.text)
        return "".join(texts)


def _may_be_many(bare: str) -> bool:
    """Whether a text without quotes is a pattern for files, or braces that bash makes several words of."""
    in_braces = bare[bare.index("{") :] if "{" in bare else ""
    return not set("*?[").isdisjoint(bare) or "," in in_braces or ".." in in_braces


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayElement:
    """One element of `name=( )`."""

    subscript: Arithmetic | None
    value: Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """`name=value`, `name[subscript]+=value` or `name=( )`."""

    name: str
    subscript: Arithmetic | None
    value: Word
    elements: tuple[ArrayElement, ...] | None
    is_added: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirect:
    """A redirection; the lines of a here-document are read later than the command."""

    operator: str
    target: Word
    lines: list[Word] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimpleCommand:
    """A command of words; `declared` are the assignments among the arguments of `declare` and the like."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    declared: tuple[Assignment, ...]
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionalExpression:
    """What stands in `[[ ]]`."""

    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompoundCommand:
    """A command of commands: a group, a condition, a loop, a choice or a function."""

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
    """A command line, or a part of it, whose grammar is not known here."""

    def __init__(self, what: str, line: int) -> None:
        super().__init__(what)
        self.what = what
        self.line = line
