"""Reads the fence of one action, line by line."""

from __future__ import annotations

import re
import shlex
import textwrap
from dataclasses import dataclass, replace

from stringd.api.outlines import Form
from stringd.documents.syntax.action_headers import fault_of
from stringd.documents.syntax.blocks import Flaw
from stringd.documents.syntax.parameters import Parameter, read_parameter
from stringd.documents.syntax.parser import Fence

CLI = "CLI"
HTTP_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_FIRST_LINE = re.compile(r"[ \t]*(?P<method>[A-Z]+)[ \t]+(?=\S)")
_URL = re.compile(r"\S+")
# A quoted word may span lines, and a backslash at a line's end continues it; nothing is matched twice.
_WORD = re.compile(
    r"""(?:[ \t]|\\\n)*+(?P<word>(?:[^\s'"\\]|\\[^\n]|'[^']*+'|"(?:[^"\\]|\\.)*+")++)""", re.DOTALL
)
_SECTION = re.compile(r"[ \t]+(?P<name>body|headers):[ \t]*")
_HEADER = re.compile(r"\s*(?P<name>[\w!#$%&'*+.^`|~-]+):[ \t]*(?P<value>\S(?:.*\S)?)[ \t]*", re.ASCII)
_CAPITAL = re.compile(r"[ \t]+[A-Z]")
_SHOWN = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something an agent can do: an HTTP request, a command line, or a form of the page.

    `target` is the URL, or the command, its author's text untouched; `line` is where its fence begins and
    counts from 1.
    """

    id: str
    method: str
    target: str
    parameters: tuple[Parameter, ...]
    headers: tuple[tuple[str, str], ...]
    body: str | None
    line: int
    form: Form | None = None

    @property
    def takes_secrets(self) -> bool:
        """Whether one of the values of its calls is shown nowhere."""
        return any(it.secret for it in self.parameters)


class Reader:
    """Reads one fence from its first line to its last."""

    def __init__(self, fence: Fence, warnings: list[Flaw]) -> None:
        self._fence = fence
        self._warnings = warnings
        self._text = fence.text.rstrip("\n")
        self._lines = self._text.split("\n")
        self._number = next((number for number, line in enumerate(self._lines) if line.strip()), -1)
        self._parameters: dict[str, Parameter] = {}
        self._aliases: set[str] = set()
        self._headers: list[tuple[str, str]] = []
        self._body: str | None = None

    def action(self) -> Action | None:
        """Return what the fence declares, or None when its first line is none."""
        first = _FIRST_LINE.match(self._lines[self._number])
        if first is None or first["method"] not in (CLI, *HTTP_METHODS):
            expected = f"expected {', '.join(HTTP_METHODS)} or {CLI} and what it runs"
            self._complain(f"act.{self._fence.id} is no action: {expected}")
            return None
        is_cli = first["method"] == CLI
        target = self._command(first.end()) if is_cli else self._request(first.end())
        read = self._cli_line if is_cli else self._http_line
        while self._number < len(self._lines):
            self._number = read(self._lines[self._number])
        return self._made(first["method"], target)

    def _made(self, method: str, target: str) -> Action:
        return Action(
            id=self._fence.id,
            method=method,
            target=target,
            parameters=tuple(self._parameters.values()),
            headers=tuple(self._headers),
            body=self._body,
            line=self._fence.first + 1,
        )

    def _command(self, column: int) -> str:
        first = self._number
        while self._number < len(self._lines) and not self._is_parameter():
            self._number += 1
        command = [self._lines[first][column:], *self._lines[first + 1 : self._number]]
        return "\n".join(command).rstrip()

    def _is_parameter(self) -> bool:
        return read_parameter(self._lines[self._number], lambda _: None) is not None

    def _request(self, column: int) -> str:
        text = "\n".join(self._lines[self._number :])
        url = _URL.match(text, column)
        assert url is not None
        words, end = _words(text, url.end())
        self._options(words)
        left_over = text[end:].partition("\n")[0].strip()
        if left_over:
            self._complain(f"{_short(left_over)} is not understood")
        self._number += text.count("\n", 0, end) + 1
        return url[0]

    def _options(self, words: list[str]) -> None:
        rest = iter(words)
        for word in rest:
            value = next(rest, None) if word in {"-H", "-d"} else None
            if value is None:
                self._complain(f"{_short(word)} is not understood")
            elif word == "-H":
                self._header(value)
            else:
                self._take_body(value)

    def _cli_line(self, line: str) -> int:
        if line.strip() and not self._parameter(line):
            self._complain(f"{_short(line)} is not understood")
        return self._number + 1

    def _http_line(self, line: str) -> int:
        section = _SECTION.fullmatch(line)
        if section:
            return self._section(section["name"])
        if _CAPITAL.match(line) and _HEADER.fullmatch(line) and not self._is_parameter():
            self._header(line)
            return self._number + 1
        return self._cli_line(line)

    def _section(self, name: str) -> int:
        opener = self._number
        end = self._end_of_section(_indent(self._lines[opener]))
        text = textwrap.dedent("\n".join(self._lines[opener + 1 : end])).strip("\n")
        if name == "body":
            self._take_body(text)
            return end
        for self._number in range(opener + 1, end):
            if self._lines[self._number].strip():
                self._header(self._lines[self._number])
        return end

    def _end_of_section(self, indent: int) -> int:
        for number in range(self._number + 1, len(self._lines)):
            if self._lines[number].strip() and _indent(self._lines[number]) <= indent:
                return number
        return len(self._lines)

    def _take_body(self, text: str) -> None:
        if self._body is None:
            self._body = text
        else:
            self._complain("the body exists already")

    def _header(self, text: str) -> None:
        found = _HEADER.fullmatch(text)
        fault = fault_of(found["name"], found["value"]) if found else f"{_short(text)} is no header"
        if fault:
            self._complain(fault)
        elif found:
            self._headers.append((found["name"], found["value"]))

    def _parameter(self, line: str) -> bool:
        parameter = read_parameter(line, self._complain)
        if parameter is None:
            return False
        if parameter.name in self._parameters:
            self._complain(f"{parameter.name} is declared already")
        else:
            self._parameters[parameter.name] = self._with_free_alias(parameter)
        return True

    def _with_free_alias(self, parameter: Parameter) -> Parameter:
        if parameter.alias in self._aliases:
            self._complain(f"-{parameter.alias} is declared already")
            return replace(parameter, alias=None)
        if parameter.alias:
            self._aliases.add(parameter.alias)
        return parameter

    def _complain(self, message: str) -> None:
        self._warnings.append(flaw_of(self._fence, message, self._number))


def _words(text: str, position: int) -> tuple[list[str], int]:
    words = []
    while found := _WORD.match(text, position):
        words.append("".join(shlex.split(found["word"])))
        position = found.end()
    return words, position


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _short(text: str) -> str:
    beginning = " ".join(text.split())[: 2 * _SHOWN]
    return textwrap.shorten(beginning, _SHOWN, placeholder="...")


def flaw_of(fence: Fence, message: str, number: int = -1) -> Flaw:
    """Return a warning about one line of a fence's text, or about the fence."""
    # The text's line 0 stands below the opening fence, whose own number counts from 0.
    return Flaw(line=fence.first + number + 2, message=message)
