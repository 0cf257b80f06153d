"""Diffs of edits."""

from __future__ import annotations

import pytest

from stringd.text.diff import compare


@pytest.mark.parametrize(
    ("before", "after", "summary"),
    [
        ("a\n", "a\nb\nc\n", "Added 2 lines"),
        ("a\nb\n", "a\n", "Removed 1 line"),
        ("a\n", "b\n", "Added 1 line, removed 1 line"),
        ("", "a\n", "Added 1 line"),
        ("a\n", "a\n", "No change"),
    ],
)
def test_summaries(before: str, after: str, summary: str) -> None:
    assert compare(before, after).summary == summary


def test_numbers_line_up_and_far_changes_are_apart() -> None:
    before = "\n".join(f"line {number}" for number in range(1, 13))
    after = before.replace("line 1\n", "first\n").replace("line 12", "last")
    assert compare(before, after).rows.splitlines() == [
        " 1 -│ line 1",
        " 1 +│ first",
        " 2 │ line 2",
        " 3 │ line 3",
        "   ⋮",
        "10 │ line 10",
        "11 │ line 11",
        "12 -│ line 12",
        "12 +│ last",
    ]


def test_unchanged_lines_have_their_new_numbers() -> None:
    assert compare("a\nb\n", "new\na\nb\n").rows.splitlines() == ["1 +│ new", "2 │ a", "3 │ b"]


def test_only_line_feeds_end_lines() -> None:
    assert compare("a\x0cb\u2028c\n", "a\x0cb\u2028c\nd\r\n").rows.splitlines()[-1] == "2 +│ d"


def test_rewritten_file_is_compared_quickly() -> None:
    before = "\n".join(f"old {number}" for number in range(20_000))
    after = "\n".join(f"new {number}" for number in range(20_000))
    difference = compare(before, after)
    assert difference.summary == "Added 20000 lines, removed 20000 lines"
    assert difference.rows.splitlines()[-1] == "[... 39600 lines more]"


HUNDREDS = [f"line {number}" for number in range(600)]


@pytest.mark.parametrize(
    ("old", "new", "is_matched"),
    [
        pytest.param(HUNDREDS, [*HUNDREDS[300:], *HUNDREDS[:300]], True, id="moved"),
        pytest.param(["", "a"] * 50, ["b", ""] * 50, True, id="blank-lines"),
        pytest.param(["a", "b"] * 250, ["b", "b", "a"] * 166, False, id="the-same-lines-often"),
        pytest.param(["a"] * 250, [*["b", "a"] * 250, "b"], False, id="one-line-often"),
        pytest.param([*"xy", *map(str, range(50_000))], [*map(str, range(49_999, 0, -50))], False, id="long"),
    ],
)
def test_matching_effort_is_bounded(old: list[str], new: list[str], is_matched: bool) -> None:
    summary = compare("\n".join(old), "\n".join(new)).summary
    replaced_whole = f"Added {len(new)} lines, removed {len(old)} lines"
    assert (summary != replaced_whole) == is_matched


def test_what_does_not_fit_is_counted() -> None:
    before, after = "x" * 5000 + "\nold\n", "".join(f"new {number}\n" for number in range(50))
    rows = compare(before, after, 1200).rows.splitlines()
    assert rows[0] == f" 1 -│ {'x' * 1000}… (5,000 characters)"
    assert rows[1] == " 2 -│ old"
    assert sum(map(len, rows)) < 1300
    assert rows[-1] == f"[... {52 - len(rows[:-1])} lines more]"
