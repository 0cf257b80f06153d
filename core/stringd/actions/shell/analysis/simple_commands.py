"""Parse simple commands: assignments, words, redirections and here-documents."""

from __future__ import annotations

import re
from abc import abstractmethod

from msgspec import Struct

from stringd.actions.shell.analysis.shell_syntax import (
    ArrayElement,
    Assignment,
    Command,
    Redirect,
    SiblingFile,
    SimpleCommand,
    Word,
)
from stringd.actions.shell.analysis.word_reader import WordReader

DECLARING = frozenset({"declare", "typeset", "local", "export", "readonly"})
BLANKS = re.compile(r"(?:[ \t]|\\\n)*(?:#[^\n]*)?")
FUNCTION = re.compile(r"[ \t]*\([ \t]*\)")
_REDIRECT = re.compile(
    r"(?:\d+|\{\w+\})?(?P<operator><<<|<<-|<<|<>|<&|<(?!\()|>>|>&|>\||>(?!\()|&>>|&>)", re.ASCII
)
_DELIMITER = re.compile(r"""(?:\\.|'[^'\n]*'|"[^"\n]*"|[^\s;|&()<>'"\\])+""")
_QUOTES = re.compile(r"""\\(.)|['"]""")
_ASSIGNED = re.compile(r"(?P<name>[A-Za-z_]\w*)(?P<mark>\+?=|\[)", re.ASCII)
_EQUALS = re.compile(r"\+?=")
_SIBLING = re.compile(
    r"""\./(?P<bare>[^\s;|&()<>'"$`\\{}*?\[]+)|"\./(?P<double>[^"$`\\{}]+)"|'\./(?P<single>[^'{}]+)'"""
)
_CONTINUED = re.compile(r"(?<!\\)(?:\\\\)*\\\n\Z")
_END_OF_LINES = "END_OF_LINES_OF_STRINGD"


class _Heredoc(Struct, frozen=True, kw_only=True):
    """A here-document whose lines are still to come, and the span of its delimiter."""

    delimiter: str
    tabs: bool
    start: int
    end: int
    redirect: Redirect

    @property
    def is_quoted(self) -> bool:
        return len(self.delimiter) != self.end - self.start


