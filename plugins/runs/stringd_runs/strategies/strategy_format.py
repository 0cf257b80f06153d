"""The hook `stringd_strategy_formats` and its record: a way to write strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from stringd.plugin import hookspec
from stringd.plugin.strict_files import FileInvalid, Items, Members, Node, Scalar

OWN_FORMATS = frozenset({"yaml", "json", "jsonc", "markdown", "python"})
"""The formats that no plugin can add."""
DEEPEST = 64
"""The most levels of lists and mappings in a strategy file."""


class StrategySource(Struct, frozen=True, kw_only=True):
    """A strategy file and its text, with `\\n` at the ends of lines."""

    path: Path
    text: str


ReadSource: TypeAlias = Callable[[StrategySource], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyFormat:
    """A format of strategy files whose names end in one of the suffixes.

    `read` returns the content: texts, numbers, lists, dicts and so on, or nodes, which have lines. It raises
    `FileInvalid` for a text that it cannot read; it runs in a thread. One that `runs_code` is only called
    after the operator has approved the file.
    """

    name: str
    suffixes: tuple[str, ...]
    read: ReadSource = field(repr=False)
    runs_code: bool = False

    def __post_init__(self) -> None:
        if not self.suffixes or not all(it.startswith(".") and len(it) > 1 for it in self.suffixes):
            raise ValueError(f"format {self.name} needs suffixes such as .toml, not {self.suffixes!r}")


@hookspec
def stringd_strategy_formats() -> Iterable[StrategyFormat]:
    """Add formats of strategy files."""
    return ()


class LiteralText(Scalar, frozen=True, kw_only=True):
    """A text that is never the name of a file."""


class FunctionNode(Scalar, frozen=True, kw_only=True):
    """A function in place of a flow; the text is its name."""

    function: Callable[..., Any]


def node_of(value: object, line: int = 1, depth: int = 0) -> Node:
    """Return a value of Python as a node in this line; nodes in it keep theirs."""
    if isinstance(value, Scalar | Items | Members):
        return value
    if depth > DEEPEST:
        raise FileInvalid(line, "it is nested too deeply")
    if isinstance(value, Mapping):
        members = [(_key(key, line), node_of(it, line, depth + 1)) for key, it in value.items()]
        return Members(line=line, members=members)
    if isinstance(value, list | tuple):
        return Items(line=line, items=[node_of(it, line, depth + 1) for it in value])
    return _leaf(value, line)


def _key(key: object, line: int) -> Node:
    return Scalar(line=line, text=str(key)) if isinstance(key, str) else node_of(key, line)


def _leaf(value: object, line: int) -> Scalar:
    if isinstance(value, str):
        return Scalar(line=line, text=str(value))
    if value is None or isinstance(value, bool):
        return Scalar(line=line, text={None: "null", True: "true", False: "false"}[value], is_plain=True)
    if isinstance(value, int | float):
        text = str(value)
        is_finite = "n" not in text
        return Scalar(line=line, text=text if is_finite else ".nan", is_plain=True)
    if callable(value):
        return FunctionNode(line=line, text=getattr(value, "__name__", "a function"), function=value)
    raise FileInvalid(line, f"a strategy cannot contain a value of the type {type(value).__name__}")
