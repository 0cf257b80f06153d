"""The edits of the editing commands, as pure functions from text to text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from stringd.documents.editing.block_index import Reparsed, boundary_starts, reparsed
from stringd.documents.editing.spans import block_span, text_span
from stringd.documents.syntax.lines import BOM, line_number, line_start, numbered_lines
from stringd.errors import ErrorCode, Refusal
from stringd.text.formatting import counted, line_count, line_range
from stringd.text.splicing import Splice, splice

_LINE_END = re.compile(r"\r?\n")
# How a text begins that may begin a block; its first line may be underlined as a heading.
_MAY_BEGIN = re.compile(r"\s*+[#<\[]|(?s:.*)[\r\n][ \t]*+(?:=++|-++)[ \t]*+(?![^\r\n])")
# Blank lines to try around a body so that it does not merge with its surroundings: above, below.
_SPACINGS = (("", ""), ("", "\n"), ("\n", ""), ("\n", "\n"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A text after an edit, the number of its new lines, and the spans that were replaced.

    An edit of a block is checked by parsing the text again around it.
    """

    text: str
    lines: int
    splices: tuple[Splice, ...] = field(default=(), compare=False)
    reparsed: Reparsed | None = field(default=None, compare=False)


def revised(before: str, lines: int, *splices: Splice) -> Revision:
    """Return the revision that replaces spans of a text, which are in order."""
    return Revision(text=splice(before, splices), lines=lines, splices=splices)


def combined(before: str, revisions: Sequence[Revision], shown: str) -> str:
    """Return a text after edits that were each made to the text as it was; refuse those that overlap."""
    if len(revisions) == 1:
        return revisions[0].text
    splices = sorted((it for revision in revisions for it in revision.splices), key=lambda it: (it[0], it[1]))
    for (_, end, _), (start, _, _) in pairwise(splices):
        if start < end:
            line = line_number(before, start)
            message = f"Two edits of {shown} overlap, at line {line}"
            raise Refusal(ErrorCode.INVALID_PAYLOAD, message, "Make one edit of them.")
    return splice(before, _joined_at_end(before, splices))


def _joined_at_end(before: str, splices: Iterable[Splice]) -> Iterator[Splice]:
    """Yield splices; of several behind an open last line, only the first one begins on a new line."""
    reached = ""
    for start, end, new in splices:
        is_another = start == len(before) and reached.endswith("\n") and not before.endswith("\n")
        yield start, end, new.removeprefix("\r").removeprefix("\n") if is_another else new
        reached = new if end == len(before) else ""


def overwrite(before: str, body: str) -> Revision:
    """Replace the whole text, if any, and end the last line."""
    new = body.removeprefix(BOM) if before.startswith(BOM) else body
    return _spliced(before, text_start(before), len(before), new, ends=True)


def append(before: str, body: str) -> Revision:
    """Add a body at the end of a text."""
    return _spliced(before, len(before), len(before), body, ends=True)


def replace_all(before: str, body: str) -> Revision:
    """Replace the whole text; keep a missing final newline missing."""
    return _spliced(before, text_start(before), len(before), body.removeprefix(BOM))


def replace_block(before: str, block_id: str, body: str) -> Revision:
    """Replace a block's content, or refuse a body that would swallow what is around it.

    Insert blank lines around the body where that keeps them apart.
    """
    start, end = block_span(before, block_id, body)
    for lead, tail in _SPACINGS:
        revision = _spliced(before, start, end, f"{lead}{body}{tail}")
        if revision.text == before:
            return replace(revision, lines=new_lines(body))
        edit = reparsed(before, revision.text, (start, end))
        lost = lost_boundaries(edit, start, end, body)
        if not lost:
            return replace(revision, lines=new_lines(body), reparsed=edit)
    raise _swallowing(before, lost[0])


def replace_text(before: str, body: str) -> Revision:
    """Replace a file's text below its frontmatter; a missing file counts as empty."""
    return _spliced(before, *text_span(before, body), body)


def last_line(text: str) -> int:
    """Return the number of a text's last line; 0 for an empty text."""
    return line_count(text) if len(text) > text_start(text) else 0


def line_span(text: str, first: int, last: int) -> tuple[int, int]:
    """Return the span of lines, counted from 1 and the last one included, or refuse."""
    count = last_line(text)
    if not 1 <= first <= last <= count:
        message = f"No such lines: {line_range(first, last)}"
        near = line_range(min(max(first, 1), count), min(max(first, last, 1), count))
        context = (length_line(count), *([f"nearest: {near}"] if count else []))
        raise Refusal(ErrorCode.LINE_OUT_OF_RANGE, message, *context)
    return line_start(text, first - 1), line_start(text, last)


def replace_lines(before: str, first: int, last: int, body: str | None) -> Revision:
    """Replace lines, counted from 1 and the last one included; no body deletes them."""
    start, end = line_span(before, first, last)
    if body is None:
        return revised(before, 0, (start, end, ""))
    return _spliced(before, start, end, body)


def _swallowing(before: str, place: int) -> Refusal:
    number = line_number(before, place)
    line = numbered_lines(before)[number - 1].strip()
    hint = "Close every fence, comment and HTML element that the text opens."
    return Refusal(ErrorCode.INVALID_PAYLOAD, f"The text would swallow line {number}: {line}", hint)


def length_line(lines: int) -> str:
    """Return the line that tells how long a file is."""
    return f"the file has {counted(lines, 'line')}"


def _spliced(before: str, start: int, end: int, body: str, *, ends: bool = False) -> Revision:
    """Replace whole lines by a body; keep a missing final newline missing unless it `ends` the text."""
    head = before[:start]
    newline = _line_end(before) or _line_end(body) or "\n"
    joint = newline if len(head) > text_start(head) and not head.endswith(("\n", "\r")) else ""
    open_end = end == len(before) > text_start(before) and not before.endswith(("\n", "\r"))
    new = f"{joint}{adapted(body, before)}{'' if open_end and not ends else newline}"
    return revised(before, new_lines(body), (start, end, new))


def new_lines(body: str) -> int:
    """Return the number of lines of a text that a body holds, blank ones at its end included."""
    return body.count("\n") + 1 if body else 0


def adapted(body: str, text: str) -> str:
    """Convert a body to the line ends of a text, if that has any."""
    own = _line_end(text)
    return _LINE_END.sub(own, body) if own else body


def _line_end(text: str) -> str | None:
    found = _LINE_END.search(text)
    return found[0] if found else None


def text_start(text: str) -> int:
    """Return where a text begins behind its byte order mark."""
    return len(BOM) if text.startswith(BOM) else 0


def lost_boundaries(edit: Reparsed, start: int, end: int, body: str) -> list[int]:
    """Return the positions of headings, markers and includes that an edit has made disappear.

    The body, possibly with blank lines around it, replaced the span from `start` to `end`.
    """
    expected = [(start, place) for place in _at_start(edit.after, start, body)]
    expected += [(it, it) for it in edit.boundaries_before if it < start]
    expected += [(it, it + edit.shift) for it in edit.boundaries_before if it >= end]
    return [place for place, it in expected if not edit.begins_boundary(it)]


def _at_start(after: str, start: int, body: str) -> Iterator[int]:
    """Yield where a boundary that begins the body is expected."""
    if _MAY_BEGIN.match(body) and 0 in boundary_starts(body)[:1]:
        yield len(after) - len(after[start:].lstrip("\r\n"))
