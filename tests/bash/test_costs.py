"""Rendering output takes time linear in its length, and little of it on the event loop."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stringd.plugin.terminal import (
    LONGEST_UNFINISHED,
    controls,
    parse,
    plain_lines,
    private_modes,
    stripped,
    without_colours,
    without_unfinished,
)
from stringd_bash.output_rendering import Display, most_nanoseconds, render
from stringd_bash.terminal_queries import TerminalQueries
from stringd_bash.terminal_size import Size
from tests.bash.grammar import sequences, texts

USUAL = Size(columns=80, rows=24)
SIZES = [USUAL, Size(columns=2, rows=1000), Size(columns=1000, rows=2)]
GROWTH = 8
MOST_RATIO = 20
NOTHING = 0.02

Work = Callable[[str], object]
SCANS: list[Work] = [
    lambda text: [*parse(text)],
    lambda text: [*private_modes(text)],
    stripped,
    controls,
    plain_lines,
    without_colours,
    without_unfinished,
    lambda text: TerminalQueries().answers(text.encode(), USUAL),
]
# Texts in which an expression may try to match at each position, and look far ahead from there.
STUBBORN = [
    "\r",
    "\x1b",
    "\x1b[",
    "\x1b]",
    "\x1bP",
    "\x1b[1",
    "\x1b[1;",
    "\x1b[ ",
    "\x1b ",
    "\x1b[?1;",
    "\x1b]\x1b",
    "\x1b[6",
]
STUBBORN += ["1", ";", " ", "\x1b\\", "\x9b", "\x18", "\b", "\r\r\n", "\n", "a"]
EXPENSIVE = [
    "\x1b#8",
    "\x1b[@",
    "\x1b[9999@",
    "\x1b[P",
    "\x1b[L",
    "\x1b[M",
    "\x1bM",
    "\x1b[S",
    "\x1b[9999T",
    "\x1b[2J",
]
EXPENSIVE += [
    "\x1b[999b",
    "\x1b[4hx",
    "\u0301",
    "漢",
    "\n",
    "x\r",
    "\x1b[9999I",
    "\x1b[999Cx\r\n",
    "\t\x1b[2P",
    "\x1bc",
]
EXPENSIVE += [
    "\x0bx",
    "x\x1bD",
    "\x1b[?1049h\x1b[?1049l",
    "\x1b[H\x1b[J",
    "\x1b[9999B\n",
    "a\x1b[A\r\n\n",
    "\x1b[1;2r\x1b[T",
]


def seconds(work: Work, text: str) -> float:
    """Return the CPU time of some work."""
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        work(text)
        best = min(best, time.process_time() - start)
        if best < NOTHING:
            break
    return best


def grows_slowly(work: Work, text: Callable[[int], str], length: int) -> bool:
    """Tell whether eight times the text takes about eight times the time, not sixty-four times."""
    large = seconds(work, text(length * GROWTH))
    return large < NOTHING or large < MOST_RATIO * seconds(work, text(length))


def drawn(size: Size) -> Work:
    return lambda text: render(Display(), text, size)


@pytest.mark.long
@pytest.mark.requirement("bash.output.bounded")
@pytest.mark.parametrize("unit", STUBBORN)
@pytest.mark.parametrize("frame", [("", ""), ("\x1b]", "\x1b"), ("\x1b[1", "\r\n")])
def test_every_expression_is_linear(unit: str, frame: tuple[str, str]) -> None:
    before, behind = frame
    for scan in SCANS:
        assert grows_slowly(scan, lambda count: before + unit * (count // len(unit)) + behind, 10_000)


@pytest.mark.long
@pytest.mark.requirement("bash.output.bounded")
@pytest.mark.parametrize("unit", EXPENSIVE)
@pytest.mark.parametrize("start", ["", "x\r", "\x1b[2J"])
def test_drawing_is_linear(unit: str, start: str) -> None:
    assert grows_slowly(drawn(USUAL), lambda count: start + unit * (count // len(unit)), 2000)


@pytest.mark.long
@pytest.mark.requirement("bash.output.bounded")
@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.one_of(sequences, texts), min_size=1, max_size=3)
    .map("".join)
    .filter(lambda it: len(it) < 100)
)
@example("\r\u0301")
def test_drawing_any_repetition_is_linear(unit: str) -> None:
    assert grows_slowly(drawn(USUAL), lambda count: unit * (count // max(len(unit), 1)), 1500)


@pytest.mark.long
@pytest.mark.requirement("bash.output.bounded")
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("unit", [*EXPENSIVE, "\r", "\b", "x", "x\x1b[7mé\r"])
def test_drawing_takes_at_most_the_estimated_time(unit: str, size: Size) -> None:
    for start in ("", "\x1b[2J"):
        text = start + unit * (2000 // len(unit))
        reckoned = most_nanoseconds(text, size) / 1e9
        # Not every machine is as fast as the one whose constants these are.
        assert seconds(drawn(size), text) < NOTHING + 4 * reckoned


def test_unfinished_sequence_is_bounded() -> None:
    assert without_unfinished("x\x1b]0;title") == ("x", "\x1b]0;title")
    assert without_unfinished("x\x1b[1;") == ("x", "\x1b[1;")
    long = "x\x1b]" + "y" * LONGEST_UNFINISHED
    assert without_unfinished(long) == (long, "")


@pytest.mark.requirement("bash.output.bounded")
@pytest.mark.parametrize("scan", [stripped, plain_lines])
@pytest.mark.parametrize("unit", ["\x1b[0m", "a\x01", "\r\n"])
def test_scanning_lets_other_threads_run(scan: Work, unit: str) -> None:
    """A thread that scans much output lets others run many times before it is done."""
    text = unit * (1_000_000 // len(unit))
    thread = threading.Thread(target=scan, args=(text,))
    before = seconds(scan, text)
    turns = 0
    thread.start()
    while thread.is_alive():
        turns += 1
        time.sleep(0)
    assert turns >= 5 or before < 10 * sys.getswitchinterval()
