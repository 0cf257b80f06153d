"""The incrementally updated block index equals that of the reparsed text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stringd.documents.editing.block_index import (
    BlockIndex,
    Blocks,
    blocks_of,
    note_edit,
    note_reparsed,
    reparsed,
)
from stringd.documents.editing.edits import lost_boundaries
from stringd.documents.editing.marker_positions import positions_of
from stringd.documents.pages.cached_parsing import read_sheet
from stringd.documents.syntax.parser import parse
from tests.documents.pieces import DOCUMENTS

_FILLER = "A paragraph.\n\n"
_PADDED = st.builds(lambda count, text: _FILLER * count + text, st.integers(0, 4), DOCUMENTS)
_TEXT = "".join(f"## Part {n}\n\n<!-- #b{n} -->\n- item {n}\n<!-- /b{n} -->\n\n" for n in range(200))


def _places(blocks: Blocks) -> Iterator[tuple[str, int | None, list[int]]]:
    for name, it in blocks.blocks.items():
        yield name, it.level, [blocks.place(bound) for bound in (it.first, it.inner, it.inner_last, it.last)]


def _after_an_edit(before: str, after: str) -> Blocks:
    read_sheet(before)
    note_edit(before, after)
    return blocks_of(after)


def _lost(before: str, after: str, span: tuple[int, int], body: str) -> list[int]:
    edit = reparsed(before, after, span)
    note_reparsed(edit)
    return lost_boundaries(edit, *span, body)


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(_PADDED, DOCUMENTS, DOCUMENTS, _PADDED, st.booleans())
def test_edit_at_any_position(head: str, old: str, new: str, tail: str, is_span_known: bool) -> None:
    before, after = head + old + tail + _FILLER, head + new + tail + _FILLER
    found = _after_an_edit(before, after)
    if is_span_known:
        found = reparsed(before, after, (len(head), len(head + old))).index()
    assert list(_places(found)) == list(_places(parse(after)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- item 70", "- item 70, and more\n- another"),
        ("- item 0\n", ""),
        ("## Part 199", "## The last"),
        ("<!-- /b70 -->\n", ""),
        ("## Part 70\n", "## Part 70\n\n<!-- #new -->\n## Within\n<!-- /new -->\n"),
        ("## Part 70\n", "```\n## Part 70\n```\n"),
    ],
)
def test_large_text_is_not_reparsed(old: str, new: str) -> None:
    after = _TEXT.replace(old, new, 1)
    found = _after_an_edit(_TEXT, after)
    assert isinstance(found, BlockIndex)
    assert list(_places(found)) == list(_places(parse(after)))


@pytest.mark.parametrize("new", ["```\n", "<!-- ", "[b70]: /target\n", "<script>\n"])
def test_edit_that_affects_all_following_lines(new: str) -> None:
    after = _TEXT.replace("- item 70\n", new)
    assert list(_places(_after_an_edit(_TEXT, after))) == list(_places(parse(after)))


def test_consecutive_edits() -> None:
    text = _TEXT
    read_sheet(text)
    for number in range(50, 150, 5):
        before, text = text, text.replace(f"- item {number}\n", f"- item {number}\n\n### Note {number}\n")
        note_edit(before, text)
        if number % 3 == 0:
            assert list(_places(blocks_of(text))) == list(_places(parse(text)))
    assert isinstance(blocks_of(text), BlockIndex)


@pytest.mark.parametrize("start", ["---\n", "---\na: b\n", "\ufeff---\na: b\n"])
def test_edit_that_opens_or_closes_frontmatter(start: str) -> None:
    before = start + _TEXT
    for after in (before.replace("- item 70", "---"), before.replace("## Part 0", "---"), _TEXT):
        assert list(_places(_after_an_edit(before, after))) == list(_places(parse(after)))
        assert list(_places(_after_an_edit(after, before))) == list(_places(parse(before)))


def _begins(text: str) -> list[int]:
    parsed = parse(text)
    return positions_of(parsed.structure, parsed.lines).begins[:]


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(_PADDED, st.lists(DOCUMENTS, min_size=2, max_size=4), _PADDED)
def test_lost_boundaries_of_consecutive_edits(head: str, parts: list[str], tail: str) -> None:
    tail += _FILLER
    read_sheet(head + parts[0] + tail)
    for old, new in pairwise(parts):
        before, after = head + old + tail, head + new + tail
        end, shift, found = len(head) + len(old), len(new) - len(old), {*_begins(after)}
        lost = [it for it in _begins(before) if it < len(head) and it not in found]
        lost += [it for it in _begins(before) if it >= end and it + shift not in found]
        # A line that begins no boundary begins the body.
        assert _lost(before, after, (len(head), end), "x") == lost


@pytest.mark.parametrize(
    "body",
    [
        "# A",
        "   ## A",
        "A\n=",
        "A\nb\r\n  --- \r\nc",
        "A\r-\r",
        "<!-- #a -->",
        " <!-- /a -->",
        "[!include:a]()",
    ],
)
def test_a_boundary_that_begins_the_body_is_expected(body: str) -> None:
    head, tail = "```\n", "\n```\n\ntext\n"
    before, after = f"{head}x{tail}", f"{head}{body}{tail}"
    span = len(head), len(f"{head}x")
    assert _lost(before, after, span, body) == [len(head)]
    assert _lost(before, f"{head}text\n{tail}", span, "text\n") == []


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(DOCUMENTS)
def test_every_boundary_that_begins_a_body_is_expected(body: str) -> None:
    before, after = "````\nx\n````\n", f"````\n{body}\n````\n"
    lost = _lost(before, after, (5, 6), body)
    assert (5 in lost) == (0 in _begins(body) and 5 not in _begins(after))


def test_boundaries_of_repeated_text_are_not_lost() -> None:
    part = "## Part\n\ntext\n\n"
    before = part * 50
    read_sheet(before)
    for number in (40, 3, 25):
        start = number * len(part)
        after = before[:start] + before[start + len(part) :]
        assert _lost(before, after, (start, start + len(part)), "x") == []
        before = after
