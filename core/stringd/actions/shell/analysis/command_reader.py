"""Parse the commands of a command line, by the grammar of bash."""

from __future__ import annotations

import re

from stringd.actions.shell.analysis.shell_syntax import (
    Arithmetic,
    Command,
    CompoundCommand,
    ConditionalExpression,
    Expansion,
    Pipeline,
    Script,
    Text,
    Word,
)
from stringd.actions.shell.analysis.simple_commands import BLANKS, FUNCTION, SimpleCommandReader

_RESERVED = re.compile(
    r"(?:if|then|elif|else|fi|while|until|do|done|for|select|case|esac|function|time|coproc|[{}!]|\[\[)"
    r"(?=[\s;&|()<>]|\Z)"
)
_CLOSING = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})
_END_OF_TEST = re.compile(r"\]\](?=[\s;&|()<>]|\Z)")
_IN = re.compile(r"in(?=[\s;])")
_PORTABLE = re.compile(r"-p(?=[ \t])")
_NAME = re.compile(r"[^\s;&|()<>'\"\\$`{}]+")
_VARIABLE = re.compile(r"[A-Za-z_]\w*(?=[\s;]|\Z)", re.ASCII)
_SEPARATORS = re.compile(r"&&|\|\||;(?!;)|&(?!>)|\n")
_CASE_END = re.compile(r";;&|;;|;&")
_TESTING = re.compile(r"&&|\|\||[()<>]")
_MATCHES = frozenset({"=~", "==", "=", "!="})
# A line continuation joins two lines into one word; joined operators are not supported.
_JOINED = re.compile(r"[$<>&|;(){!]\\\n[<>&|;({$!'\"]")


