"""The YAML of a policy: mappings, lists and texts with their lines, and nothing else of the language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from stringd.plugin.text import nearest, printable

_DEEPEST = 6
_EMPTY = frozenset({"", "~", "null", "Null", "NULL"})
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")
_TAGS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))
_TRUTH = {"true": True, "false": False}


class PolicyInvalid(ValueError):
    """The policy is invalid; `line` is the first line at fault."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


@dataclass(frozen=True, slots=True)
class Value:
    """A node of the document, with its line; its methods refuse what is not of their kind."""

    node: yaml.Node
    name: str

    @property
    def line(self) -> int:
        """The line in which the value begins."""
        return _line(self.node.start_mark)

    def invalid(self, expected: str) -> PolicyInvalid:
        """Return the refusal of this value, which says what it must be."""
        return PolicyInvalid(self.line, f"{self.name} must be {expected}")

    def mapping(self, known: Sequence[str]) -> Mapping[str, Value]:
        """Return the values of a mapping by key; refuse unknown and repeated keys."""
        if not isinstance(self.node, yaml.MappingNode):
            raise self.invalid(f"a mapping with some of the keys {', '.join(known)}")
        values: dict[str, Value] = {}
        for key_node, node in self.node.value:
            key = Value(key_node, "a key").text()
            if key not in known:
                raise PolicyInvalid(_line(key_node.start_mark), _unknown(key, known, self.name))
            if key in values:
                raise PolicyInvalid(_line(key_node.start_mark), f"{key} is given twice in {self.name}")
            values[key] = Value(node, key)
        return values

    def items(self) -> Sequence[Value]:
        """Return the items of a list."""
        if not isinstance(self.node, yaml.SequenceNode):
            raise self.invalid("a list")
        return [Value(it, f"an item of {self.name}") for it in self.node.value]

    def text(self) -> str:
        """Return a text that is not empty; numbers and words such as `true` are texts, too."""
        scalar = self._scalar()
        if scalar is None or (self._is_plain and scalar in _EMPTY) or not scalar or "\0" in scalar:
            raise self.invalid("a text")
        return scalar

    def texts(self) -> tuple[str, ...]:
        """Return one text, or the texts of a list that has some."""
        if not isinstance(self.node, yaml.SequenceNode):
            return (self.text(),)
        if not self.node.value:
            raise self.invalid("a text, or a list of texts")
        return tuple(it.text() for it in self.items())

    def truth(self) -> bool:
        """Return true or false; `yes` and texts in quotes are neither."""
        scalar = self._scalar()
        if not self._is_plain or scalar not in _TRUTH:
            raise self.invalid("true or false")
        return _TRUTH[scalar]

    def seconds(self, most: int) -> float:
        """Return a number of seconds."""
        scalar = self._scalar()
        if self._is_plain and scalar and _NUMBER.fullmatch(scalar) and 0 < float(scalar) <= most:
            return float(scalar)
        raise self.invalid(f"a number of seconds, at most {most}")

    def word(self, known: Sequence[str]) -> str:
        """Return one of some known words."""
        scalar = self._scalar()
        if scalar not in known:
            raise self.invalid(f"one of {', '.join(known)}")
        return str(scalar)

    def _scalar(self) -> str | None:
        return self.node.value if isinstance(self.node, yaml.ScalarNode) else None

    @property
    def _is_plain(self) -> bool:
        return isinstance(self.node, yaml.ScalarNode) and self.node.style is None


def read_yaml(text: str, name: str) -> Value | None:
    """Parse a document, None if it is empty; anchors, tags and further documents are refused."""
    try:
        node = _Loader(text).get_single_node()
    except PolicyInvalid:
        raise
    except yaml.MarkedYAMLError as error:
        raise PolicyInvalid(_line(error.problem_mark), error.problem or "not YAML") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise PolicyInvalid(line, "a character that YAML does not allow") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise PolicyInvalid(1, "not YAML") from error
    return Value(node, name) if node else None


class _Loader(yaml.BaseLoader):
    """Composes nodes, of which there are few levels, and none twice."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if parent and self._depth == _DEEPEST:
            raise _refused(parent, "it is nested too deeply")
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        if node and (self.anchors or node.tag not in _TAGS):
            raise _refused(node, "anchors and tags are not supported")
        return node


def _refused(node: yaml.Node, reason: str) -> PolicyInvalid:
    return PolicyInvalid(_line(node.start_mark), reason)


def _unknown(key: str, known: Sequence[str], place: str) -> str:
    meant = nearest(key, known)
    hint = f"nearest: {meant}" if meant else f"known: {', '.join(known)}"
    return f"unknown key {printable(key)} in {place}; {hint}"


def _line(mark: Any) -> int:
    return mark.line + 1 if mark else 1
