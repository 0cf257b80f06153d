"""JSON, and JSON with comments and trailing commas (JSONC), as nodes with their lines."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator

from msgspec import Struct

from stringd.plugin.strict_files import FileInvalid, Items, Members, Node, Scalar, shown
from stringd_runs.strategies.strategy_format import DEEPEST

_TOKEN = re.compile(
    r"""
    (?P<space> [ \t\r\n]++ )
    | (?P<comment> //[^\n]*+ | /\*.*?\*/ )
    | (?P<text> "(?:[^"\\\x00-\x1f]++|\\.)*+" )
    | (?P<number> -?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?(?![\w.]) )
    | (?P<word> \w++ )
    | (?P<mark> [][{},:] )
    """,
    re.VERBOSE | re.DOTALL,
)
_WORD_END = re.compile(r"[\s,:\]}]")
_WORDS = frozenset({"true", "false", "null"})
_END = "the end of the file"


class _Token(Struct, frozen=True, kw_only=True):
    kind: str
    text: str
    line: int


def read_json(text: str, *, has_comments: bool) -> Node:
    """Return the value of a JSON text; one that `has_comments` may have trailing commas, too."""
    return _Parser(text, has_comments=has_comments).document()


class _Parser:
    """Parses one text by recursive descent, to a limited depth."""

    def __init__(self, text: str, *, has_comments: bool) -> None:
        self._has_comments = has_comments
        self._tokens = self._tokenized(text)
        self._next = next(self._tokens)

    def document(self) -> Node:
        node = self._value(0)
        if self._next.kind != "end":
            raise self._unexpected(_END)
        return node

    def _value(self, depth: int) -> Node:
        token = self._next
        if depth > DEEPEST:
            raise FileInvalid(token.line, "it is nested too deeply")
        if token.text == "{" and token.kind == "mark":
            return Members(line=token.line, members=list(self._members(depth)))
        if token.text == "[" and token.kind == "mark":
            return Items(line=token.line, items=list(self._items(depth)))
        if token.kind not in {"text", "number", "word"}:
            raise self._unexpected("a value")
        return self._scalar()

    def _members(self, depth: int) -> Iterator[tuple[Node, Node]]:
        for _ in self._separated("}"):
            if self._next.kind != "text":
                raise self._unexpected('a key in quotes or "}"')
            key = self._scalar()
            self._take(":")
            yield key, self._value(depth + 1)

    def _items(self, depth: int) -> Iterator[Node]:
        for _ in self._separated("]"):
            yield self._value(depth + 1)

    def _separated(self, closing: str) -> Iterator[None]:
        """Yield before each element up to the closing mark, and take the commas between them."""
        self._advance()
        while not self._is_mark(closing):
            yield
            if self._is_mark(closing):
                break
            self._take(",", f'"," or "{closing}"')
            if self._is_mark(closing) and not self._has_comments:
                raise self._unexpected("another element after the comma")
        self._advance()

    def _scalar(self) -> Scalar:
        token = self._advance()
        if token.kind != "text":
            return Scalar(line=token.line, text=token.text, is_plain=True)
        try:
            value: str = json.loads(token.text)
            value.encode()
        except UnicodeEncodeError:
            raise FileInvalid(token.line, "a text contains a lone surrogate") from None
        except ValueError as error:
            raise FileInvalid(token.line, f"not JSON: {error}") from None
        return Scalar(line=token.line, text=value)

    def _take(self, mark: str, expected: str | None = None) -> None:
        if not self._is_mark(mark):
            raise self._unexpected(expected or f'"{mark}"')
        self._advance()

    def _is_mark(self, mark: str) -> bool:
        return self._next.kind == "mark" and self._next.text == mark

    def _advance(self) -> _Token:
        token = self._next
        if token.kind != "end":
            self._next = next(self._tokens)
        return token

    def _unexpected(self, expected: str) -> FileInvalid:
        found = _END if self._next.kind == "end" else shown(self._next.text)
        return FileInvalid(self._next.line, f"not JSON: expected {expected}, but found {found}")

    def _tokenized(self, text: str) -> Iterator[_Token]:
        ends = [it.start() for it in re.finditer("\n", text)]
        position = 0
        while position < len(text):
            line = bisect_left(ends, position) + 1
            found = _TOKEN.match(text, position)
            if found is None or (found["word"] and found["word"] not in _WORDS):
                raise FileInvalid(line, f"not JSON: {_problem(text[position : position + 40])}")
            if found["comment"] and not self._has_comments:
                raise FileInvalid(line, "JSON has no comments; give the file a name that ends in .jsonc")
            if not found["space"] and not found["comment"]:
                yield _Token(kind=str(found.lastgroup), text=found[0], line=line)
            position = found.end()
        yield _Token(kind="end", text="", line=bisect_left(ends, len(text.rstrip())) + 1)


def _problem(rest: str) -> str:
    if rest.startswith('"'):
        return "a text is not closed in its line, or contains a control character"
    if rest.startswith("/*"):
        return "a comment is not closed"
    word = _WORD_END.split(rest, maxsplit=1)[0]
    return f"unexpected {shown(word or rest[0])}"
