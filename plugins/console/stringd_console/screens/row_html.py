"""Rows of a screen as HTML: text of one width as it is, every other character in a box of its cells."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from markupsafe import Markup, escape

from stringd_console.console_page import Item
from stringd_console.page_content.shown_text import INVISIBLE
from stringd_console.screens.legible_colours import shown_colours
from stringd_console.topic_screen import PLAIN_STYLE, ScreenRow, StyledCells, TextStyle

_BLANK = " "
_UNKNOWN = "▯"
_HAS_LOOKS = (
    ("is_bold", "bold"),
    ("is_italic", "italic"),
    ("is_underlined", "underlined"),
    ("is_struck", "struck"),
)


@lru_cache(maxsize=4096)
def row_item(row: ScreenRow, cursor: int | None) -> Item:
    """Return a row, with the cursor if that is in it."""
    runs = row.runs if cursor is None else tuple(_with_cursor(row.runs, cursor))
    inner = Markup("").join(_run(run, is_cursor=is_cursor) for run, is_cursor in _marked(runs, cursor))
    html = Markup('<div class="screen-row" data-key="{}">{}</div>').format(row.key, inner)
    return Item(key=row.key, html=html)


def _marked(runs: tuple[StyledCells, ...], cursor: int | None) -> Iterator[tuple[StyledCells, bool]]:
    column = 0
    for run in runs:
        yield run, column == cursor
        column += len(run.cells)


def _with_cursor(runs: tuple[StyledCells, ...], cursor: int) -> Iterator[StyledCells]:
    """Split the cells so that those at the cursor are on their own; there are some even behind the text."""
    column = 0
    for run in runs:
        at = cursor - column
        column += len(run.cells)
        if not 0 <= at < len(run.cells):
            yield run
            continue
        end = at + (2 if run.cells[at + 1 : at + 2] == ("",) else 1)
        for cells in (run.cells[:at], run.cells[at:end], run.cells[end:]):
            if cells:
                yield StyledCells(style=run.style, cells=cells)
    if cursor > column:
        yield StyledCells(style=PLAIN_STYLE, cells=(_BLANK,) * (cursor - column))
    if cursor >= column:
        yield StyledCells(style=PLAIN_STYLE, cells=(_BLANK,))


def _run(run: StyledCells, *, is_cursor: bool) -> Markup:
    names = (*_names(run.style), *(("cursor",) if is_cursor else ()))
    inner = Markup("").join(_pieces(run.cells))
    return Markup('<span class="{}">{}</span>').format(" ".join(names), inner) if names else inner


@lru_cache(maxsize=4096)
def _names(style: TextStyle) -> tuple[str, ...]:
    """Return the classes of a style; the page's script makes those of colours."""
    colours = shown_colours(style)
    text = (f"f-{colours.text}",) if colours.text else ()
    behind = (f"b-{colours.behind}",) if colours.behind else ()
    return (*text, *behind, *(name for field, name in _HAS_LOOKS if getattr(style, field)))


def _pieces(cells: tuple[str, ...]) -> Iterator[Markup]:
    text: list[str] = []
    for column, cell in enumerate(cells):
        if cell.isascii():
            text.append(cell)
            continue
        yield escape("".join(text))
        text.clear()
        yield _boxed(cell, is_wide=cells[column + 1 : column + 2] == ("",))
    yield escape("".join(text))


def _boxed(cell: str, *, is_wide: bool) -> Markup:
    """Return a character in a box, which no other font makes wider; what is invisible in it leaves a mark."""
    visible = INVISIBLE.sub("", cell)
    name = "wide" if is_wide else "cell"
    if visible != cell:
        name += " odd"
    return Markup('<i class="{}">{}</i>').format(name, visible or _UNKNOWN)
