"""Compile the short template language (docs/reference/actions.md) to Jinja2."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jinja2 import nodes

from stringd.actions.templates.recorder import TemplateError
from stringd.actions.templates.response_values import BODY, PLACEHOLDER, Path, parse_path

RECORDER = "page"
_VALUE = r"(?P<value>\S(?:.*\S)?)[ \t]*"
ASSIGNMENT = re.compile(rf"[ \t]*\{{(?P<at>@?)(?P<name>[^\W\d][\w-]*)\}}[ \t]*=[ \t]*{_VALUE}")
_FOR = re.compile(r"[ \t]*for:[ \t]*(?P<name>[^\W\d]\w*)[ \t]+in[ \t]+(?P<path>\S+)[ \t]*")
_END = re.compile(r"[ \t]*end:[ \t]*")
SAVE = re.compile(r"[ \t]*save:[ \t]*(?P<value>\S+)[ \t]*")
DETAIL = re.compile(rf"[ \t]*(?P<key>decode|to):[ \t]*{_VALUE}")
_SUSPICIOUS = re.compile(
    r"[ \t]*(?:\{@?[\w. -]*\}[ \t]*=(?!=).*|for:?[ \t]+\w+[ \t]+in[ \t]+[$\w.\[\]{}]+[ \t]*"
    r"|(?:save|decode):.*)"
)
_LITERAL = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(r'\\(["\\])')
_TUPLE = re.compile(r"\((?P<parts>.*)\)")
_PART = re.compile(r'(?:"(?:[^"\\]|\\.)*"|\{[^{}]*\}|[^,"{}])+')
_BRACED = re.compile(r"\{(?P<path>[^{}]+)\}")
DECODERS = frozenset({"", "base64"})


def compile_template(text: str) -> nodes.Template:
    """Compile a text in the short template language to Jinja2, or raise `TemplateError`."""
    return _Compiler(text).template()


def suspicious_lines_of(text: str) -> list[int]:
    """Return the lines that look like statements but are printed as text, or raise `TemplateError`."""
    compiler = _Compiler(text)
    compiler.template()
    return compiler.suspicious_lines


class _Compiler:
    """Compiles a template line by line."""

    def __init__(self, text: str) -> None:
        self._lines = text.replace("\r\n", "\n").split("\n")
        self._next = 0
        self._loops: list[str] = []
        self.suspicious_lines: list[int] = []

    def template(self) -> nodes.Template:
        template = nodes.Template(self._block())
        template.set_lineno(1)
        return template

    def _block(self) -> list[nodes.Node]:
        """Compile up to the end of the current loop, or of the template."""
        body: list[nodes.Node] = []
        while self._next < len(self._lines):
            line = self._lines[self._next]
            self._next += 1
            if _END.fullmatch(line):
                if not self._loops:
                    raise TemplateError("end: without for:", self._next)
                return body
            number = self._next
            node = self._node(line)
            node.set_lineno(number)
            body.append(node)
        if self._loops:
            raise TemplateError(f"for: {self._loops[-1]} has no end:", self._next)
        return body

    def _node(self, line: str) -> nodes.Node:
        if loop := _FOR.fullmatch(line):
            path = self._data_path(loop["path"])
            if path:
                return self._loop(loop["name"], path)
        if (save := SAVE.fullmatch(line)) and (path := self._data_path(save["value"])):
            return self._save(path)
        if assignment := ASSIGNMENT.fullmatch(line):
            call = self._assignment(assignment)
            if call:
                return nodes.ExprStmt(call)
        if _SUSPICIOUS.fullmatch(line):
            self.suspicious_lines.append(self._next)
        newline = "\n" if self._next < len(self._lines) else ""
        return nodes.Output(list(self._parts(line + newline)))

    def _loop(self, name: str, path: Path) -> nodes.For:
        rows = self._call("rows", self._walk(path))
        self._loops.append(name)
        body = self._block()
        self._loops.pop()
        return nodes.For(nodes.Name(_local(name), "store"), rows, body, [], None, False)

    def _save(self, path: Path) -> nodes.ExprStmt:
        line, details = self._next, {}
        while self._next < len(self._lines) and (found := DETAIL.fullmatch(self._lines[self._next])):
            details[found["key"]] = found["value"]
            self._next += 1
        if "to" not in details:
            raise TemplateError("save: needs a line below it, to: and a file", line)
        decode = details.get("decode", "")
        if decode not in DECODERS:
            raise TemplateError(f"decode: {decode} is not known, base64 is", line)
        file = self._call("text", *self._parts(details["to"]))
        value = self._walk(path)
        return nodes.ExprStmt(self._call("save", nodes.Const(line), value, nodes.Const(decode), file))

    def _assignment(self, found: re.Match[str]) -> nodes.Call | None:
        name, text = nodes.Const(found["name"]), found["value"]
        if not found["at"]:
            value = self._expression(text)
            return None if value is None else self._call("assign", name, value)
        numbered = nodes.Const(bool(self._loops))
        if several := _TUPLE.fullmatch(text):
            parts = [self._expression(part.strip()) for part in _PART.findall(several["parts"])]
            known = [part for part in parts if part is not None]
            return self._call("bind_tuple", name, numbered, *known) if len(known) == len(parts) else None
        value = self._expression(text)
        return None if value is None else self._call("bind", name, numbered, value)

    def _expression(self, text: str) -> nodes.Expr | None:
        """Compile the right side of an assignment: a path, a literal, or a text with placeholders."""
        if literal := _LITERAL.fullmatch(text):
            return self._call("text", *self._parts(_ESCAPED.sub(r"\1", literal["text"])))
        path = parse_path(text)
        if path:
            return self._walk(path) if self._is_data(path) else None
        if not PLACEHOLDER.search(text):
            return None
        parts = list(self._parts(text))
        return parts[0] if len(parts) == 1 else self._call("text", *parts)

    def _parts(self, text: str) -> Iterator[nodes.Expr]:
        position = 0
        for found in PLACEHOLDER.finditer(text):
            yield nodes.TemplateData(text[position : found.start()])
            yield self._placeholder(found)
            position = found.end()
        yield nodes.TemplateData(text[position:])

    def _placeholder(self, found: re.Match[str]) -> nodes.Expr:
        written = nodes.Const(found[0])
        if found["label"]:
            return self._call("label", nodes.Const(found["label"]), written)
        path = parse_path(found["path"])
        assert path is not None
        if self._is_data(path):
            return self._walk(path)
        name = nodes.Const(path.root)
        value = self._steps(self._call("look", name, written), path)
        return nodes.CondExpr(self._call("knows", name), value, written) if path.steps else value

    def _data_path(self, text: str) -> Path | None:
        """Parse the path of a statement; a path without a known root starts at the response body."""
        braced = _BRACED.fullmatch(text)
        path = parse_path(braced["path"] if braced else text)
        return path if path is None or self._is_data(path) else path.below_body()

    def _is_data(self, path: Path) -> bool:
        return path.root == BODY[0] or path.root in self._loops

    def _walk(self, path: Path) -> nodes.Expr:
        if path.root in self._loops:
            return self._steps(nodes.Name(_local(path.root), "load"), path)
        value = self._steps(nodes.Name(path.root, "load"), path)
        return self._call("seek", value) if (path.root, *path.steps[:1]) == BODY else value

    def _steps(self, value: nodes.Expr, path: Path) -> nodes.Expr:
        for step in path.steps:
            value = nodes.Getitem(value, nodes.Const(step), "load")
        return value

    def _call(self, method: str, *arguments: nodes.Expr) -> nodes.Call:
        function = nodes.Getattr(nodes.Name(RECORDER, "load"), method, "load")
        return nodes.Call(function, list(arguments), [], None, None)


def _local(name: str) -> str:
    # The prefix keeps the author's names apart from ours.
    return f"each_{name}"