class SimpleCommandReader(WordReader):
    """Parses simple commands; the bodies of functions are left to a subclass."""

    _heredocs: tuple[_Heredoc, ...] = ()
    """The here documents that the current line announces."""

    @abstractmethod
    def function(self, name: str) -> Command:
        """Parse the body of a function."""

    def _require_lines(self) -> None:
        if self._heredocs:
            raise self.unreadable("the lines of a here-document are missing")

    def _skip_lines(self) -> None:
        self.take(BLANKS)
        while self.accept("\n"):
            self._read_heredocs()
            self.take(BLANKS)

    def _simple(self) -> Command:
        assignments: list[Assignment] = []
        declared: list[Assignment] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        start = self.position
        while True:
            self.take(BLANKS)
            is_declaring = bool(words) and words[0].literal in DECLARING
            if redirect := self._redirect():
                redirects.append(redirect)
            elif (not words or is_declaring) and (assignment := self._assignment()):
                (declared if words else assignments).append(assignment)
            elif word := self._argument():
                words.append(word)
                name = self.text[start : self.position]
                if len(words) == 1 and not assignments and not redirects and self.take(FUNCTION):
                    return self.function(name)
            else:
                break
        if self.peek() == "(":
            raise self.unreadable("a ( is not allowed here")
        if self.position == start:
            raise self.unreadable(f"{self.peek()!r} does not begin a command")
        return SimpleCommand(
            assignments=tuple(assignments),
            words=tuple(words),
            declared=tuple(declared),
            redirects=tuple(redirects),
        )

    def _argument(self) -> Word | None:
        """Parse a word, which may name a file of the package."""
        start = self.position
        word = self.word()
        found = _SIBLING.fullmatch(self.text, start, self.position)
        if found:
            quote = "" if found["bare"] else found[0][0]
            path = found["bare"] or found["double"] or found["single"]
            self.replace(start, self.position, SiblingFile(path=path, quote=quote))
        return word

    def _assignment(self) -> Assignment | None:
        found = self.match(_ASSIGNED)
        if found is None:
            return None
        self.position = found.end()
        subscript, mark = None, found["mark"]
        if mark == "[":
            subscript = self.computed("]")
            mark = self.take(_EQUALS)
            if not mark:
                raise self.unreadable(f"{found['name']}[ ] is neither assigned to nor quoted")
        elements = self._elements() if self.accept("(") else None
        value = (self.word() if elements is None else None) or Word(parts=())
        return Assignment(
            name=found["name"],
            subscript=subscript,
            value=value,
            elements=elements,
            is_added=mark == "+=",
        )

    def _elements(self) -> tuple[ArrayElement, ...]:
        elements = []
        self._skip_lines()
        while not self.accept(")"):
            subscript = None
            if self.accept("["):
                subscript = self.computed("]")
                if not self.take(_EQUALS):
                    raise self.unreadable("an element begins with [ and is neither assigned to nor quoted")
            value = self._argument()
            if value is None and subscript is None:
                raise self.unreadable("the elements of an array do not end")
            elements.append(ArrayElement(subscript=subscript, value=value or Word(parts=())))
            self._skip_lines()
        return tuple(elements)

    def _redirects(self) -> list[Redirect]:
        redirects = []
        self.take(BLANKS)
        while redirect := self._redirect():
            redirects.append(redirect)
            self.take(BLANKS)
        return redirects

    def _redirect(self) -> Redirect | None:
        found = self.match(_REDIRECT)
        if found is None or next(self.placeholders_between(found.start(), found.end()), None):
            return None
        self.position = found.end()
        self.take(BLANKS)
        operator = found["operator"]
        if operator in {"<<", "<<-"}:
            return self._announced(operator)
        target = self._argument()
        if target is None:
            raise self.unreadable(f"there is nothing after {operator}")
        return Redirect(operator=operator, target=target)

    def _announced(self, operator: str) -> Redirect:
        found = self.match(_DELIMITER)
        if found is None or next(self.placeholders_between(found.start(), found.end()), None):
            raise self.unreadable("the delimiter of a here-document is not a fixed text")
        self.position = found.end()
        redirect = Redirect(operator=operator, target=Word(parts=()))
        announced = _Heredoc(
            delimiter=_QUOTES.sub(r"\1", found[0]),
            tabs=operator == "<<-",
            start=found.start(),
            end=found.end(),
            redirect=redirect,
        )
        self._heredocs = (*self._heredocs, announced)
        return redirect

    def _read_heredocs(self) -> None:
        announced, self._heredocs = self._heredocs, ()
        for heredoc in announced:
            self._read_lines(heredoc)

    def _read_lines(self, heredoc: _Heredoc) -> None:
        tabs = r"\t*" if heredoc.tabs else ""
        closing = re.compile(rf"^{tabs}{re.escape(heredoc.delimiter)}$", re.MULTILINE)
        found = closing.search(self.text, self.position, self.end)
        if found is None:
            raise self.unreadable(f"there is no line {heredoc.delimiter!r}")
        start, outer, self.end = self.position, self.end, found.start()
        if not heredoc.is_quoted and _CONTINUED.search(self.text, start, self.end):
            raise self.unreadable("the last line of a here-document is continued")
        heredoc.redirect.lines.append(self.lines(expanded=not heredoc.is_quoted))
        self.end, self.position = outer, found.end()
        if heredoc.is_quoted and next(self.placeholders_between(start, found.start()), None):
            self._let_expand(heredoc, start, found)

    def _let_expand(self, heredoc: _Heredoc, start: int, closing: re.Match[str]) -> None:
        """Make bash expand the values in literal lines: unquote the delimiter, and escape everything else."""
        self.replace(heredoc.start, heredoc.end, _END_OF_LINES)
        for special in re.compile(r"[\\$`]").finditer(self.text, start, closing.start()):
            self.replace(special.start(), special.end(), f"\\{special[0]}")
        self.replace(*closing.span(), _END_OF_LINES)
