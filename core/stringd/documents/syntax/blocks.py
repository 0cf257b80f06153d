"""Headings and marked blocks: the parts of a document that have an id."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from markdown_it.token import Token
from msgspec import Struct

from stringd.api.outlines import Heading
from stringd.documents.syntax.diagnostics import Diagnostic, DiagnosticCode
from stringd.documents.syntax.lines import Lines

# Text files can't hold NUL, so an include is never mistaken for a block of the author's, nor the reverse.
_INCLUDED = "\0"
_MARKER = re.compile(rf"<!--\s*(?P<edge>[#/])(?P<id>[\w-]+)\s*(?P<included>{_INCLUDED}?)-->")
_EXPLICIT_ID = re.compile(r"(?<!\\)\{#(?P<id>[\w-]+)\}$")
_NOT_IN_SLUG = re.compile(r"[^\w\s-]")
_BREAKS = {"softbreak", "hardbreak"}
_SHOWN = {"text", "code_inline", "image", *_BREAKS}
_BLANKS = re.compile(r"\s+")
_OWN_NAME = re.compile(r"\A@[\w.-]+\s+(?=\S)")
_RAW_HTML = re.compile(r"\s*<(script|pre|style|textarea)\b", re.IGNORECASE)


class Block(NamedTuple):
    """A part of a document: lines `first` to `last` (exclusive), with its content in `inner` to `inner_last`.

    The content of a marked block is between its markers; that of a section begins below its heading.
    `included` means that the text comes from another file.
    """

    id: str
    first: int
    inner: int
    inner_last: int
    last: int
    level: int | None = None
    included: bool = False

    @property
    def shown_first(self) -> int:
        """The line with which the block begins where it is shown: a section's heading, or its content."""
        return self.inner if self.level is None else self.first

    def renamed(self, name: str) -> Block:
        """Return the same block under another id."""
        return self if name == self.id else self._replace(id=name)


class Marker(Struct, frozen=True, kw_only=True):
    """A line that begins or ends a block."""

    line: int
    id: str
    begins: bool
    included: bool = False


def slug(text: str) -> str:
    """Return the id that a heading gets from its text."""
    return _BLANKS.sub("-", _NOT_IN_SLUG.sub("", text.lower()).strip())


def find_headings(tokens: Sequence[Token], lines: Lines) -> Iterator[Heading]:
    """Yield the headings that begin sections."""
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            first, last = token.map
            explicit = _EXPLICIT_ID.search(inline.content)
            text = _plain_text(inline)
            is_underlined = token.markup in {"=", "-"}
            yield Heading(
                first=first,
                last=last,
                level=int(token.tag[1]),
                text=(text.removesuffix(explicit[0]) if explicit else text).strip(),
                id=explicit["id"] if explicit else slug(text),
                mark=_id_span(lines, last - 2 if is_underlined else first, explicit[0]) if explicit else None,
            )


def _id_span(lines: Lines, number: int, written: str) -> tuple[int, int]:
    before, _, _ = lines[number].rpartition(written)
    start = lines.start(number)
    return start + len(before.rstrip(" \t")), start + len(before) + len(written)


def included_marker(edge: str, name: str) -> str:
    """Return the marker line that begins (`#`) or ends (`/`) an included text."""
    return f"<!-- {edge}{name} {_INCLUDED}-->"


def find_markers(tokens: Iterable[Token], lines: Lines) -> Iterator[Marker]:
    """Yield the markers; in code and raw HTML they are plain text."""
    for token in tokens:
        if token.type == "html_block" and token.map and not _RAW_HTML.match(token.content):
            for number in range(token.map[0], min(token.map[1], len(lines))):
                marker = _MARKER.fullmatch(lines[number].strip())
                if marker:
                    yield Marker(
                        line=number,
                        id=marker["id"],
                        begins=marker["edge"] == "#",
                        included=bool(marker["included"]),
                    )


def pair_markers(markers: Iterable[Marker], diagnostics: list[Diagnostic]) -> list[Block]:
    """Pair the markers; each one without a partner becomes a diagnostic."""
    pairs: list[Block] = []
    open_markers: list[Marker] = []
    open_ids: Counter[str] = Counter()
    for marker in markers:
        if marker.begins:
            open_markers.append(marker)
            open_ids[marker.id] += 1
        elif open_ids[marker.id]:
            not_ended = _unwind(open_markers, marker.id)
            begun = not_ended.pop()
            open_ids.subtract([marker.id, *(it.id for it in not_ended)])
            diagnostics.extend(map(_not_ended, not_ended))
            pairs.append(_between(begun, marker))
        else:
            diagnostics.append(_diagnostic(DiagnosticCode.BLOCK_NOT_BEGUN, marker.line, marker.id))
    diagnostics.extend(map(_not_ended, open_markers))
    return pairs


def marked_blocks(pairs: Sequence[Block], diagnostics: list[Diagnostic]) -> dict[str, Block]:
    """Return the blocks by id, the page's own before included ones; each repeated id becomes a diagnostic."""
    blocks: dict[str, Block] = {}
    included = _starts_in_includes(pairs)
    in_order = sorted(pairs, key=lambda it: it.first in included)
    repeated = [it for it in in_order if blocks.setdefault(it.id, it) is not it]
    diagnostics.extend(_diagnostic(DiagnosticCode.BLOCK_REPEATED, it.first, it.id) for it in repeated)
    return blocks


def _starts_in_includes(pairs: Iterable[Block]) -> set[int]:
    """Return the first lines of the pairs within included text; pairs either nest or are disjoint."""
    inside: set[int] = set()
    end = 0
    for pair in sorted(pairs, key=lambda it: it.first):
        if pair.first < end:
            inside.add(pair.first)
        elif pair.included:
            end = pair.last
    return inside


class Names:
    """Unique names: later requests for a name in use get `-2`, `-3` and so on."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def take(self, wanted: str) -> str:
        """Return the wanted name, with the next free number if it is in use."""
        name = wanted
        while name in self._taken:
            self._numbers[wanted] = self._numbers.get(wanted, 1) + 1
            name = f"{wanted}-{self._numbers[wanted]}"
        self._taken.add(name)
        return name


def _unwind(open_markers: list[Marker], block_id: str) -> list[Marker]:
    """Pop the markers begun since the block, and the block's own last."""
    unwound = [open_markers.pop()]
    while unwound[-1].id != block_id:
        unwound.append(open_markers.pop())
    return unwound


def _not_ended(begun: Marker) -> Diagnostic:
    return _diagnostic(DiagnosticCode.BLOCK_NOT_ENDED, begun.line, begun.id)


def _diagnostic(code: DiagnosticCode, line: int, block_id: str) -> Diagnostic:
    return Diagnostic(code, line + 1, {"id": block_id})


def _between(begun: Marker, ended: Marker) -> Block:
    return Block(
        id=begun.id,
        first=begun.line,
        inner=begun.line + 1,
        inner_last=ended.line,
        last=ended.line + 1,
        included=begun.included,
    )


def _plain_text(inline: Token) -> str:
    """Return the text of a heading as it is shown: without the `@id` of its links."""
    shown: list[str] = []
    label = 0
    for it in inline.children or ():
        if it.type == "link_open":
            label = len(shown)
        elif it.type == "link_close":
            shown[label:] = [_OWN_NAME.sub("", "".join(shown[label:]))]
        elif it.type in _SHOWN:
            shown.append(" " if it.type in _BREAKS else it.content)
    return "".join(shown)
