"""Splitting of texts into lines."""

from __future__ import annotations

import pytest

from stringd.documents.syntax.lines import Lines, line_number, line_start, numbered_lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\nb", ["a", "b"]),
        ("a\r\nb\rc\n", ["a", "b", "c"]),
        ("\n\n", ["", ""]),
        ("\ufeffa\nb", ["a", "b"]),
        ("a\x0bb\x0cc\x85d\u2028e\n", ["a\x0bb\x0cc\x85d\u2028e"]),
    ],
)
def test_lines_are_split_as_in_markdown(text: str, expected: list[str]) -> None:
    lines = Lines(text)
    assert [lines[number] for number in range(len(lines))] == expected


@pytest.mark.parametrize(
    ("text", "end"), [("a\r\nb\n", "\r\n"), ("a\rb", "\r"), ("a\nb\r\n", "\n"), ("a", "\n")]
)
def test_line_end_is_detected(text: str, end: str) -> None:
    assert Lines(text).newline == end


@pytest.mark.parametrize(
    "text", ["", "\n", "a", "a\n", "\ufeffa\r\nb", "a\rb\nc\n\n", "ab\n" * 9000, "x" * 9000 + "\n\ny"]
)
def test_lines_are_found_without_splitting_the_text(text: str) -> None:
    lines = numbered_lines(text)
    numbers = [number for number in range(len(lines) + 2) if number < 9 or number % 997 == 0 or number > 8995]
    assert [line_start(text, it) for it in numbers] == [lines.start(it) for it in numbers]


def test_position_to_line_number() -> None:
    text = "one\r\n\r\nthree\n"
    lines = Lines(text)
    assert [lines.number_of(position) for position in (0, 3, 4, 5, 7, len(text) - 1)] == [0, 0, 0, 1, 2, 2]
    assert (lines.start(2), lines.start(3)) == (7, len(text))


def test_slices_keep_line_ends() -> None:
    lines = Lines("a\r\nb\r\nc")
    assert (lines.slice(0, 2), lines.slice(2, 3), lines.slice(1, 1)) == ("a\r\nb\r\n", "c", "")


def test_line_numbers_count_only_lf() -> None:
    text = "\ufeffa\rb\r\nc\n\rd"
    lines = numbered_lines(text)
    assert [lines[number] for number in range(len(lines))] == ["a\rb", "c", "\rd"]
    assert [line_number(text, lines.start(number)) for number in range(3)] == [1, 2, 3]
