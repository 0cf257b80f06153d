"""Screens drawn by terminal sequences."""

from __future__ import annotations

import pickle

import pytest

from stringd.plugin.terminal import parse
from stringd_bash.screen import Screen
from stringd_bash.screen_emulator import Emulator
from stringd_bash.terminal_size import Size


def emulator(columns: int = 12, rows: int = 4) -> Emulator:
    return Emulator(Screen(size=Size(columns=columns, rows=rows)))


def picture(text: str) -> str:
    terminal = emulator()
    terminal.feed(parse(text))
    return terminal.screen.picture()


@pytest.mark.requirement("bash.screen")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("long text that wraps", "long text th\nat wraps"),
        ("twelve chars\r\nnext", "twelve chars\nnext"),
        ("long text that\x1b[?7l wraps not at all", "long text th\nat wraps nol"),
        ("abc\x1b[2D\x1b[4hX", "aXbc"),
        ("abcdef\x1b[4G\x1b[2@", "abc  def"),
        ("abcdef\x1b[2G\x1b[2P", "adef"),
        ("abcdef\x1b[2G\x1b[2X", "a  def"),
        ("abcdef\x1b[3G\x1b[1K", "   def"),
        ("-\x1b[5b", "------"),
        ("a\tb\x1b[Zc", "a       c"),
        ("\x1b[3;3Hx\x1b[Ay", "\n   y\n  x"),
        ("1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\n5", "1\n3\n5\n4"),
        ("1\r\n2\r\n3\r\n4\x1b[2H\x1b[L", "1\n\n2\n3"),
        ("1\r\n2\r\n3\r\n4\x1b[2H\x1b[M", "1\n3\n4"),
        ("1\r\n2\x1b[H\x1bM0", "0\n1\n2"),
        ("1\r\n2\r\n3\r\n4\r\n5", "1\n2\n3\n4\n5"),
        ("1\r\n2\x1b[S", "1\n2"),
        ("1\x1b7\r\n2\x1b8x", "1x\n2"),
        ("main\x1b[?1049haside\x1b[?1049l goes on", "main goes on"),
        ("漢字\x1b[2GX", " X字"),
        ("漢字\x1b[3G\x1b[P", "漢"),
        ("eleven char漢", "eleven char\n漢"),
        ("e\u0301\bx", "x"),
        ("\x1b(0lqk\x1b(Bl", "┌─┐l"),
        ("\x1b)0\x0eq\x0fq", "─q"),
        ("\x1b#8\x1b[2J", ""),
        ("\x1b[?6h\x1b[2;3r\x1b[Hx", "\nx"),
        ("x\x1b[99;99r\x1b[9;2ry", "xy"),
    ],
)
def test_screen_matches_a_terminal(text: str, shown: str) -> None:
    assert picture(text) == shown


def test_combining_marks_are_limited() -> None:
    assert len(picture("x" + "\u0301" * 5000)) < 40
    assert picture("ex\r\u0301") == "e\u0301x"


def test_shrinking_keeps_scrolled_lines() -> None:
    terminal = emulator()
    terminal.feed(parse("1\r\n2\r\n3\r\nfour\x1b[?1049haside"))
    terminal.resize(Size(columns=3, rows=2))
    assert terminal.screen.picture() == "asi"
    terminal.feed(parse("\x1b[?1049l"))
    assert terminal.screen.picture() == "1\n2\n3\nfou"
    terminal.resize(Size(columns=20, rows=9))
    terminal.feed(parse("\x1b[9Hend"))
    assert terminal.screen.picture() == "3\nfou\n\n\n\n\n\n\nend"


def test_screen_can_be_pickled() -> None:
    terminal = emulator()
    terminal.feed(parse("e\u0301漢字\r\n\n\x1b[5Cx\x1b[?1049h\x1b(0aside\x1b7"))
    assert pickle.loads(pickle.dumps(terminal)) == terminal
