"""Properties that hold for every text."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from stringd.documents.syntax.actions import parse_actions
from stringd.documents.syntax.document_text import render
from stringd.documents.syntax.lines import BOM, Lines
from stringd.documents.syntax.parser import Parsed, parse
from stringd.documents.syntax.shortcuts import find_shortcuts
from tests.documents.pieces import DOCUMENTS

PLAIN = st.text(st.characters(exclude_characters="[]<>#`~-=|:!{}\ufeff")).filter(
    lambda text: "://" not in text
)


def shown(parsed: Parsed) -> str:
    return render(parsed, find_shortcuts(parsed))


@settings(max_examples=400, deadline=None)
@given(DOCUMENTS)
def test_any_text_can_be_parsed(text: str) -> None:
    parsed = parse(text)
    assert all(1 <= it.line <= len(parsed.lines) for it in parsed.diagnostics)
    assert all(1 <= it.line <= len(parsed.lines) for it in parse_actions(parsed.fences).diagnostics)
    assert len(shown(parsed)) <= 2 * len(text) + sum(8 + len(it.label) for it in parsed.links)


@settings(max_examples=200, deadline=None)
@given(PLAIN)
def test_plain_document_is_shown_unchanged(text: str) -> None:
    assert shown(parse(text)) == text


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS)
def test_rendering_is_deterministic(text: str) -> None:
    assert shown(parse(text)) == shown(parse(text))
    assert parse(text).blocks == parse(text).blocks


@settings(max_examples=400, deadline=None)
@given(DOCUMENTS)
@example("| a \\| [b](c) |\n|-|\n")
@example("> 1.\t[a\n>\tb](c)\n")
def test_link_positions_match_the_text(text: str) -> None:
    parsed = parse(text)
    for link in parsed.links:
        written = text[link.label_start : link.label_end]
        assert text[link.label_start - 1] == "["
        assert text[link.label_end] == "]"
        assert text[link.end - 1] in ")]"
        assert _letters(link.label) in _letters(written)


def _letters(text: str) -> str:
    return "".join(it for it in text.replace("\0", "\ufffd") if it not in "\\|> \t\r\n")


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS)
def test_blocks_are_parts_of_the_page(text: str) -> None:
    parsed = parse(text)
    shortcuts = find_shortcuts(parsed)
    page = render(parsed, shortcuts)
    for block in parsed.blocks.values():
        assert 0 <= block.first < block.inner <= block.inner_last <= block.last <= len(parsed.lines)
        assert render(parsed, shortcuts, block.inner, block.inner_last).strip() in page


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS)
def test_lines_join_to_the_text(text: str) -> None:
    lines = Lines(text)
    assert lines.slice(0, len(lines)) == text.removeprefix(BOM)
    assert all(lines.number_of(lines.start(number)) == number for number in range(len(lines)))
