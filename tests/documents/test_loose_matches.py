"""`/replace --loose` takes a text that differs in white space only, and keeps the indentation."""

from __future__ import annotations

import pytest

from stringd.documents.editing.replacements import replace_occurrences
from stringd.errors import Refusal
from stringd.testing.process import DaemonProcess
from tests.commands.test_editing import content, put, text_of

CODE = "def f(self, a):\n    if a:\n        return 1\n    return 2\n"
SPACES = "differing in white space only"


def loosely(before: str, old: str, new: str, *, every: bool = False) -> str:
    return replace_occurrences(before, f"{old}\n---\n{new}", "f", every=every, loose=True).text


@pytest.mark.requirement("edit.loose")
@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        # Another indentation, and new lines below, beyond and before what is known.
        (CODE, "if a:\n    return 1", "if b:\n    return 3", CODE.replace("if a", "if b").replace("1", "3")),
        ("\tif a:\n\t\tb()\n", "if a:\n  b()", "if a:\n  b()\n  c()", "\tif a:\n\t\tb()\n\t\tc()\n"),
        ("\tx()\n", "x( )", "if y:\n    x()", "\tif y:\n\t\tx()\n"),
        ("  if a:\n    b\n", "if a:\n\tb", "if a:\n\tif b:\n\t\tc", "  if a:\n    if b:\n      c\n"),
        ("    x = 1\n", "\t\tx  =  1", "\t\tx = 2\n\ty = 3", "    x = 2\n   y = 3\n"),
        # Blank lines, blanks at the ends of lines, and other line ends.
        ("a\n\n\nb  \nc\n", "a\nb", "x", "x\nc\n"),
        ("a( 1,2 )\r\nb\r\n", "a(1, 2)\nb", "c\nd", "c\r\nd\r\n"),
        ("a:\n  b\n", "  a:\n    b", "  a:\n\n    c", "a:\n\n  c\n"),
        # Parts of lines, and whole lines that go.
        ("call(a,  b) + 1\n", "call( a, b )", "call(b)", "call(b) + 1\n"),
        ("1\n  two  three\n4\n", "two three", "", "1\n4\n"),
        # What occurs exactly is taken.
        ("a  b\na b\n", "a b", "x", "a  b\nx\n"),
    ],
)
def test_white_space_is_ignored(before: str, old: str, new: str, after: str) -> None:
    assert loosely(before, old, new) == after


@pytest.mark.requirement("edit.loose")
@pytest.mark.parametrize(
    ("before", "old"),
    [("ab\n", "a b"), ("a b\n", "ab"), ("xa b\n", "a  b"), ("a bx\n", "a  b"), ("a\n", "  ")],
)
def test_words_are_never_split_or_joined(before: str, old: str) -> None:
    with pytest.raises(Refusal):
        loosely(before, old, "x")


@pytest.mark.requirement("edit.loose")
def test_several_loose_matches_are_ambiguous() -> None:
    with pytest.raises(Refusal, match="2 matches") as refused:
        loosely("a  b\n\na\tb\n", "a b", "x")
    assert (refused.value.code, refused.value.context[0]) == ("CONFLICT", "at :L1, :L3")
    assert loosely("a  b\n\n\ta\tb\n", "a b", "x", every=True) == "x\n\n\tx\n"
    with pytest.raises(Refusal, match="More than one line ---"):
        loosely("a\n---\nb\n", " a\n---\n b", "c\n---\nd")


@pytest.mark.requirement("edit.nearest")
def test_nearest_match_is_shown(daemon: DaemonProcess) -> None:
    put(daemon, "f.py", CODE)
    missed = "ERROR(NOT_FOUND): Text not found in f.py\nthe file has 4 lines\n"
    command = "/replace f.py{}\nif a:\n  return 1\n---\nif b:\n  return 1"
    assert content(daemon, command.format("")) == (
        f"{missed}nearest: :L2-L3, {SPACES}; --loose takes it\n2 │     if a:\n3 │         return 1"
    )
    assert text_of(daemon, "f.py") == CODE
    assert content(daemon, command.format(" --loose")) == "Replaced f.py (2 lines)"
    assert text_of(daemon, "f.py") == CODE.replace("if a", "if b")
    assert content(daemon, "/undo").startswith("Undo: reverted f.py")
    assert content(daemon, "/replace f.py --loose\nretrun  2\n---\nx") == (
        f"{missed}nearest: :L4\n4 │     return 2"
    )
    assert content(daemon, "/replace f.py\n%%%%\n---\nx") == missed.strip()
    put(daemon, "twice.txt", "a  b\na\tb\n")
    assert content(daemon, "/replace twice.txt\na b\n---\nx").endswith(f"lines\n{SPACES}: :L1, :L2")
    assert content(daemon, "/replace twice.txt --loose\na b\n---\nx").startswith("ERROR(CONFLICT): 2 matches")


@pytest.mark.requirement("edit.nearest")
def test_a_long_text_is_answered_soon(daemon: DaemonProcess) -> None:
    put(daemon, "long.txt", "a b " * 200_000 + "\n" + "line of words\n" * 50_000)
    assert content(daemon, f"/replace long.txt\n{'a b ' * 1900}c\n---\nx").startswith("ERROR(NOT_FOUND)")
    assert content(daemon, "/replace long.txt --loose\nlime of words\n---\nx").startswith("ERROR(NOT_FOUND)")
