"""JSON as Markdown: objects as lists, like objects as tables, links and long ids by name.

The text of a service stays within list items, table cells and fences: it is never markup, a marker of
documents, or a line of a reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from stringd.documents.syntax.blocks import Names, slug
from stringd.documents.syntax.json_tables import JsonTable, table_of, table_row
from stringd.documents.syntax.one_line_json import has_lines, is_url, short_line
from stringd.text.escaping import visible, visible_line
from stringd.text.foreign_markdown import foreign_value, without_block
from stringd.text.formatting import fenced

_DEEPEST = 12
_INDENT = "  "
_ID = re.compile(r"(?:^|[_-])(?:id|uuid|guid|sha|hash|digest|cursor)$|(?:Id|ID|Uuid|Cursor)$")
_NULL, _EMPTY = "*null*", "*empty*"
_LONGEST_TYPED_ID = 12
_BEGINNING = 8
_NOT_IN_NAME = re.compile(r"[^\w-]+", re.ASCII)


class JsonMarkdown(Struct, frozen=True, kw_only=True):
    """A JSON value as Markdown; `links` are the targets and `values` the texts behind its `@name`s."""

    text: str
    links: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)


def json_markdown(value: Any, taken: Iterable[str] = (), *, most_names: int = 0) -> JsonMarkdown:
    """Return a JSON value as Markdown.

    Up to `most_names` links and long ids get names that are not taken; other links are links of Markdown.
    """
    handles = _Handles(taken, most_names)
    lines = _Writer(handles).document(value)
    return JsonMarkdown(text="\n".join(lines).strip("\n"), links=handles.links, values=handles.values)


class _Handles:
    """Gives names to links, and to ids that are too long to be typed."""

    def __init__(self, taken: Iterable[str], most: int) -> None:
        self.links: dict[str, str] = {}
        self.values: dict[str, str] = {}
        self._names = Names(taken)
        self._most = most
        self._given: dict[tuple[str, str], str] = {}

    def of_link(self, key: str, url: str) -> str:
        """Return the name of a link, or else a link of Markdown."""
        name = self._name(key, url, self.links)
        return name or f"[{foreign_value(key) or 'link'}](<{visible_line(url)}>)"

    def of_id(self, key: str, value: object) -> str | None:
        """Return the name of a long id; None for other values."""
        if not isinstance(value, str) or len(value) <= _LONGEST_TYPED_ID or not _ID.search(key):
            return None
        return self._name(key, value, self.values) if value.isprintable() and " " not in value else None

    def _name(self, key: str, text: str, kept: dict[str, str]) -> str | None:
        known = self._given.get((key, text))
        if known is None and len(self._given) < self._most:
            name = self._names.take(_NOT_IN_NAME.sub("-", slug(key)).strip("-") or "link")
            kept[name] = text
            known = self._given[key, text] = f"@{name}"
        return known


class _Writer:
    """Yields the lines of values; those of a member are indented below its own."""

    def __init__(self, handles: _Handles) -> None:
        self._handles = handles

    def document(self, value: Any) -> Iterator[str]:
        """Yield the lines of a whole answer."""
        if isinstance(value, Mapping) and value:
            return self._members(value, 0)
        if isinstance(value, list | tuple) and value:
            return self._elements("item", value, 0)
        if has_lines(value):
            return iter(_block(value, 0))
        return iter([self._item("", self._short("value", value) or "", 0)])

    def _members(self, value: Mapping[str, Any], depth: int) -> Iterator[str]:
        for name, member in value.items():
            if member is not None and not _is_empty(member):
                yield from self._member(name, member, depth)
        if names := [_label(name) for name, it in value.items() if it is None]:
            yield self._item(_NULL, ", ".join(names), depth)
        if empty := [f"{_label(name)} {json.dumps(it)}" for name, it in value.items() if _is_empty(it)]:
            yield self._item(_EMPTY, ", ".join(empty), depth)

    def _member(self, name: str, value: Any, depth: int) -> Iterator[str]:
        label = _label(name)
        line = self._short(name, value)
        if line is not None or depth >= _DEEPEST:
            yield self._item(label, line if line is not None else foreign_value(json.dumps(value)), depth)
        elif isinstance(value, Mapping):
            yield self._item(label, "", depth)
            yield from self._members(value, depth + 1)
        elif isinstance(value, str):
            yield self._item(label, "", depth)
            yield from _block(value, depth + 1)
        else:
            yield self._item(f"{label} ({len(value)})", "", depth)
            yield from self._elements(name, value, depth + 1)

    def _elements(self, name: str, values: Sequence[Any], depth: int) -> Iterator[str]:
        table = table_of(values)
        if table:
            yield from self._table(table, depth)
            return
        for number, value in enumerate(values, 1):
            yield from self._element(name, number, value, depth)

    def _element(self, name: str, number: int, value: Any, depth: int) -> Iterator[str]:
        line = self._short(name, value)
        if line is not None:
            yield self._item("", line, depth)
        else:
            yield from self._member(f"{number}", value, depth)

    def _table(self, table: JsonTable, depth: int) -> Iterator[str]:
        indent = _INDENT * depth
        yield ""
        yield from (f"{indent}{line}" for line in table.heading())
        for row in table.rows:
            yield indent + table_row(
                self._cell(name, row[name]) if name in row else "" for name in table.columns
            )
        yield ""
        if table.absent:
            yield self._item(_NULL, ", ".join(map(_label, table.absent)), depth)

    def _cell(self, name: str, value: Any) -> str:
        if handle := self._handles.of_id(name, value):
            return f"{handle} ({value[:_BEGINNING]}…)"
        return "" if value is None else self._short(name, value) or ""

    def _short(self, name: str, value: Any) -> str | None:
        """Return a value on one line, with its name if it has one; None if it takes more."""
        if is_url(value):
            return self._handles.of_link(name, value)
        if handle := self._handles.of_id(name, value):
            return f"{foreign_value(value)} ({handle})"
        return short_line(name, value)

    @staticmethod
    def _item(label: str, text: str, depth: int) -> str:
        line = f"{label}: {text}".rstrip() if label else text
        return f"{_INDENT * depth}- {without_block(line)}"


def _block(text: str, depth: int) -> list[str]:
    """Return the lines of a text in a fence."""
    shown = fenced(visible(text.replace("\r\n", "\n")).strip("\n"))
    return [f"{_INDENT * (depth or 1)}{line}" if line else "" for line in shown.split("\n")]


def _is_empty(value: object) -> bool:
    return isinstance(value, str | Mapping | list | tuple) and not value


def _label(name: str) -> str:
    """Return the name of a member; none reads like what stands for several members."""
    label = foreign_value(name) or '""'
    return f"\\{label}" if label.startswith("*") else label
