"""Reference definitions, `[label]: target`, and the links that refer to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token
from msgspec import Struct

from stringd.api.outlines import Link
from stringd.documents.syntax.diagnostics import Diagnostic, DiagnosticCode
from stringd.documents.syntax.lines import Lines

_LABEL = re.compile(r"[^\[]*+\[(?P<label>(?:[^\]\\]|\\.)*+)\]:")
_LEAD = " \t>"


class Definition(Struct, frozen=True, kw_only=True):
    """A reference definition: `[label]: target`, on lines `first` to `last` (exclusive).

    `hidden` is the span to leave out of the shown text when the definition begins a list item.
    """

    label: str
    target: str
    first: int
    last: int
    hidden: tuple[int, int] | None = None


def find_definitions(
    tokens: Iterable[Token], environment: Mapping[str, Any], lines: Lines, diagnostics: list[Diagnostic]
) -> Iterator[Definition]:
    """Yield the definitions that the parser found; each that repeats a label becomes a diagnostic."""
    items: dict[int, int] = {}
    for token in tokens:
        if token.type == "list_item_open" and token.map:
            items.setdefault(token.map[0], token.map[1])
    for found in environment.get("references", {}).values():
        yield _definition(found, lines, items)
    for found in environment.get("duplicate_refs", ()):
        duplicate = _definition(found, lines, items)
        arguments = {"label": duplicate.label}
        diagnostics.append(Diagnostic(DiagnosticCode.REFERENCE_REPEATED, duplicate.first + 1, arguments))
        yield duplicate


def _definition(found: Mapping[str, Any], lines: Lines, items: Mapping[int, int]) -> Definition:
    first, last = found["map"]
    label = _LABEL.match(lines[first])
    return Definition(
        label=label["label"] if label else "",
        target=found["href"],
        first=first,
        last=last,
        hidden=_hidden(first, last, lines, items.get(first, 0)),
    )


def _hidden(first: int, last: int, lines: Lines, end_of_item: int) -> tuple[int, int] | None:
    """Return the span to hide so that the text below moves up to the list marker; None for an empty item."""
    below = next((number for number in range(last, end_of_item) if lines[number].strip(_LEAD)), None)
    if below is None:
        return None
    column, text = lines[first].find("["), lines[below]
    lead = min(column, len(text) - len(text.lstrip(_LEAD)))
    if below == last:
        # Indented code can't directly follow a definition.
        lead = len(text) - len(text[lead:].lstrip())
    return lines.start(first) + column, lines.start(below) + lead


def spelled_as_defined(links: Iterable[Link], definitions: Iterable[Definition]) -> Iterator[Link]:
    """Yield the links with each reference spelled as its definition is; Markdown ignores case."""
    spelling = Spelling(definitions)
    for link in links:
        yield link if link.reference is None else link._replace(reference=spelling.of(link.reference))


class Spelling:
    """The spelling of labels that Markdown treats as equal: that of the first definition."""

    def __init__(self, definitions: Iterable[Definition]) -> None:
        self._labels: dict[str, str] = {}
        for definition in definitions:
            self._labels.setdefault(normalizeReference(definition.label), definition.label)

    def of(self, label: str) -> str:
        """Return the defined spelling of a label; an undefined label is returned unchanged."""
        return self._labels.get(normalizeReference(label), label)
