"""Reference definitions, `[label]: target`, and which of them a link means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from stringd.api.outlines import Link
from stringd.documents.syntax.blocks import Flaw
from stringd.documents.syntax.lines import Lines

_LABEL = re.compile(r"[^\[]*+\[(?P<label>(?:[^\]\\]|\\.)*+)\]:")
_LEAD = " \t>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A reference definition: `[label]: target`, on lines `first` up to `last`.

    `place` is from where to where it stands between a list item's mark and what else the item holds.
    """

    label: str
    target: str
    first: int
    last: int
    place: tuple[int, int] | None = None


def find_definitions(
    tokens: Iterable[Token], environment: Mapping[str, Any], lines: Lines, warnings: list[Flaw]
) -> Iterator[Definition]:
    """Yield what the parser noted; one that comes second to another becomes a warning."""
    items: dict[int, int] = {}
    for token in tokens:
        if token.type == "list_item_open" and token.map:
            items.setdefault(token.map[0], token.map[1])
    for found in environment.get("references", {}).values():
        yield _definition(found, lines, items)
    for found in environment.get("duplicate_refs", ()):
        duplicate = _definition(found, lines, items)
        message = f"[{duplicate.label}] is defined already"
        warnings.append(Flaw(line=duplicate.first + 1, message=message))
        yield duplicate


def _definition(found: Mapping[str, Any], lines: Lines, items: Mapping[int, int]) -> Definition:
    first, last = found["map"]
    label = _LABEL.match(lines[first])
    return Definition(
        label=label["label"] if label else "",
        target=found["href"],
        first=first,
        last=last,
        place=_place(first, last, lines, items.get(first, 0)),
    )


def _place(first: int, last: int, lines: Lines, end_of_item: int) -> tuple[int, int] | None:
    """Return what is not shown, so that the text below moves up to the item's mark; an empty item goes."""
    below = next((number for number in range(last, end_of_item) if lines[number].strip(_LEAD)), None)
    if below is None:
        return None
    column, text = lines[first].find("["), lines[below]
    lead = min(column, len(text) - len(text.lstrip(_LEAD)))
    if below == last:
        # Right below a definition there is no code by indent.
        lead = len(text) - len(text[lead:].lstrip())
    return lines.start(first) + column, lines.start(below) + lead


def spelled_as_defined(links: Iterable[Link], definitions: Iterable[Definition]) -> Iterator[Link]:
    """Yield the links, each reference as its definition spells it: to Markdown, case makes no difference."""
    spelling = Spelling(definitions)
    for link in links:
        yield link if link.reference is None else replace(link, reference=spelling.of(link.reference))


class Spelling:
    """How labels that Markdown holds for the same are spelled: as the first definition has it."""

    def __init__(self, definitions: Iterable[Definition]) -> None:
        self._labels: dict[str, str] = {}
        for definition in definitions:
            self._labels.setdefault(normalizeReference(definition.label), definition.label)

    def of(self, label: str) -> str:
        """Return a label in the spelling that counts; one that nothing defines, as it is."""
        return self._labels.get(normalizeReference(label), label)
