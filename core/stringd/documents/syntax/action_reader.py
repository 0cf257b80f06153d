"""Parser of the fence that declares one action."""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec.structs import replace

from stringd.api.outlines import Form
from stringd.documents.syntax.diagnostics import Diagnostic, DiagnosticCode
from stringd.documents.syntax.parameters import Parameter, read_parameter
from stringd.documents.syntax.parser import Fence

CLI = "CLI"
CALL = "CALL"
HTTP_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_FIRST_LINE = re.compile(r"[ \t]*(?P<method>[A-Z]+)[ \t]+(?=\S)")
_URL = re.compile(r"\S+")
_PLUGIN_METHOD = re.compile(r"[a-z][a-z0-9_.-]*")
# A quoted word may span lines; a backslash at the end of a line continues it. Possessive: no backtracking.
_WORD = re.compile(
    r"""(?:[ \t]|\\\n)*+(?P<word>(?:[^\s'"\\]|\\[^\n]|'[^']*+'|"(?:[^"\\]|\\.)*+")++)""", re.DOTALL
)
_SECTION = re.compile(r"[ \t]+(?P<name>body|headers):[ \t]*")
_HEADER = re.compile(r"\s*(?P<name>[\w!#$%&'*+.^`|~-]+):[ \t]*(?P<value>\S(?:.*\S)?)[ \t]*", re.ASCII)
_CAPITAL = re.compile(r"[ \t]+[A-Z]")
_SHOWN = 60
# They belong to one connection or frame the message, so only the HTTP client can write them.
_RESERVED = frozenset(
    {"connection", "content-length", "expect", "keep-alive", "proxy-connection", "te", "trailer"}
    | {"transfer-encoding", "upgrade"}
)
_HOST = "host"
_AUTHORITY = re.compile(r"[\w.:\[\]-]+", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """An action: an HTTP request, a command line, a call of a plugin, or a form of the page.

    `target` is the URL, the command or what the plugin is to call, exactly as the author wrote it; `line` is
    where the fence begins, from 1.
    """

    id: str
    method: str
    target: str
    parameters: tuple[Parameter, ...]
    headers: tuple[tuple[str, str], ...]
    body: str | None
    line: int
    form: Form | None = None
    plugin_method: str = ""
    """The name of the action method that carries it out, if its `method` is `CALL`."""
    takes_secrets: bool = field(init=False, compare=False)
    """Whether one of its parameters is secret."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "takes_secrets", any(it.secret for it in self.parameters))


class ActionReader:
    """Read one fence from its first line to its last."""

    def __init__(self, fence: Fence, diagnostics: list[Diagnostic]) -> None:
        self._fence = fence
        self._diagnostics = diagnostics
        self._text = fence.text.rstrip("\n")
        self._lines = self._text.split("\n")
        self._number = next((number for number, line in enumerate(self._lines) if line.strip()), -1)
        self._parameters: dict[str, Parameter] = {}
        self._aliases: set[str] = set()
        self._headers: list[tuple[str, str]] = []
        self._body: str | None = None

    def action(self) -> Action | None:
        """Return the action that the fence declares; None if its first line does not begin one."""
        first = _FIRST_LINE.match(self._lines[self._number])
        if first is None or first["method"] not in (CLI, CALL, *HTTP_METHODS):
            methods = f"{', '.join((*HTTP_METHODS, CALL))} or {CLI}"
            self._report(DiagnosticCode.ACTION_METHOD, id=self._fence.id, methods=methods)
            return None
        method = first["method"]
        if method == CALL:
            return self._called(first.end())
        target = self._command(first.end()) if method == CLI else self._request(first.end())
        self._read_lines(self._cli_line if method == CLI else self._http_line)
        return self._build(method, target)

    def _read_lines(self, read: Callable[[str], int]) -> None:
        while self._number < len(self._lines):
            self._number = read(self._lines[self._number])

    def _called(self, column: int) -> Action | None:
        """Return the call of a plugin; None unless its line names an action method and a target."""
        name, _, rest = self._lines[self._number][column:].partition(" ")
        target = rest.strip()
        if not _PLUGIN_METHOD.fullmatch(name) or not target:
            self._report(DiagnosticCode.ACTION_CALL, id=self._fence.id)
            return None
        self._number += 1
        self._read_lines(self._cli_line)
        return self._build(CALL, target, name)

    def _build(self, method: str, target: str, plugin_method: str = "") -> Action:
        return Action(
            id=self._fence.id,
            method=method,
            plugin_method=plugin_method,
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
        return read_parameter(self._lines[self._number]) is not None

    def _request(self, column: int) -> str:
        text = "\n".join(self._lines[self._number :])
        url = _URL.match(text, column)
        assert url is not None
        words, end = _words(text, url.end())
        self._options(words)
        rest = text[end:].partition("\n")[0].strip()
        if rest:
            self._report(DiagnosticCode.ACTION_OPTION, text=_short(rest))
        self._number += text.count("\n", 0, end) + 1
        return url[0]

    def _options(self, words: list[str]) -> None:
        rest = iter(words)
        for word in rest:
            value = next(rest, None) if word in {"-H", "-d"} else None
            if value is None:
                self._report(DiagnosticCode.ACTION_OPTION, text=_short(word))
            elif word == "-H":
                self._header(value)
            else:
                self._set_body(value)

    def _cli_line(self, line: str) -> int:
        if line.strip() and not self._parameter(line):
            self._report(DiagnosticCode.ACTION_LINE, text=_short(line))
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
            self._set_body(text)
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

    def _set_body(self, text: str) -> None:
        if self._body is None:
            self._body = text
        else:
            self._report(DiagnosticCode.ACTION_BODY_REPEATED)

    def _header(self, text: str) -> None:
        found = _HEADER.fullmatch(text)
        if found is None:
            self._report(DiagnosticCode.HEADER_FORM, text=_short(text))
        elif fault := header_fault(found["name"], found["value"]):
            self._report(fault, name=found["name"])
        else:
            self._headers.append((found["name"], found["value"]))

    def _parameter(self, line: str) -> bool:
        found = read_parameter(line)
        if found is None:
            return False
        parameter, not_understood = found
        for constraint in not_understood:
            self._report(DiagnosticCode.PARAMETER_CONSTRAINT, name=parameter.name, constraint=constraint)
        if parameter.name in self._parameters:
            self._report(DiagnosticCode.PARAMETER_REPEATED, name=parameter.name)
        else:
            self._parameters[parameter.name] = self._with_free_alias(parameter)
        return True

    def _with_free_alias(self, parameter: Parameter) -> Parameter:
        if parameter.alias and parameter.alias in self._aliases:
            self._report(DiagnosticCode.ALIAS_REPEATED, alias=parameter.alias)
            return replace(parameter, alias=None)
        if parameter.alias:
            self._aliases.add(parameter.alias)
        return parameter

    def _report(self, code: DiagnosticCode, **arguments: str) -> None:
        # Line 0 of the fence's text is the one below the opening fence, whose own number counts from 0.
        line = self._fence.first + self._number + 2
        self._diagnostics.append(Diagnostic(code, line, arguments))


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


def header_fault(name: str, value: str) -> DiagnosticCode | None:
    """Return why an action can't declare this header; None if it can."""
    if name.lower() in _RESERVED:
        return DiagnosticCode.HEADER_RESERVED
    if name.lower() == _HOST and not _AUTHORITY.fullmatch(value):
        return DiagnosticCode.HEADER_HOST
    return None
