"""Parse the words of a command line: quotes, expansions and arithmetic."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial

from stringd.actions.shell.analysis.cursor import Cursor
from stringd.actions.shell.analysis.shell_syntax import (
    ANSI,
    ARITHMETIC,
    BARE,
    DOUBLE,
    SINGLE,
    Arithmetic,
    Expansion,
    Part,
    QuotingContext,
    Script,
    Substitution,
    Text,
    Word,
)

# A brace is matched separately, because a placeholder may begin with it.
_PLAIN = re.compile(r"[^ \t\n;&|()<>'\"\\$`{}]+|[{}]")
_IN_BRACES = re.compile(r"[^'\"\\$`{}]+|\{")
_IN_DOUBLE = re.compile(r"[^\"\\$`{]+|\{")
_IN_LINES = re.compile(r"[^\\$`{]+|\{")
_IN_DOUBLE_BRACES = re.compile(r"[^'\"\\$`{}]+|\{")
_IN_ARITHMETIC = re.compile(r"[^'\"\\$`{()\[\]};]+|[{;]")
_IN_TEST = re.compile(r"[^ \t\n'\"\\$`{}]+|[{}]")
_TO_QUOTE = re.compile(r"[^'\\{]+|\{")
_BACKTICKS = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*|\d|[@*#?$!-]", re.ASCII)
_PARAMETER = r"(?:[A-Za-z_][A-Za-z0-9_]*|\d+|[@*#?$!-])"
# `${#x}` and `${!x}`, but not `${#:1}` and `${!}`, in which the mark is the parameter.
_PREFIXED = re.compile(rf"(?P<prefix>[#!])(?P<name>{_PARAMETER})(?=[}}\[:#%/^,@+=?*-])")
_UNPREFIXED = re.compile(rf"(?P<prefix>)(?P<name>{_PARAMETER})")
_DEFAULT = re.compile(r":?[-=?+]")
_MATCHING = re.compile(r"##?|%%?|//|/[#%]?|\^\^?|,,?")
_TRANSFORMED = re.compile(r"@[A-Za-z](?=\})|[*@](?=\})")
_ALL = re.compile(r"\[[@*]\]")
_BRACKETS = {"(": ")", "[": "]"}


class WordReader(Cursor, ABC):
    """Parses words; the commands inside them are left to a subclass."""

    @abstractmethod
    def nested(self, closer: str) -> Script:
        """Parse the commands up to a closing token, and skip it."""

    @abstractmethod
    def inner(self, text: str) -> WordReader:
        """Return a parser for a nested text that was written with backslashes."""

    @abstractmethod
    def script(self) -> Script:
        """Parse all commands of the text."""

    def word(self) -> Word | None:
        """Parse the word that starts here, if there is one."""
        start = self.position
        parts = tuple(self._parts(_PLAIN))
        return Word(parts=parts, replace=partial(self.replace_all, start, self.position)) if parts else None

    def pattern(self) -> Word | None:
        """Parse a pattern of `[[ ]]`, which may contain operator characters."""
        return Word(parts=tuple(parts)) if (parts := self._parts(_IN_TEST)) else None

    def lines(self, *, expanded: bool) -> Word:
        """Parse the lines of a here-document, up to the current end."""
        read = self._in_lines if expanded else self._literal_line
        return Word(parts=tuple(self._until_end(read)))

    def computed(self, closer: str) -> Arithmetic:
        """Parse arithmetic up to a closing token, and skip it."""
        with self.deeper():
            parts = self._arithmetic(closer[0])
        self.expect(closer)
        return Arithmetic(parts=tuple(parts))

    def _parts(self, plain: re.Pattern[str]) -> list[Part]:
        parts: list[Part] = []
        while (read := self._bare(plain)) is not None:
            parts += read
        return parts

    def _until_end(self, read: Callable[[], list[Part]]) -> list[Part]:
        parts: list[Part] = []
        while self.position < self.end:
            parts += read()
        return parts

    def _bare(self, plain: re.Pattern[str]) -> list[Part] | None:
        """Parse an unquoted part of a word; return None at its end."""
        if part := self.read_placeholder(BARE):
            return [part]
        match self.peek():
            case "\\":
                return self._escaped(any_character=True)
            case "'":
                return self._quoted("'", SINGLE)
            case '"':
                return self._double()
            case "$":
                return self._dollar(quoted=False)
            case "`":
                return [self._backticks(in_double=False)]
            case "<" | ">" if self.peek(2)[1:] == "(" and plain is _PLAIN:
                self.position += 2
                return [Substitution(script=self.nested(")"), quoted=False, is_file=True)]
        text = self.take(plain)
        return [Text(text=text, quoted=False)] if text else None

    def _escaped(self, *, any_character: bool, special: str = "") -> list[Part]:
        self.position += 1
        character = self.peek()
        if not any_character and character not in special:
            return [Text(text="\\", quoted=True)]
        self.position += len(character)
        return [] if character == "\n" else [Text(text=character, quoted=True)]

    def _quoted(self, closer: str, quoting: QuotingContext) -> list[Part]:
        """Parse a single-quoted text; in an ANSI-C quote, nothing is known of it from the first escape on."""
        self.position += 1
        # An empty quoted text still makes a word.
        parts: list[Part] = [Text(text="", quoted=True)]
        is_known = True
        while not self.accept(closer):
            if part := self.read_placeholder(quoting):
                parts.append(part)
            elif text := self.take(_TO_QUOTE):
                parts += [Text(text=text, quoted=True)] if is_known else []
            elif self.peek() != "\\":
                raise self.unreadable("a quote is not closed")
            elif quoting is SINGLE:
                self.position += 1
                parts.append(Text(text="\\", quoted=True))
            else:
                self.position += 2
                is_known = False
                parts.append(Expansion(name="", quoted=True))
        return parts

    def _double(self) -> list[Part]:
        self.position += 1
        parts: list[Part] = [Text(text="", quoted=True)]
        with self.deeper():
            while not self.accept('"'):
                parts += self._in_quotes(_IN_DOUBLE, special='$`"\\\n')
        return parts

    def _in_lines(self) -> list[Part]:
        return self._in_quotes(_IN_LINES, special="$`\\\n")

    def _literal_line(self) -> list[Part]:
        if part := self.read_placeholder(DOUBLE):
            return [part]
        start = self.position
        following = next(self.placeholders_between(start, self.end), None)
        self.position = following.start if following else self.end
        return [Text(text=self.text[start : self.position], quoted=True)]

    def _in_quotes(self, plain: re.Pattern[str], special: str) -> list[Part]:
        if part := self.read_placeholder(DOUBLE):
            return [part]
        match self.peek():
            case "\\":
                return self._escaped(any_character=False, special=special)
            case "$":
                return self._dollar(quoted=True)
            case "`":
                return [self._backticks(in_double=special.count('"') > 0)]
        text = self.take(plain)
        if not text:
            raise self.unreadable("a quote is not closed")
        return [Text(text=text, quoted=True)]

    def _dollar(self, *, quoted: bool) -> list[Part]:
        following = self.peek(3)[1:]
        self.position += 1
        if following == "((":
            self.position += 2
            return [self.computed("))")]
        match following[:1]:
            case "(":
                self.position += 1
                return [Substitution(script=self.nested(")"), quoted=quoted)]
            case "{":
                self.position += 1
                with self.deeper():
                    return [self._expansion(quoted=quoted)]
            case "[":
                self.position += 1
                return [self.computed("]")]
            case "'" if not quoted:
                return self._quoted("'", ANSI)
            case '"' if not quoted:
                return self._double()
        name = self.take(_NAME)
        if not name:
            return [Text(text="$", quoted=quoted)]
        return [Expansion(name=name, quoted=quoted and name != "@")]

    def _expansion(self, *, quoted: bool) -> Expansion:
        found = self.match(_PREFIXED) or self.match(_UNPREFIXED)
        if found is None:
            raise self.unreadable("a ${ } does not name a variable")
        self.position = found.end()
        computed: list[Arithmetic] = []
        words: list[Word] = []
        is_all = bool(self.take(_ALL)) or found["name"] == "@"
        if self.accept("["):
            computed.append(self.computed("]"))
        operator = self.take(_DEFAULT) or self.take(_TRANSFORMED) or self.take(_MATCHING)
        if operator.endswith(("-", "=", "?", "+")):
            words.append(self._in_braces(quoted=quoted))
        elif operator and operator[0] not in "@*":
            words.append(self._in_braces(quoted=False))
        elif self.accept(":"):
            computed.append(self.computed("}"))
            self.position -= 1
        self.expect("}")
        return Expansion(
            name=found["name"],
            prefix=found["prefix"],
            operator=operator,
            quoted=quoted and not is_all,
            words=tuple(words),
            computed=tuple(computed),
        )

    def _in_braces(self, *, quoted: bool) -> Word:
        if not quoted:
            return Word(parts=tuple(self._parts(_IN_BRACES)))
        parts: list[Part] = []
        while self.peek() not in ("}", ""):
            if self.peek() == '"':
                parts += self._double()
            else:
                parts += self._in_quotes(_IN_DOUBLE_BRACES, special='$`"\\}\n')
        return Word(parts=tuple(parts))

    def _arithmetic(self, closer: str) -> list[Part]:
        parts: list[Part] = []
        while self.peek() != closer:
            part = self.read_placeholder(ARITHMETIC)
            parts += [part] if part else self._computed_part()
        return parts

    def _computed_part(self) -> list[Part]:
        match character := self.peek():
            case "(" | "[":
                self.position += 1
                return list(self.computed(_BRACKETS[character]).parts)
            case "$":
                return self._dollar(quoted=True)
            case "`":
                return [self._backticks(in_double=True)]
            case '"':
                return self._double()
            case "'":
                return self._quoted("'", SINGLE)
        if self.accept("\\\n"):
            return []
        if text := self.take(_IN_ARITHMETIC):
            return [Text(text=text, quoted=False)]
        raise self.unreadable("the arithmetic is not closed")

    def _backticks(self, *, in_double: bool) -> Substitution:
        """Parse backticks; with replacements they become `$( )`, whose quoting does not nest."""
        found = self.match(_BACKTICKS)
        if found is None:
            raise self.unreadable("a backtick is not closed")
        special = '$`"\\\\' if in_double else "$`\\\\"
        with self.deeper():
            reader = self.inner(re.sub(rf"\\([{special}])", r"\1", found[1]))
            script = reader.script()
        self.position = found.end()
        if reader.is_changed:
            self.replace(found.start(), found.end(), "$(", *reader.pieces(), "\n)")
        return Substitution(script=script, quoted=in_double)
