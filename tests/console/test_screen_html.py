"""Rows of screens as HTML: colours that are legible, a grid that holds, and no markup of programs."""

from __future__ import annotations

import itertools
import re

import pytest
from msgspec.structs import replace

from stringd_console import TRUE_COLOUR, ScreenRow, StyledCells, TextStyle
from stringd_console.screens.legible_colours import BACKGROUND, FOREGROUND, contrast, shown_colours
from stringd_console.screens.row_html import row_item

PLAIN_STYLE = TextStyle()
TRUE_COLOURS = (0, 0x123456, 0x7F7F7F, 0x808080, 0xFFFFFF, 0xFF0000)
SAMPLES = (None, *range(256), *(TRUE_COLOUR + it for it in TRUE_COLOURS))


def row(*cells: str, style: TextStyle = PLAIN_STYLE) -> ScreenRow:
    return ScreenRow(key="r1", runs=(StyledCells(style=style, cells=cells),) if cells else ())


def html(it: ScreenRow, cursor: int | None = None) -> str:
    return str(row_item(it, cursor).html)


def rgb(digits: str | None, own: tuple[int, int, int]) -> tuple[int, int, int]:
    if digits is None:
        return own
    red, green, blue = bytes.fromhex(digits)
    return red, green, blue


@pytest.mark.requirement("console.screen.looks")
def test_all_text_is_legible() -> None:
    for foreground, background in itertools.product(SAMPLES, SAMPLES[::7]):
        plain = TextStyle(foreground=foreground, background=background)
        for style in (plain, replace(plain, is_dim=True), replace(plain, is_reversed=True)):
            colours = shown_colours(style)
            ratio = contrast(rgb(colours.text, FOREGROUND), rgb(colours.behind, BACKGROUND))
            assert ratio >= 4.49, style


def test_a_legible_colour_stays_as_it_is() -> None:
    assert shown_colours(TextStyle(foreground=TRUE_COLOUR + 0xFF8800)).text == "ff8800"
    assert shown_colours(PLAIN_STYLE).text is None


@pytest.mark.requirement("console.screen.hostile")
@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "</div><form>", "&lt;", "\"'>", "<img src=x onerror=alert(1)>"]
)
def test_output_is_never_markup(text: str) -> None:
    shown = html(row(*text), cursor=3)
    tags = {it.strip("</>").split()[0] for it in re.findall(r"</?[^>]*>", shown)}
    assert tags <= {"div", "span"}


@pytest.mark.requirement("console.screen.hostile")
@pytest.mark.parametrize("character", ["a\u202e", "a\u200b", "\ue000", "\u2066", "x\u200d"])
def test_what_is_invisible_leaves_a_mark(character: str) -> None:
    shown = html(row(character))
    assert 'class="cell odd"' in shown
    assert shown.isascii() or "▯" in shown


@pytest.mark.requirement("console.screen.grid")
def test_each_character_of_another_width_has_a_box() -> None:
    assert html(row("a", "漢", "", "─", "b")) == (
        '<div class="screen-row" data-key="r1">a<i class="wide">漢</i><i class="cell">─</i>b</div>'
    )


@pytest.mark.requirement("console.screen.grid")
@pytest.mark.parametrize(
    ("cells", "cursor", "expected"),
    [
        ("abc", 1, 'a<span class="cursor">b</span>c'),
        ("abc", 3, 'abc<span class="cursor"> </span>'),
        ("abc", 5, 'abc  <span class="cursor"> </span>'),
        ("", 0, '<span class="cursor"> </span>'),
    ],
)
def test_the_cursor_is_in_its_cell(cells: str, cursor: int, expected: str) -> None:
    assert html(row(*cells), cursor) == f'<div class="screen-row" data-key="r1">{expected}</div>'


def test_the_cursor_covers_a_wide_character() -> None:
    assert '<span class="cursor"><i class="wide">漢</i></span>b' in html(row("漢", "", "b"), 0)
    assert html(row("漢", "", "b"), 1).count("cursor") <= 1
