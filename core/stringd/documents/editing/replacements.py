"""Replace one text by another: exactly as it is, or regardless of white space."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from stringd.documents.editing.edits import (
    Revision,
    adapted,
    last_line,
    length_line,
    new_lines,
    revised,
    text_start,
)
from stringd.documents.editing.loose_matches import LooseMatch, fitted, loose_matches
from stringd.documents.syntax.lines import line_number
from stringd.errors import ErrorCode, Refusal
from stringd.text.escaping import visible_line
from stringd.text.formatting import line_range
from stringd.text.nearest import nearest

LOOSE = "--loose"
_LINE_END = re.compile(r"\r?\n")
_SEPARATOR = "---"
_ALIKE = "differing in white space only"
_MOST_PLACES, _MOST_LINES = 10, 12
_MOST_COMPARED, _LONGEST = 20_000, 64
_MOST_SEPARATORS = 20


def replace_occurrences(before: str, body: str, shown: str, *, every: bool, loose: bool = False) -> Revision:
    """Replace one text by another: the body holds the old text, a line `---`, and the new text.

    With `loose`, white space is ignored if the old text does not occur as it is.
    """
    bom, text = before[: text_start(before)], before[text_start(before) :]
    pairs = list(_pairs(body))
    if not pairs:
        raise Refusal(
            ErrorCode.INVALID_PAYLOAD, "The body must be the old text, a line ---, and the new text."
        )
    fitting = [it for it in pairs if _occurrence(it[0], whole_lines=False).search(text)]
    if fitting:
        old, new = _only(fitting)
        pattern = _occurrence(old, whole_lines=not new)
        spans = [it.span() for it in pattern.finditer(text)]
        return _replaced(bom, text, spans, [adapted(new, text)] * len(spans), shown, every=every)
    alike = [it for it in pairs if next(loose_matches(text, it[0]), None)]
    if not (loose and alike):
        raise _not_found(text, [it[0] for it in alike or pairs], shown)
    old, new = _only(alike)
    found = list(loose_matches(text, old))
    spans = [_span(text, it, deletes=not new) for it in found]
    return _replaced(
        bom, text, spans, [adapted(fitted(new, old, text, it), text) for it in found], shown, every=every
    )


def _replaced(
    bom: str, text: str, spans: Sequence[tuple[int, int]], new: Sequence[str], shown: str, *, every: bool
) -> Revision:
    if len(spans) > 1 and not every:
        raise _ambiguous(text, [start for start, _ in spans], shown)
    start = len(bom)
    splices = [(start + first, start + last, it) for (first, last), it in zip(spans, new, strict=True)]
    return revised(bom + text, sum(map(new_lines, new)), *splices)


def _span(text: str, match: LooseMatch, *, deletes: bool) -> tuple[int, int]:
    """Return the span to replace; whole lines that are deleted take their line end along."""
    line_end = _LINE_END.match(text, match.end) if deletes and match.begins_line and match.ends_line else None
    return match.start, line_end.end() if line_end else match.end


def _only(pairs: Sequence[tuple[str, str]]) -> tuple[str, str]:
    if len(pairs) > 1:
        raise _several_separators()
    return pairs[0]


def _several_separators() -> Refusal:
    message = "More than one line --- could separate the old text from the new."
    return Refusal(ErrorCode.CONFLICT, message, "Replace lines: path:L5-L10")


def _ambiguous(text: str, places: Sequence[int], shown: str) -> Refusal:
    lines = ", ".join(f":L{line_number(text, place)}" for place in places[:_MOST_PLACES])
    more = ", …" if len(places) > _MOST_PLACES else ""
    message = f"{len(places)} matches in {shown}"
    return Refusal(ErrorCode.CONFLICT, message, f"at {lines}{more}", "Give more of the old text, or --all.")


def _not_found(text: str, wanted: Sequence[str], shown: str) -> Refusal:
    context = next(filter(None, (_alike(text, it) or _nearest_line(text, it) for it in wanted)), [])
    return Refusal(ErrorCode.NOT_FOUND, f"Text not found in {shown}", length_line(last_line(text)), *context)


def _alike(text: str, old: str) -> list[str]:
    """Return what differs from the old text in white space only, with its line numbers."""
    found = list(islice(loose_matches(text, old), _MOST_PLACES + 1))
    lines = [(line_number(text, it.start), line_number(text, max(it.end - 1, it.start))) for it in found]
    if len(lines) > 1:
        places = ", ".join(line_range(*it) for it in lines[:_MOST_PLACES])
        return [f"{_ALIKE}: {places}{', …' * (len(lines) > _MOST_PLACES)}"]
    return list(_nearest(text, *lines[0], f", {_ALIKE}; {LOOSE} takes it")) if lines else []


def _nearest_line(text: str, old: str) -> list[str]:
    """Return the line that is most like the first line of the old text."""
    wanted = old.strip().partition("\n")[0].strip()[:_LONGEST]
    lines = [it.strip()[:_LONGEST] for it in text.split("\n", _MOST_COMPARED)[:_MOST_COMPARED]]
    near = nearest(wanted, dict.fromkeys(filter(None, lines)))
    if near is None:
        return []
    number = lines.index(near) + 1
    return list(_nearest(text, number, number))


def _nearest(text: str, first: int, last: int, remark: str = "") -> Iterator[str]:
    yield f"nearest: {line_range(first, last)}{remark}"
    lines = text.split("\n", last)[first - 1 : last]
    for number, line in enumerate(lines[:_MOST_LINES], first):
        yield f"{number:>{len(str(last))}} │ {_shown(line)}"
    if len(lines) > _MOST_LINES:
        yield "…"


def _shown(line: str) -> str:
    return visible_line(line.removesuffix("\r").expandtabs(4))


def _pairs(body: str) -> Iterator[tuple[str, str]]:
    """Yield old and new text for each separator line, since either text may contain such lines."""
    lines = body.split("\n")
    separators = [number for number, line in enumerate(lines) if line.rstrip() == _SEPARATOR]
    # For each, the body is copied and the file searched.
    if len(separators) > _MOST_SEPARATORS:
        raise _several_separators()
    for number in separators:
        old = "\n".join(lines[:number])
        if old.strip():
            yield old.removesuffix("\r"), "\n".join(lines[number + 1 :])


def _occurrence(old: str, *, whole_lines: bool) -> re.Pattern[str]:
    """Compile a pattern for a text with any line ends; with `whole_lines`, include the trailing line end."""
    found = r"\r?\n".join(map(re.escape, _LINE_END.split(old)))
    return re.compile(rf"(?<![^\n]){found}\r?\n|{found}" if whole_lines else found)