class CommandReader(SimpleCommandReader):
    """Parses a command line from left to right."""

    def inner(self, text: str) -> CommandReader:
        """Return a parser for a nested text that was written with backslashes."""
        return CommandReader(text, self.names, self.line, self.depth, self.lists)

    def script(self) -> Script:
        """Parse all commands of the text."""
        if _JOINED.search(self.text):
            raise self.unreadable("a line is continued between two operators")
        script = self._until()
        if self.position < self.end:
            raise self.unreadable(f"{self.peek()!r} has no opening counterpart")
        self._require_lines()
        return script

    def nested(self, closer: str) -> Script:
        """Parse the commands up to a closing token, and skip it."""
        outer, self._heredocs = self._heredocs, ()
        with self.deeper():
            script = self._until()
        self._require_lines()
        self._heredocs = outer
        self.expect(closer)
        return script

    def _until(self, *words: str) -> Script:
        """Parse commands up to one of these reserved words, or to the end of the enclosing construct."""
        pipelines = []
        while True:
            self._skip_separators()
            if self.position >= self.end or self.peek() == ")" or self.match(_CASE_END):
                break
            found = self.match(_RESERVED)
            if found and found[0] in words:
                break
            if found and found[0] in _CLOSING:
                raise self.unreadable(f"{found[0]} has no opening counterpart")
            pipelines.append(self._pipeline())
        return tuple(pipelines)

    def _skip_separators(self) -> None:
        self.take(BLANKS)
        while separator := self.take(_SEPARATORS):
            if separator == "\n":
                self._read_heredocs()
            self.take(BLANKS)

    def _pipeline(self) -> Pipeline:
        while self._accept_word("!") or self._accept_word("time"):
            self.take(_PORTABLE)
            self.take(BLANKS)
        commands = [self._command()]
        self.take(BLANKS)
        while self.peek(2) != "||" and (self.accept("|&") or self.accept("|")):
            self._skip_lines()
            commands.append(self._command())
            self.take(BLANKS)
        return tuple(commands)

    def _accept_word(self, *words: str) -> str:
        """Skip one of these reserved words if it comes next, and return it."""
        found = self.match(_RESERVED)
        if found is None or found[0] not in words:
            return ""
        self.position = found.end()
        self.take(BLANKS)
        return found[0]

    def _expect_word(self, word: str) -> None:
        if not self._accept_word(word):
            raise self.unreadable(f"there is no {word} where one is expected")

    def _command(self) -> Command:
        if self.accept("(("):
            return self._redirected(CompoundCommand(computed=(self.computed("))"),)))
        if self.accept("("):
            return self._redirected(CompoundCommand(scripts=(self.nested(")"),)))
        found = self._accept_word(
            "if", "while", "until", "for", "select", "case", "function", "coproc", "{", "[["
        )
        if not found:
            return self._simple()
        with self.deeper():
            return self._reserved(found)

    def _reserved(self, word: str) -> Command:
        match word:
            case "{":
                script = self._until("}")
                self._expect_word("}")
                return self._redirected(CompoundCommand(scripts=(script,)))
            case "[[":
                return self._condition()
            case "if":
                return self._if()
            case "while" | "until":
                return self._redirected(CompoundCommand(scripts=(self._until("do"), self._body())))
            case "for" | "select":
                return self._for()
            case "case":
                return self._case()
            case "function":
                name = self.take(_NAME)
                self.take(FUNCTION)
                return self.function(name)
        raise self.unreadable(f"{word} is not understood")

    def _redirected(self, command: CompoundCommand) -> CompoundCommand:
        redirects = tuple(self._redirects())
        return CompoundCommand(
            scripts=command.scripts,
            words=command.words,
            computed=command.computed,
            variable=command.variable,
            function=command.function,
            redirects=redirects,
        )

    def _body(self) -> Script:
        if self._accept_word("{"):
            script = self._until("}")
            self._expect_word("}")
            return script
        self._expect_word("do")
        script = self._until("done")
        self._expect_word("done")
        return script

    def _if(self) -> Command:
        scripts = [self._until("then")]
        word = self._accept_word("then")
        while word:
            scripts.append(self._until("then", "elif", "else", "fi"))
            if self._accept_word("fi"):
                return self._redirected(CompoundCommand(scripts=tuple(scripts)))
            word = self._accept_word("then", "elif", "else")
        raise self.unreadable("an if does not end")

    def _for(self) -> Command:
        computed: tuple[Arithmetic, ...] = ()
        words: list[Word] = []
        variable = None
        if self.accept("(("):
            computed = (self.computed("))"),)
        else:
            variable = self.take(_VARIABLE)
            words = self._list(variable)
        self._skip_separators()
        body = self._body()
        return self._redirected(
            CompoundCommand(scripts=(body,), words=tuple(words), computed=computed, variable=variable)
        )

    def _list(self, variable: str) -> list[Word]:
        if not variable:
            raise self.unreadable("a loop has no variable")
        self._skip_lines()
        if not self.take(_IN):
            return [Word(parts=(Expansion(name="@", quoted=False),))]
        words = []
        self.take(BLANKS)
        while word := self._argument():
            words.append(word)
            self.take(BLANKS)
        return words

    def _case(self) -> Command:
        words, scripts = [self._argument() or Word(parts=())], []
        self._skip_lines()
        if not self.take(_IN):
            raise self.unreadable("a case has no in")
        self._skip_lines()
        while not self._accept_word("esac"):
            self.accept("(")
            words += self._patterns()
            scripts.append(self._until("esac"))
            self.take(_CASE_END)
            self._skip_lines()
        return self._redirected(CompoundCommand(scripts=tuple(scripts), words=tuple(words)))

    def _patterns(self) -> list[Word]:
        words = []
        while True:
            self.take(BLANKS)
            words.append(self._argument() or Word(parts=()))
            self.take(BLANKS)
            if not self.accept("|"):
                self.expect(")")
                return words

    def function(self, name: str) -> Command:
        """Parse the body of a function."""
        if not name:
            raise self.unreadable("a function has no name")
        self._skip_lines()
        with self.deeper():
            return CompoundCommand(scripts=(((self._command(),),),), function=name)

    def _condition(self) -> Command:
        words: list[Word] = []
        self._skip_lines()
        while not self.take(_END_OF_TEST):
            word = self._tested(words[-1].literal if words else None)
            if word is None:
                raise self.unreadable("a [[ is not closed")
            words.append(word)
            self._skip_lines()
        return ConditionalExpression(words=tuple(words), redirects=tuple(self._redirects()))

    def _tested(self, before: str | None) -> Word | None:
        """Parse an operator or an operand; after `=~`, `==` and the like, operators are part of a pattern."""
        if before in _MATCHES:
            return self.pattern()
        mark = self.take(_TESTING)
        return Word(parts=(Text(text=mark, quoted=False),)) if mark else self.word()
