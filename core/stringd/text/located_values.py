"""Values of files that people write, each with its line, so that messages can name the line at fault."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from stringd.text.escaping import printable
from stringd.text.nearest import nearest

# Plain words as YAML 1.2 understands them, which includes those of JSON: `yes` is a text.
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LONGEST_INTEGER = 300
_SHOWN = 60


class FileInvalid(ValueError):
    """The content of a file is invalid; `line` is the first line at fault."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


class Scalar(Struct, frozen=True, kw_only=True):
    """A text; if it is plain, it may stand for a number, a truth value or null."""

    line: int
    text: str
    is_plain: bool = False


class Items(Struct, frozen=True, kw_only=True):
    """A list."""

    line: int
    items: Sequence[Node]


class Members(Struct, frozen=True, kw_only=True):
    """A mapping, its members as written: a key can be any node, and occur repeatedly."""

    line: int
    members: Sequence[tuple[Node, Node]]


Node: TypeAlias = Scalar | Items | Members


class Value(Struct, frozen=True):
    """A node, and what messages call it; its methods refuse what is not of their kind."""

    node: Node
    name: str

    @property
    def line(self) -> int:
        """The line in which the value begins."""
        return self.node.line

    def invalid(self, expected: str) -> FileInvalid:
        """Return the refusal of this value, which says what it must be."""
        return FileInvalid(self.line, f"{self.name} must be {expected}")

    def mapping(self, known: Sequence[str]) -> Mapping[str, Value]:
        """Return the values of a mapping by key; refuse unknown and repeated keys."""
        if not isinstance(self.node, Members):
            raise self.invalid(f"a mapping with some of the keys {', '.join(known)}")
        for key in self._keys(self.node):
            if key.text not in known:
                raise FileInvalid(key.line, _unknown(key.text, known, self.name))
        return self.entries()

    def entries(self) -> Mapping[str, Value]:
        """Return the values of a mapping with any keys; refuse repeated ones."""
        if not isinstance(self.node, Members):
            raise self.invalid("a mapping")
        values: dict[str, Value] = {}
        for key, (_, node) in zip(self._keys(self.node), self.node.members, strict=True):
            if key.text in values:
                raise FileInvalid(key.line, f"{shown(key.text)} is given twice in {self.name}")
            values[key.text] = Value(node, shown(key.text))
        return values

    def items(self) -> Sequence[Value]:
        """Return the items of a list."""
        if not isinstance(self.node, Items):
            raise self.invalid("a list")
        return [Value(it, f"an item of {self.name}") for it in self.node.items]

    @property
    def is_list(self) -> bool:
        """Whether this is a list."""
        return isinstance(self.node, Items)

    @property
    def is_scalar(self) -> bool:
        """Whether this is neither a list nor a mapping."""
        return isinstance(self.node, Scalar)

    def as_written(self) -> str:
        """Return a text that is not empty; numbers and words such as `true` are texts, too."""
        node = self._scalar("a text")
        if not node.text or (node.is_plain and node.text in _NULL) or "\0" in node.text:
            raise self.invalid("a text")
        return node.text

    def text(self) -> str:
        """Return a text; numbers and words such as `true` are texts only in quotes."""
        node = self._scalar("a text")
        if node.is_plain and not isinstance(self.data(), str):
            raise self.invalid(f'a text; in quotes: "{shown(node.text)}"' if node.text else "a text")
        return node.text

    def truth(self) -> bool:
        """Return true or false; `yes` and texts in quotes are neither."""
        node = self._scalar("true or false")
        if not node.is_plain or node.text not in _TRUTH:
            raise self.invalid("true or false")
        return _TRUTH[node.text]

    def number(self, expected: str = "a number") -> int | float:
        """Return a finite number."""
        node = self._scalar(expected)
        value = _plain_value(node.text) if node.is_plain else None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self.invalid(expected)
        return value

    def word(self, known: Sequence[str]) -> str:
        """Return one of some known words."""
        node = self._scalar(f"one of {', '.join(known)}")
        if node.text not in known:
            raise self.invalid(f"one of {', '.join(known)}")
        return node.text

    def data(self) -> Any:
        """Return the value with everything in it as JSON has it: dicts, lists, texts, numbers and so on."""
        if isinstance(self.node, Members):
            return {key: it.data() for key, it in self.entries().items()}
        if isinstance(self.node, Items):
            return [it.data() for it in self.items()]
        value = _plain_value(self.node.text) if self.node.is_plain else self.node.text
        if isinstance(value, float) and not math.isfinite(value):
            raise self.invalid(f"a number that JSON has, not {shown(self.node.text)}")
        return value

    def _keys(self, node: Members) -> Iterator[Scalar]:
        for key, _ in node.members:
            yield Scalar(line=key.line, text=Value(key, "a key").as_written())

    def _scalar(self, expected: str) -> Scalar:
        if not isinstance(self.node, Scalar):
            raise self.invalid(expected)
        return self.node


def shown(text: str) -> str:
    """Return a text of a file as messages show it: on one line, and not too long."""
    return printable(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def _plain_value(text: str) -> str | bool | int | float | None:
    """Return what a text without quotes stands for."""
    if text in _NULL:
        return None
    if text in _TRUTH:
        return _TRUTH[text]
    if len(text) <= _LONGEST_INTEGER and _BASED.fullmatch(text):
        return int(text, 0)
    if len(text) <= _LONGEST_INTEGER and _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text) or _NOT_FINITE.fullmatch(text):
        return float(text.replace(".", "", 1) if _NOT_FINITE.fullmatch(text) else text)
    return text


def _unknown(key: str, known: Sequence[str], place: str) -> str:
    meant = nearest(key, known)
    hint = f"nearest: {meant}" if meant else f"known: {', '.join(known)}"
    return f"unknown key {shown(key)} in {place}; {hint}"
