"""Division of long texts into parts: complete, bounded, and at suitable places."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stringd.documents.pages.page import Page
from stringd.documents.pagination.long_pages import page_parts
from stringd.documents.pagination.splitting import Piece, cut
from stringd.documents.syntax.parsed_document import parse_document

MOST = 100
LINES = st.sampled_from(
    (
        "# Title\n",
        "## Section\n\n",
        "Some words of a paragraph.\n",
        "\n",
        "\n\n",
        "- item\n",
        "1. item\n",
        "  - inner item\n",
        "```\n",
        "~~~~ text\n",
        "> quoted\n",
        "> ```\n",
        "| a | b |\n",
        "| --- | :-: |\n",
        "x" * 70 + "\n",
        "word " * 25,
        "\r\n",
        "    code\n",
    )
)
TEXTS = st.lists(LINES, min_size=1, max_size=60).map("".join)


def headings(text: str) -> list[tuple[int, int]]:
    return [(it.start(), len(it[0])) for it in re.finditer(r"^#+", text, re.MULTILINE)]


def parts(text: str, most: int = MOST) -> list[str]:
    return [text[it.first : it.last] for it in pieces(text, most)]


def pieces(text: str, most: int = MOST) -> list[Piece]:
    return cut(text, headings(text), most)


@settings(max_examples=500, deadline=None)
@given(TEXTS, st.sampled_from((1, 7, 40, 100, 333)))
def test_parts_are_complete_and_as_long_as_allowed(text: str, most: int) -> None:
    found = pieces(text, most)
    lengths = [it.last - it.first for it in found]
    assert "".join(text[it.first : it.last] for it in found) == text
    assert all(0 < length <= most for length in lengths)
    assert all(
        length <= max(most - len(it.before), (most + 1) // 2)
        for it, length in zip(found, lengths, strict=True)
    )
    repeated = [len(it.before) for it in found]
    assert all(
        first + second + before > most
        for (first, second), before in zip(pairwise(lengths), repeated, strict=False)
    )


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.sampled_from((1, 20, 50, 100)))
def test_the_first_part_may_have_less_room(text: str, first: int) -> None:
    found = cut(text, headings(text), MOST, first)
    assert "".join(text[it.first : it.last] for it in found) == text
    assert found[0].last <= first
    assert all(it.last - it.first <= MOST for it in found)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 60)), min_size=1, max_size=40))
def test_sections_that_fit_are_not_cut(sections: list[tuple[int, int]]) -> None:
    text = "".join(f"{'#' * level} Title\n\n{'x' * length}\n\n" for level, length in sections)
    assert all(part.startswith("#") for part in parts(text))


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param("A paragraph of\nsome lines.\n\n", id="paragraphs"),
        pytest.param("- item with words\n", id="items"),
        pytest.param("- item\n  - inner\n", id="nested items"),
        pytest.param("| cell | cell |\n", id="rows"),
        pytest.param("> quoted lines\n", id="lines"),
        pytest.param("```\ncode\n```\n", id="fences"),
        pytest.param("- item\n\n  ```\n  code\n  ```\n", id="fences in items"),
    ],
)
def test_long_section_is_cut_at_block_starts(unit: str) -> None:
    found = parts("# Long\n\n" + unit * 30)
    assert len(found) > 3
    assert all(part.startswith(unit[:6]) for part in found[1:])


def test_a_heading_stays_with_what_is_below_it() -> None:
    text = "# One\n\n" + "x" * 60 + "\n\n## Two\n\n### Three\n\n" + "y" * 60 + "\n"
    assert [part.lstrip("#")[:4] for part in parts(text)] == [" One", " Two"]
    text = "# One\n\n" + "x" * 60 + "\n\n### Two\n\n## Three\n\n" + "y" * 60 + "\n"
    assert [part.lstrip("#")[:4] for part in parts(text)] == [" One", " Thr"]


def test_long_line_is_cut_between_words_or_at_the_limit() -> None:
    assert [len(part) for part in parts("x" * 250)] == [100, 100, 50]
    assert [len(part) for part in parts("word " * 50)] == [100, 100, 50]
    assert parts("a" * 98 + " bcd")[1] == "bcd"


@pytest.mark.parametrize("ahead", ["", "  ", "> ", "- "])
def test_cut_code_block_is_closed_and_reopened(ahead: str) -> None:
    code = f"{ahead.replace('-', ' ')}x = 1\n" * 60
    first, second, *_, last = pieces(f"# T\n\n{ahead}```py\n{code}{ahead.replace('-', ' ')}```\n\nEnd.\n")
    assert (first.before, first.after) == ("", f"{ahead.replace('-', ' ')}```\n")
    assert (second.before, second.after) == (f"{ahead}```py\n", f"{ahead.replace('-', ' ')}```\n")
    assert last.after == ""


def test_cut_table_repeats_its_header() -> None:
    head = "| a | b |\n|---|---|\n"
    found = pieces("Text.\n\n" + head + "| 1 | 2 |\n" * 90, 200)
    assert {it.before for it in found[1:]} == {head}
    assert found[0].before == ""
    assert {it.after for it in found} == {""}


def test_large_table_header_is_not_repeated() -> None:
    head = f"| {'a' * 50} | b |\n|---|---|\n"
    assert {it.before for it in pieces(head + "| 1 | 2 |\n" * 60)} == {""}


def test_fences_and_rows_inside_code_are_code() -> None:
    inside = "~~~\n| a | b |\n|---|---|\n# no heading\n- no item\n" * 10
    found = cut(f"````\n{inside}````\n", (), 200)
    assert {it.before for it in found[1:]} == {"````\n"}
    assert {it.after for it in found[:-1]} == {"````\n"}


@pytest.mark.requirement("answers.bounded")
@pytest.mark.parametrize("name", [200, 400, 700])
@pytest.mark.parametrize("headings", [1, 5, 7, 80])
def test_parts_are_bounded_though_names_are_long(name: int, headings: int) -> None:
    text = "".join(f"## Heading {number}\n\n{'Some words. ' * 30}\n\n" for number in range(headings))
    block = f"<!-- #{'b' * name} -->\n{text}{'word ' * 1000}\n<!-- /{'b' * name} -->\n"
    page = Page(uri="https://x.example", path=None, source=block, sheet=parse_document(block))
    for shown in (
        page_parts(page, None, None, 1000, str, "n" * name),
        page_parts(page, "b" * name, None, 1000, str),
    ):
        assert shown.count > 5
        assert all(len(shown.view(number)) <= 1000 for number in range(1, shown.count + 1))
