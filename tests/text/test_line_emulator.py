"""Output in pieces as text that is only appended to."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stringd.text.line_emulator import SCREEN_NOTE, PrintedLines

WHOLE = {
    "lines": ("one\r\ntwo\n", "one\ntwo\n"),
    "no line end": ("name? ", "name? "),
    "written over": ("10%\r20%\n", "20%\n"),
    "partly written over": ("abc\rx\n", "xbc\n"),
    "erased": ("long text\r\x1b[Kok\n", "ok\n"),
    "backspaces": ("ab\b\bxy\n", "xy\n"),
    "colours": ("\x1b[1;31mred\x1b[0m\n", "red\n"),
    "a title": ("\x1b]0;title\x07text\n", "text\n"),
    "columns": ("abc\x1b[1GX\x1b[5GY\n", "Xbc Y\n"),
    "characters deleted and inserted": ("abcd\r\x1b[2P\x1b[1@\n", " cd\n"),
    "cells erased": ("abcd\r\x1b[2X\n", "  cd\n"),
    "the beginning erased": ("abcd\x1b[2D\x1b[1K\n", "   d\n"),
    "a tab": ("x\ra\tb\n", "a\tb\n"),
    "cleared": ("a\x1b[H\x1b[2Jb\n", "a\nb\n"),
    "another row": ("a\n\x1b[Ab\n", "a\nb\n"),
    "a bell": ("a\x07b\n", "ab\n"),
    "overridden direction": ("a\u202eb\n", "a\\u202eb\n"),
}
PIECES = {
    "a row that grows": (["a", "b", "c\n"], "abc\n"),
    "a row that is written over": (["10%", "\r20%", "\r30%\n"], "10%\n20%\n30%\n"),
    "a row that is erased": (["10%", "\r\x1b[K", "done\n"], "10%\ndone\n"),
    "a line end in two pieces": (["a\r", "\nb\n"], "a\nb\n"),
    "a sequence in two pieces": (["a\x1b[3", "1mb\n"], "ab\n"),
    "a screen": (["a\n\x1b[?1049h", "\x1b[3;3Hinside", "\x1b[?1049lb\n"], f"a\n{SCREEN_NOTE}\nb\n"),
    "a prompt and its answer": (["> ", "x\r\n", "> "], "> x\n> "),
}


@pytest.mark.parametrize("name", WHOLE)
def test_piece_is_shown_in_its_final_state(name: str) -> None:
    printed, shown = WHOLE[name]
    assert PrintedLines().show(printed) == shown


@pytest.mark.parametrize("name", PIECES)
def test_changed_row_is_shown_again(name: str) -> None:
    pieces, shown = PIECES[name]
    lines = PrintedLines()
    assert "".join(map(lines.show, pieces)) == shown


@given(st.text("ab \t\n\u00e4"), st.integers(0, 20), st.integers(0, 20))
def test_plain_text_is_the_same_in_any_pieces(text: str, first: int, second: int) -> None:
    lines = PrintedLines()
    low, high = sorted((first, second))
    assert "".join(map(lines.show, (text[:low], text[low:high], text[high:]))) == text


@given(st.lists(st.text("ab\r\n\b\t\x1b[?1049hlHJKAPX;@25")))
def test_arbitrary_output_neither_fails_nor_shows_control_characters(pieces: list[str]) -> None:
    lines = PrintedLines()
    shown = "".join(map(lines.show, pieces))
    assert not set(shown) & set("\r\b\x1b")


HOSTILE = {
    "columns": "\x1b[9999Cx\r",
    "rows and columns": "\x1b[9999Cx\n",
    "insertions": "\x1b[9999@",
    "insertions and erasures": "\x1b[9999@\x1b[K",
    "back and forth": "xxxx\b\b",
    "tabs": "\r\tx",
    "screens": "\x1b[?1049h\x1b[?1049l",
    "escapes": "\x1b",
    "titles": "\x1b]0;",
    "other rows": "x\x1b[A",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_cost_and_length_of_a_piece_are_bounded(name: str) -> None:
    lines, text = PrintedLines(), (HOSTILE[name] * 16384)[:16384]
    began = time.process_time()
    shown = [lines.show(text) for _ in range(2)]
    assert time.process_time() - began < 1
    assert max(map(len, shown)) < 1_000_000


def test_unterminated_row_is_not_kept() -> None:
    lines = PrintedLines()
    for _ in range(100):
        assert lines.show("x" * 1000) == "x" * 1000
    assert lines.show("y\n") == "y\n"
